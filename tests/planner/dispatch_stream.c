/* What the master of a group gets: each core task that has arrived is handed out once, in the order
 * of arrival, by the plan's packages and pieces of them; additional ones, and those that losses
 * bring back, go to any worker. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "planner/dispatch/dispatch.h"
#include "planner/dispatch/dispatch_kind.h"
#include "planner/dispatch/stream.h"
#include "tests/cases.h"
#include "tests/checks.h"
#include "tests/planner/samples.h"

enum { TASKS_MOST = 600, WORKERS = 3 };

static struct dispatch *streaming(const struct plan *plan, struct dispatch **stream)
{
    *stream = dispatch_new_stream(dispatch_new_plan(plan), (int64_t)plan->tasks);
    struct dispatch *recovery = dispatch_new_recovery(*stream, WORKERS);
    assert_non_null(recovery);
    dispatch_recovery_apart(recovery);
    return recovery;
}

static void sent_check(struct dispatch *dispatch, int64_t worker, int64_t first, int64_t count)
{
    struct package package;
    assert_int_equal(dispatch_next(dispatch, 0, &package), DISPATCH_SEND);
    assert_int_equal(package.worker, worker);
    assert_int_equal(package.first, first);
    assert_int_equal(package.count, count);
    dispatch_done(dispatch, &package, 0, 1);
}

/* Packages of 4, 3 and 5 for workers 0, 1 and 2, of which 100 to 104 come, and then 50 to 56. */
static void packages_go_out_in_pieces(void **state)
{
    double loads[] = {4, 3, 5};
    int64_t workers[] = {0, 1, 2};
    struct plan_round round = {1, loads};
    const struct plan plan = {
        .tasks = 12, .workers = workers, .worker_count = 3, .rounds = &round, .round_count = 1};
    struct dispatch *stream, *dispatch = streaming(&plan, &stream);
    struct package package;
    (void)state;
    assert_int_equal(dispatch_next(dispatch, 0, &package), DISPATCH_HANDED_OUT);
    assert_int_equal(dispatch_stream_add(stream, (struct task_range){100, 5}), 5);
    assert_int_equal(dispatch_stream_left(stream), 5);
    sent_check(dispatch, 0, 100, 4);
    sent_check(dispatch, 1, 104, 1);
    assert_int_equal(dispatch_next(dispatch, 0, &package), DISPATCH_HANDED_OUT);
    assert_int_equal(dispatch_stream_add(stream, (struct task_range){50, 7}), 7);
    sent_check(dispatch, 1, 50, 2);
    sent_check(dispatch, 2, 52, 5);
    assert_int_equal(dispatch_stream_add(stream, (struct task_range){9, 2}), 0);
    dispatch_stream_end(stream);
    assert_int_equal(dispatch_next(dispatch, 0, &package), DISPATCH_FINISHED);
    dispatch_free(&dispatch);
}

static enum dispatch_answer wait_next(struct dispatch *dispatch, double now_s,
                                      struct package *package)
{
    (void)dispatch, (void)now_s, (void)package;
    return DISPATCH_WAIT;
}

static double wait_due(const struct dispatch *dispatch)
{
    (void)dispatch;
    return 3;
}

static void wait_free(struct dispatch *dispatch)
{
    free(dispatch);
}

/* The inner one, which waits for a time, is asked when something has come: whoever looked at that
 * time before would look again and again. */
static void nothing_is_due_before_something_comes(void **state)
{
    static const struct dispatch_kind kind = {
        .next = wait_next, .due = wait_due, .free = wait_free};
    struct dispatch *inner = calloc(1, sizeof *inner);
    (void)state;
    assert_non_null(inner);
    inner->kind = &kind;
    struct dispatch *stream = dispatch_new_stream(inner, 5);
    assert_non_null(stream);
    assert_true(dispatch_due_s(stream) == HUGE_VAL);
    assert_int_equal(dispatch_stream_add(stream, (struct task_range){0, 5}), 5);
    assert_true(dispatch_due_s(stream) == 3);
    dispatch_free(&stream);
}

/* As much as fits into a message is sent of the plan's packages of 4, 3 and 5; the rest follows. */
static void no_package_is_larger_than_the_limit(void **state)
{
    double loads[] = {4, 3, 5};
    int64_t workers[] = {0, 1, 2}, tasks = 0;
    struct plan_round round = {1, loads};
    const struct plan plan = {
        .tasks = 12, .workers = workers, .worker_count = 3, .rounds = &round, .round_count = 1};
    struct dispatch *dispatch = dispatch_new_recovery(dispatch_new_plan(&plan), WORKERS);
    struct package package;
    (void)state;
    assert_non_null(dispatch);
    dispatch_recovery_limit(dispatch, 3);
    while (dispatch_next(dispatch, 0, &package) == DISPATCH_SEND) {
        assert_in_range(package.count, 1, 3);
        tasks += package.count;
        dispatch_done(dispatch, &package, 0, 1);
    }
    assert_int_equal(tasks, 12);
    dispatch_free(&dispatch);
}

/* Of 6 core tasks for worker 0 by guided self-scheduling, 4 arrive first, then the others: it
 * requests its next package only when it has reported both pieces. */
static void rules_hear_of_whole_packages(void **state)
{
    const struct dispatch_setup setup = {
        .rule = "gss", .tasks = 12, .workers = 2, .ahead = 1, .least = 1, .most = 12};
    struct failure failure = FAILURE_INIT;
    struct dispatch *rule = dispatch_new_rule(&setup, &failure);
    struct package first, second, other;
    (void)state;
    assert_non_null(rule);
    struct dispatch *stream = dispatch_new_stream(rule, setup.tasks);
    assert_non_null(stream);
    assert_int_equal(dispatch_stream_add(stream, (struct task_range){100, 4}), 4);
    assert_int_equal(dispatch_next(stream, 0, &first), DISPATCH_SEND);
    assert_int_equal(first.worker, 0);
    assert_int_equal(first.count, 4);
    assert_int_equal(dispatch_next(stream, 0, &second), DISPATCH_HANDED_OUT);
    dispatch_done(stream, &first, 0, 4);
    assert_int_equal(dispatch_stream_add(stream, (struct task_range){0, 8}), 8);
    assert_int_equal(dispatch_next(stream, 9, &second), DISPATCH_SEND);
    assert_int_equal(second.worker, 0);
    assert_int_equal(second.first, 0);
    assert_int_equal(second.count, 2);
    assert_int_equal(dispatch_next(stream, 9, &other), DISPATCH_SEND);
    assert_int_equal(other.worker, 1);
    assert_int_equal(other.count, 3);
    assert_int_equal(dispatch_next(stream, 9, &other), DISPATCH_WAIT);
    dispatch_done(stream, &first, 0, 4); /* once more: nothing happens */
    dispatch_done(stream, &second, 9, 11);
    assert_int_equal(dispatch_next(stream, 11, &other), DISPATCH_SEND);
    assert_int_equal(other.worker, 0);
    assert_int_equal(other.count, 2);
    dispatch_free(&stream);
}

/* Of 12 core tasks by guided self-scheduling, 14 to 19 and 0 to 5 arrive, and 8 are given away, the
 * last ones first: the rule goes on with as many fewer. */
static void what_has_come_can_be_given_away(void **state)
{
    const struct dispatch_setup setup = {
        .rule = "gss", .tasks = 12, .workers = 2, .ahead = 1, .least = 1, .most = 12};
    struct failure failure = FAILURE_INIT;
    struct dispatch *stream = dispatch_new_stream(dispatch_new_rule(&setup, &failure), setup.tasks);
    struct dispatch_given given = {.items = NULL};
    struct package package;
    (void)state;
    assert_non_null(stream);
    assert_int_equal(dispatch_left(stream), 0);
    assert_int_equal(dispatch_stream_add(stream, (struct task_range){14, 6}), 6);
    assert_int_equal(dispatch_stream_add(stream, (struct task_range){0, 6}), 6);
    assert_int_equal(dispatch_left(stream), 12);
    assert_true(dispatch_cut(stream, 3, &given));
    assert_true(dispatch_cut(stream, 5, &given));
    assert_int_equal(given.tasks, 8);
    assert_int_equal(given.count, 2);
    assert_int_equal(given.items[0].range.first, 0);
    assert_int_equal(given.items[0].range.count, 6);
    assert_int_equal(given.items[1].range.first, 18);
    assert_int_equal(given.items[1].range.count, 2);
    dispatch_given_release(&given);
    assert_int_equal(dispatch_next(stream, 0, &package), DISPATCH_SEND);
    assert_int_equal(package.first, 14);
    assert_int_equal(package.count, 2); /* half of what is left */
    assert_int_equal(dispatch_left(stream), 2);
    assert_true(dispatch_cut(stream, 100, &given));
    assert_int_equal(given.tasks, 2);
    assert_int_equal(given.items[0].range.first, 16);
    dispatch_given_release(&given);
    dispatch_stream_end(stream);
    assert_int_equal(dispatch_next(stream, 0, &package), DISPATCH_FINISHED);
    dispatch_free(&stream);
}

/* Fewer than planned: the end comes when those that are there are done. */
static void fewer_may_come(void **state)
{
    double loads[] = {40, 40, 40};
    int64_t workers[] = {0, 1, 2};
    struct plan_round round = {1, loads};
    const struct plan plan = {
        .tasks = 120, .workers = workers, .worker_count = 3, .rounds = &round, .round_count = 1};
    struct dispatch *stream, *dispatch = streaming(&plan, &stream);
    struct package package;
    (void)state;
    assert_int_equal(dispatch_stream_add(stream, (struct task_range){7, 11}), 11);
    dispatch_stream_end(stream);
    assert_int_equal(dispatch_next(dispatch, 0, &package), DISPATCH_SEND);
    assert_int_equal(package.count, 11);
    assert_int_equal(dispatch_next(dispatch, 0, &package), DISPATCH_HANDED_OUT);
    dispatch_done(dispatch, &package, 0, 1);
    assert_int_equal(dispatch_next(dispatch, 0, &package), DISPATCH_FINISHED);
    dispatch_free(&dispatch);
}

/* ---- whatever comes, and whoever is lost --------------------------------------------------- */

struct course {
    struct dice dice;
    struct dispatch *stream, *dispatch;
    int done[TASKS_MOST], coming; /* each core task; of all, how many have come */
    int origin[TASKS_MOST];       /* the package that brought it */
    struct package out[TASKS_MOST];
    int64_t out_count, packages, tasks;
    bool lost[WORKERS];
};

static void some_come(struct course *course)
{
    const int64_t left = course->tasks - course->coming;
    const int64_t count = dice_whole(&course->dice, 1, left < 40 ? left : 40);
    const struct task_range range = {course->coming, count};
    const int64_t planned = dispatch_stream_add(course->stream, range);
    assert_true(planned >= 0 && planned <= count);
    if (planned < count)
        assert_true(dispatch_recovery_add(
            course->dispatch, (struct task_range){range.first + planned, count - planned}, 0));
    for (int64_t k = 0; k < count; k++)
        course->origin[course->coming++] = (int)course->packages;
    course->packages++;
    if (course->coming == course->tasks)
        dispatch_stream_end(course->stream);
}

/* Packages that the master above is told of must not be mixed. */
static void package_take(struct course *course, const struct package *package)
{
    assert_false(course->lost[package->worker]);
    assert_true(package->first + package->count <= course->coming);
    for (int64_t k = 0; k < package->count; k++)
        assert_int_equal(course->origin[package->first + k], course->origin[package->first]);
    course->out[course->out_count++] = *package;
}

static void some_report(struct course *course)
{
    const int64_t which = dice_whole(&course->dice, 0, course->out_count - 1);
    const struct package package = course->out[which];
    course->out[which] = course->out[--course->out_count];
    for (int64_t k = 0; k < package.count; k++)
        course->done[package.first + k]++;
    dispatch_done(course->dispatch, &package, 0, 1);
}

static void worker_lose(struct course *course, int64_t worker)
{
    int64_t kept = 0;
    course->lost[worker] = true;
    for (int64_t k = 0; k < course->out_count; k++) {
        if (course->out[k].worker != worker)
            course->out[kept++] = course->out[k];
        else if (dice_whole(&course->dice, 0, 3) == 0 &&
                 dispatch_blame(course->dispatch, &course->out[k]).given_up)
            course->done[course->out[k].first]++; /* it counts as failed */
    }
    course->out_count = kept;
    dispatch_lost(course->dispatch, worker);
}

static void course_simulate(struct course *course, const int64_t *lost_at)
{
    for (int64_t turn = 0;; turn++) {
        struct package package;
        for (int64_t w = 1; w < WORKERS; w++)
            if (turn == lost_at[w])
                worker_lose(course, w);
        if (course->coming < course->tasks && dice_whole(&course->dice, 0, 2) == 0)
            some_come(course);
        const enum dispatch_answer answer = dispatch_next(course->dispatch, 0, &package);
        if (answer == DISPATCH_FINISHED && course->coming == course->tasks)
            return;
        if (answer == DISPATCH_SEND)
            package_take(course, &package);
        if (course->out_count > 0 && (answer != DISPATCH_SEND || dice_whole(&course->dice, 0, 1)))
            some_report(course);
        assert_true(turn < 100 * TASKS_MOST);
    }
}

static void each_task_once(void **state)
{
    static struct course course;
    (void)state;
    for (uint64_t seed = 1; seed <= cases_of(300); seed++) {
        course = (struct course){.dice = {seed}};
        double loads[WORKERS];
        int64_t workers[] = {0, 1, 2}, lost_at[WORKERS] = {-1, -1, -1};
        struct plan_round round = {dice_whole(&course.dice, 1, 6), loads};
        struct plan plan = {
            .workers = workers, .worker_count = WORKERS, .rounds = &round, .round_count = 1};
        for (int w = 0; w < WORKERS; w++) {
            loads[w] = (double)dice_whole(&course.dice, 1, 25);
            plan.tasks += (double)round.repeat * loads[w];
            if (w > 0 && dice_whole(&course.dice, 0, 1) == 1)
                lost_at[w] = dice_whole(&course.dice, 0, 60);
        }
        course.tasks = dice_whole(&course.dice, 1, TASKS_MOST);
        course.dispatch = streaming(&plan, &course.stream);
        course_simulate(&course, lost_at);
        for (int64_t k = 0; k < course.tasks; k++)
            if (course.done[k] != 1)
                fail_msg("seed %" PRIu64 ": core task %" PRId64 " is done %d times", seed, k,
                         course.done[k]);
        assert_int_equal(course.out_count, 0);
        dispatch_free(&course.dispatch);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(packages_go_out_in_pieces),
        cmocka_unit_test(nothing_is_due_before_something_comes),
        cmocka_unit_test(no_package_is_larger_than_the_limit),
        cmocka_unit_test(rules_hear_of_whole_packages),
        cmocka_unit_test(what_has_come_can_be_given_away),
        cmocka_unit_test(fewer_may_come),
        cmocka_unit_test(each_task_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

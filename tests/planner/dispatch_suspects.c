/* Core tasks that kill every worker that begins them: each is given up after two losses, and all
 * others are done once. */
#include <inttypes.h>

#include "planner/dispatch/dispatch.h"
#include "tests/checks.h"
#include "tests/planner/samples.h"

enum { TASKS = 400, OUT_MOST = 4 * TASKS };

/* A job with some such tasks, whose workers each do their oldest package. */
struct course {
    struct dispatch *dispatch; /* owned */
    int64_t workers, living;
    bool deadly[TASKS], lost[64], given_up[TASKS];
    int done[TASKS], losses[TASKS];
    struct package out[OUT_MOST];
    size_t out_count;
};

static void packages_take(struct course *course)
{
    struct package package;
    while (dispatch_next(course->dispatch, 0, &package) == DISPATCH_SEND) {
        assert_false(course->lost[package.worker]);
        assert_true(course->out_count < OUT_MOST);
        course->out[course->out_count++] = package;
    }
}

/* The oldest one of some worker, taken out; false: nobody has any. */
static bool package_choose(struct course *course, struct dice *dice, struct package *package)
{
    if (course->out_count == 0)
        return false;
    const int64_t worker = course->out[dice_whole(dice, 0, (int64_t)course->out_count - 1)].worker;
    size_t k = 0;
    while (course->out[k].worker != worker)
        k++;
    *package = course->out[k];
    memmove(&course->out[k], &course->out[k + 1], (--course->out_count - k) * sizeof *course->out);
    return true;
}

static void worker_lose(struct course *course, const struct package *package, int64_t culprit)
{
    size_t kept = 0;
    const struct dispatch_blame blame = dispatch_blame(course->dispatch, package);
    course->losses[culprit]++;
    assert_true(blame.losses > 0);
    if (blame.given_up) {
        assert_int_equal(package->count, 1);
        assert_int_equal(blame.losses, DISPATCH_LOSSES_MOST);
        course->given_up[package->first] = true;
    }
    course->lost[package->worker] = true;
    course->living--;
    dispatch_lost(course->dispatch, package->worker);
    for (size_t k = 0; k < course->out_count; k++)
        if (course->out[k].worker != package->worker)
            course->out[kept++] = course->out[k];
    course->out_count = kept;
}

static void package_do(struct course *course, const struct package *package)
{
    for (int64_t task = package->first; task < package->first + package->count; task++)
        if (course->deadly[task]) {
            worker_lose(course, package, task);
            return;
        }
    for (int64_t task = package->first; task < package->first + package->count; task++)
        course->done[task]++;
    dispatch_done(course->dispatch, package, 0, 1);
}

static void course_run(struct course *course, struct dice *dice)
{
    struct package package;
    packages_take(course);
    while (package_choose(course, dice, &package)) {
        package_do(course, &package);
        packages_take(course);
    }
    assert_int_equal(dispatch_next(course->dispatch, 0, &package), DISPATCH_FINISHED);
}

static struct dispatch *rule_new(const char *rule, int64_t workers)
{
    const struct dispatch_setup setup = {.rule = rule,
                                         .tasks = TASKS,
                                         .workers = workers,
                                         .ahead = 2,
                                         .least = 1,
                                         .most = TASKS / workers};
    struct failure failure = FAILURE_INIT;
    struct dispatch *dispatch = dispatch_new_rule(&setup, &failure);
    assert_non_null(dispatch);
    return dispatch;
}

/* A package has up to 200 core tasks here, so two losses are enough for each. */
static void each_costs_two_workers(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 200; seed++) {
        struct dice dice = {seed};
        const int64_t workers = dice_whole(&dice, 3, 12), most = (workers - 1) / 2;
        const char *rule = dispatch_rule_name(seed % dispatch_rule_count()).name;
        static struct course course;
        course = (struct course){.workers = workers, .living = workers};
        course.dispatch = dispatch_new_recovery(rule_new(rule, workers), workers);
        assert_non_null(course.dispatch);
        for (int64_t k = dice_whole(&dice, 0, most); k > 0; k--)
            course.deadly[dice_whole(&dice, 0, TASKS - 1)] = true;
        course_run(&course, &dice);
        for (int64_t task = 0; task < TASKS; task++)
            if (course.done[task] != !course.deadly[task] ||
                course.given_up[task] != course.deadly[task] ||
                course.losses[task] > DISPATCH_LOSSES_MOST)
                fail_msg("seed %" PRIu64 ": task %" PRId64 " done %d times, %d lost on it", seed,
                         task, course.done[task], course.losses[task]);
        dispatch_free(&course.dispatch);
    }
}

/* One package of 10 to the first of two workers, and one of 2 to the other one. */
static struct dispatch *two_workers(const struct package *packages)
{
    struct dispatch *dispatch = dispatch_new_recovery(dispatch_new_list(packages, 2, 2, 1), 2);
    assert_non_null(dispatch);
    return dispatch;
}

static void the_last_worker_gets_suspects_last_and_alone(void **state)
{
    const struct package packages[] = {{.worker = 0, .first = 0, .count = 10},
                                       {.worker = 1, .first = 10, .count = 2}};
    struct dispatch *dispatch = two_workers(packages);
    struct package first, second, package;
    (void)state;
    assert_int_equal(dispatch_next(dispatch, 0, &first), DISPATCH_SEND);
    assert_int_equal(dispatch_next(dispatch, 0, &second), DISPATCH_SEND);
    assert_int_equal(dispatch_blame(dispatch, &first).losses, 1);
    dispatch_lost(dispatch, 0);
    assert_int_equal(dispatch_next(dispatch, 0, &package), DISPATCH_WAIT);
    dispatch_done(dispatch, &second, 0, 1);
    for (int64_t task = 0; task < 10; task++) {
        assert_int_equal(dispatch_next(dispatch, 0, &package), DISPATCH_SEND);
        assert_int_equal(package.first, task);
        assert_int_equal(package.count, 1);
        assert_int_equal(dispatch_next(dispatch, 0, &first),
                         task < 9 ? DISPATCH_WAIT : DISPATCH_HANDED_OUT);
        if (task < 9)
            dispatch_done(dispatch, &package, 0, 1);
    }
    const struct dispatch_blame blame = dispatch_blame(dispatch, &package);
    assert_true(blame.given_up);
    assert_int_equal(blame.losses, 2);
    dispatch_free(&dispatch);
}

/* A worker with trouble of its own blames nobody: what it had is handed out as it always was. */
static void without_blame_nothing_is_cut_up(void **state)
{
    const struct package packages[] = {{.worker = 0, .first = 0, .count = 10},
                                       {.worker = 1, .first = 10, .count = 2}};
    struct dispatch *dispatch = two_workers(packages);
    struct package first, second, package;
    (void)state;
    assert_int_equal(dispatch_next(dispatch, 0, &first), DISPATCH_SEND);
    assert_int_equal(dispatch_next(dispatch, 0, &second), DISPATCH_SEND);
    dispatch_lost(dispatch, 0);
    assert_int_equal(dispatch_next(dispatch, 0, &package), DISPATCH_SEND);
    assert_int_equal(package.count, 5);
    dispatch_free(&dispatch);
}

/* One that is out while very many others are done is known all the same, and returned once. */
static void what_is_out_for_long_is_known(void **state)
{
    enum { OTHERS = 20000 };
    (void)state;
    for (int lost = 0; lost < 2; lost++) {
        static struct package packages[OTHERS + 1], package, first;
        for (int64_t k = 0; k <= OTHERS; k++)
            packages[k] = (struct package){.worker = k > 0, .first = k, .count = 1};
        struct dispatch *dispatch =
            dispatch_new_recovery(dispatch_new_list(packages, OTHERS + 1, 2, 1), 2);
        assert_non_null(dispatch);
        assert_int_equal(dispatch_next(dispatch, 0, &first), DISPATCH_SEND);
        for (int64_t k = 1; k <= OTHERS; k++) {
            assert_int_equal(dispatch_next(dispatch, 0, &package), DISPATCH_SEND);
            assert_int_equal(package.first, k);
            dispatch_done(dispatch, &package, 0, 1);
        }
        assert_int_equal(dispatch_next(dispatch, 0, &package), DISPATCH_HANDED_OUT);
        if (lost) {
            dispatch_lost(dispatch, 0);
            assert_int_equal(dispatch_next(dispatch, 0, &first), DISPATCH_SEND);
            assert_true(first.first == 0 && first.worker == 1);
        }
        dispatch_done(dispatch, &first, 0, 1);
        assert_int_equal(dispatch_next(dispatch, 0, &package), DISPATCH_FINISHED);
        dispatch_free(&dispatch);
    }
}

/* Suspects of runs before: packages of many are cut up, single ones that could not be told apart
 * are out one at a time, and beside others. */
static void suspects_of_runs_before(void **state)
{
    struct dispatch *dispatch = dispatch_new_recovery(dispatch_new_list(NULL, 0, 3, 1), 3);
    struct package out[3];
    (void)state;
    assert_true(dispatch_recovery_suspect(dispatch, (struct task_range){100, 512}, 1));
    assert_true(dispatch_recovery_suspect(dispatch, (struct task_range){7, 1}, 2));
    assert_true(dispatch_recovery_suspect(dispatch, (struct task_range){9, 1}, 2));
    assert_int_equal(dispatch_next(dispatch, 0, &out[0]), DISPATCH_SEND);
    assert_int_equal(out[0].first, 9);
    assert_int_equal(dispatch_next(dispatch, 0, &out[1]), DISPATCH_SEND);
    assert_int_equal(out[1].first, 100);
    assert_int_equal(out[1].count, 2);
    const struct dispatch_blame blame = dispatch_blame(dispatch, &out[0]);
    assert_true(blame.given_up);
    assert_int_equal(blame.losses, 3);
    dispatch_lost(dispatch, out[0].worker);
    assert_int_equal(dispatch_next(dispatch, 0, &out[2]), DISPATCH_SEND);
    assert_int_equal(out[2].first, 7);
    dispatch_free(&dispatch);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_costs_two_workers),
        cmocka_unit_test(the_last_worker_gets_suspects_last_and_alone),
        cmocka_unit_test(without_blame_nothing_is_cut_up),
        cmocka_unit_test(what_is_out_for_long_is_known),
        cmocka_unit_test(suspects_of_runs_before),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Workers that come and go: at first there are none, some join, some are lost, and every core task
 * is still done once. */
#include <inttypes.h>
#include <math.h>

#include "planner/dispatch/dispatch.h"
#include "planner/dispatch/watch.h"
#include "planner/model/plan_cursor.h"
#include "planner/replan/replan.h"
#include "planner/schedulers/scheduler.h"
#include "tests/cases.h"
#include "tests/checks.h"
#include "tests/planner/plans_simulated.h"
#include "tests/planner/platforms.h"

enum { WORKERS = 6, TASKS_MOST = 2000, OUT_MOST = 2000 };

/* What is under way, by worker, and what has been done. */
struct field {
    const char *name;
    uint64_t seed;
    struct dice dice;
    struct dispatch *dispatch;
    bool there[WORKERS];
    int living;
    struct package out[OUT_MOST];
    double begun_s[OUT_MOST];
    size_t count;
    int done[TASKS_MOST];
    double now_s;
};

static void join(struct field *field)
{
    int64_t worker = dice_between(&field->dice, 0, WORKERS - 1);
    while (field->there[worker])
        worker = (worker + 1) % WORKERS;
    field->there[worker] = true;
    field->living++;
    dispatch_joined(field->dispatch, worker,
                    dice_roll(&field->dice) < 0.3 ? DISPATCH_UNKNOWN : worker, field->now_s);
}

static void out_drop(struct field *field, size_t at)
{
    field->count--;
    memmove(field->out + at, field->out + at + 1, (field->count - at) * sizeof *field->out);
    memmove(field->begun_s + at, field->begun_s + at + 1,
            (field->count - at) * sizeof *field->begun_s);
}

static void lose(struct field *field)
{
    int64_t worker = dice_between(&field->dice, 0, WORKERS - 1);
    while (!field->there[worker])
        worker = (worker + 1) % WORKERS;
    field->there[worker] = false;
    field->living--;
    for (size_t at = field->count; at > 0; at--)
        if (field->out[at - 1].worker == worker)
            out_drop(field, at - 1);
    dispatch_lost(field->dispatch, worker);
}

/* The oldest package of whoever has that one. */
static void report(struct field *field)
{
    size_t at = (size_t)dice_between(&field->dice, 0, (int64_t)field->count - 1), oldest = 0;
    while (field->out[oldest].worker != field->out[at].worker)
        oldest++;
    const struct package package = field->out[oldest];
    const double begun_s = field->begun_s[oldest];
    for (int64_t task = package.first; task < package.first + package.count; task++)
        field->done[task]++;
    out_drop(field, oldest);
    field->now_s += dice_scale(&field->dice, 0.01, 1) * (double)package.count;
    dispatch_done(field->dispatch, &package, begun_s, field->now_s);
}

static void take(struct field *field, const struct package *package)
{
    if (!field->there[package->worker])
        fail_msg("%s, seed %" PRIu64 ": worker %" PRId64 " gets a package and is not there",
                 field->name, field->seed, package->worker);
    assert_true(field->count < OUT_MOST && package->count > 0 && package->first >= 0);
    assert_true(package->first + package->count <= TASKS_MOST);
    field->out[field->count] = *package;
    field->begun_s[field->count++] = field->now_s;
}

/* Waits while no worker reports. */
static void wait(struct field *field)
{
    const double due_s = dispatch_due_s(field->dispatch);
    if (field->count > 0 && dice_roll(&field->dice) < 0.9)
        report(field);
    else if (field->living < WORKERS && (field->living == 0 || dice_roll(&field->dice) < 0.3))
        join(field);
    else if (field->count > 0)
        report(field);
    else if (isfinite(due_s))
        field->now_s = fmax(field->now_s, due_s);
    else if (field->living < WORKERS)
        join(field);
    else
        fail_msg("%s, seed %" PRIu64 ": waits for nobody", field->name, field->seed);
}

/* Hand out what `inner` (owned) does: the core tasks of these ranges. */
static void simulate(const char *name, uint64_t seed, struct dispatch *inner,
                     const struct task_range *ranges, size_t range_count)
{
    static struct field field;
    struct package package;
    enum dispatch_answer answer;
    field = (struct field){.name = name, .seed = seed, .dice = {seed ^ 0xabcdef}};
    field.dispatch = dispatch_new_recovery(inner, WORKERS);
    assert_non_null(field.dispatch);
    dispatch_recovery_empty(field.dispatch);
    assert_int_equal(dispatch_next(field.dispatch, 0, &package), DISPATCH_WAIT);
    while ((answer = dispatch_next(field.dispatch, field.now_s, &package)) != DISPATCH_FINISHED) {
        assert_int_not_equal(answer, DISPATCH_OUT_OF_MEMORY);
        if (answer == DISPATCH_SEND)
            take(&field, &package);
        else
            wait(&field);
        if (field.living > 0 && dice_roll(&field.dice) < 0.02)
            lose(&field);
        else if (field.living < WORKERS && dice_roll(&field.dice) < 0.05)
            join(&field);
    }
    while (field.count > 0)
        report(&field);
    for (size_t k = 0; k < range_count; k++)
        for (int64_t task = ranges[k].first; task < ranges[k].first + ranges[k].count; task++)
            if (--field.done[task] != 0)
                fail_msg("%s, seed %" PRIu64 ": core task %" PRId64 " is done %d times", name, seed,
                         task, field.done[task] + 1);
    for (int64_t task = 0; task < TASKS_MOST; task++)
        assert_int_equal(field.done[task], 0);
    dispatch_free(&field.dispatch);
}

static struct dispatch_setup setup_of(const char *rule, int64_t tasks, int ahead)
{
    return (struct dispatch_setup){.rule = rule,
                                   .tasks = tasks,
                                   .workers = WORKERS,
                                   .ahead = ahead,
                                   .overhead_s = 0.5,
                                   .deviation_s = 0.1,
                                   .least = 1,
                                   .most = tasks / WORKERS + 1};
}

static void under_a_rule(const char *rule, uint64_t seed)
{
    struct dice dice = {seed};
    struct failure failure = FAILURE_INIT;
    const int64_t tasks = (int64_t)dice_scale(&dice, 1, TASKS_MOST);
    const struct dispatch_setup setup = setup_of(rule, tasks, (int)dice_between(&dice, 1, 3));
    struct dispatch *dispatch = dispatch_new_rule(&setup, &failure);
    assert_non_null(dispatch);
    simulate(rule, seed, dispatch, &(struct task_range){0, tasks}, 1);
}

static void rules(void **state)
{
    (void)state;
    for (size_t k = 0; k < dispatch_rule_count(); k++)
        for (uint64_t seed = 1; seed <= cases_of(10); seed++)
            under_a_rule(dispatch_rule_name(k).name, seed);
}

/* What remains of a job in three ranges, as in a resumed run. */
static void ranges(void **state)
{
    static const struct task_range left[] = {{0, 100}, {200, 1}, {300, 399}};
    (void)state;
    for (uint64_t seed = 1; seed <= cases_of(100); seed++) {
        struct failure failure = FAILURE_INIT;
        const struct dispatch_setup setup = setup_of("fac", 500, 2);
        struct dispatch *dispatch = dispatch_new_rule(&setup, &failure);
        assert_non_null(dispatch);
        simulate("ranges", seed, dispatch_new_ranges(dispatch, left, COUNT_OF(left), WORKERS), left,
                 COUNT_OF(left));
    }
}

struct watched {
    struct platform platform;
    struct plan plan;
    struct replan_setup remaining;
    struct watch_setup watch;
};

static void watched_init(struct watched *watched, struct dice *dice)
{
    watched->platform = platform_cluster(dice, WORKERS);
    watched->plan =
        plan_with(&watched->platform, nearbyint(dice_scale(dice, 50, 500)), SCHEDULER_QUICK);
    watched->remaining = (struct replan_setup){.platform = &watched->platform,
                                               .most = (int64_t)plan_largest_load(&watched->plan)};
    watched->watch = (struct watch_setup){.plan = &watched->plan,
                                          .platform = &watched->platform,
                                          .workers = WORKERS,
                                          .tolerance = 0.1,
                                          .planner = {replan_remaining, &watched->remaining}};
}

static void watched_release(struct watched *watched)
{
    platform_release(&watched->platform);
    plan_release(&watched->plan);
}

/* A worker that joins is planned for at once. */
static void watched_plans(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= cases_of(5); seed++) {
        struct dice dice = {seed};
        struct watched watched;
        watched_init(&watched, &dice);
        simulate("a watched plan", seed, dispatch_new_watch(&watched.watch),
                 &(struct task_range){0, (int64_t)watched.plan.tasks}, 1);
        watched_release(&watched);
    }
}

/* Planning anew that takes longer than the whole run. */
static double slow_s;
static int planned_unasked; /* for another reason than that somebody has joined */

static double slow_clock(void)
{
    return slow_s;
}

static bool plan_slowly(const void *setup, const struct watch_remaining *remaining,
                        struct watch_answer *answer)
{
    slow_s += 1e9;
    planned_unasked += remaining->gain > 0;
    return replan_remaining(setup, remaining, answer);
}

/* Is not done for workers that look slow a second time, and still for all that join. */
static void planning_is_no_end(void **state)
{
    int most[2] = {0};
    (void)state;
    for (int timed = 0; timed < 2; timed++)
        for (uint64_t seed = 1; seed <= 5; seed++) {
            struct dice dice = {seed};
            struct watched watched;
            watched_init(&watched, &dice);
            watched.watch.planner.plan = plan_slowly;
            watched.watch.clock = timed ? slow_clock : NULL;
            planned_unasked = 0;
            simulate("a slow planner", seed, dispatch_new_watch(&watched.watch),
                     &(struct task_range){0, (int64_t)watched.plan.tasks}, 1);
            most[timed] = planned_unasked > most[timed] ? planned_unasked : most[timed];
            watched_release(&watched);
        }
    assert_true(most[0] > 1 && most[1] <= 1);
}

static void plans(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= cases_of(10); seed++) {
        struct dice dice = {seed};
        struct watched watched;
        watched_init(&watched, &dice);
        simulate("a plan", seed, dispatch_new_plan(&watched.plan),
                 &(struct task_range){0, (int64_t)watched.plan.tasks}, 1);
        watched_release(&watched);
    }
}

/* A plan for six of whom two are there: these two get all of it, in packages of the plan's kind. */
static void two_of_six(void **state)
{
    struct dice dice = {7};
    struct watched watched;
    struct package package;
    int64_t count = 0, changes;
    (void)state;
    watched_init(&watched, &dice);
    struct dispatch *watch = dispatch_new_watch(&watched.watch);
    struct dispatch *dispatch = dispatch_new_recovery(watch, WORKERS);
    dispatch_recovery_empty(dispatch);
    dispatch_joined(dispatch, 1, 1, 0);
    dispatch_joined(dispatch, 4, 4, 0);
    for (double now_s = 0; dispatch_next(dispatch, now_s, &package) != DISPATCH_WAIT;
         now_s += 1e-6) {
        assert_true(package.worker == 1 || package.worker == 4);
        count += package.count;
    }
    assert_true(count > 0 && count < (int64_t)watched.plan.tasks);
    assert_true(dispatch_watch_changes(watch, &changes)[0].adopted);
    dispatch_free(&dispatch);
    watched_release(&watched);
}

/* A worker whose costs are not known: it gets two packages of the least size, and nothing more
 * before both are reported; then what remains is planned by what they took, which is four times as
 * long as the platform's costs. */
static void unknown(void **state)
{
    struct dice dice = {7};
    struct watched watched;
    struct package package, sent[2];
    int count = 0, changes_before = 0;
    int64_t changes, least;
    double now_s = 0;
    (void)state;
    watched_init(&watched, &dice);
    struct dispatch *watch = dispatch_new_watch(&watched.watch);
    struct dispatch *dispatch = dispatch_new_recovery(watch, WORKERS);
    dispatch_recovery_empty(dispatch);
    least = watched.platform.windows[0].least;
    dispatch_joined(dispatch, 2, DISPATCH_UNKNOWN, now_s);
    while (dispatch_next(dispatch, now_s, &package) == DISPATCH_SEND && count < 2)
        sent[count++] = package;
    assert_int_equal(count, 2);
    assert_int_equal(dispatch_next(dispatch, now_s, &package), DISPATCH_WAIT);
    dispatch_watch_changes(watch, &changes);
    changes_before = (int)changes;
    for (int k = 0; k < 2; k++) {
        const struct platform_window *window = platform_nearest(&watched.platform, (double)least);
        const struct cost work = platform_class_work(platform_worker(window, 2));
        const double took_s = 4 * cost_of(work, (double)sent[k].count);
        assert_int_equal(sent[k].worker, 2);
        assert_int_equal(sent[k].count, least);
        assert_int_equal(dispatch_next(dispatch, now_s + 1e-9, &package), DISPATCH_WAIT);
        dispatch_done(dispatch, &sent[k], now_s, now_s + took_s);
        now_s += took_s;
    }
    assert_int_equal(dispatch_next(dispatch, now_s, &package), DISPATCH_SEND);
    const struct watch_change *change = dispatch_watch_changes(watch, &changes) + changes - 1;
    assert_true(changes > changes_before);
    assert_true(change->adopted);
    assert_int_equal(change->worker, 2);
    assert_true(fabs(change->measured - 4) < 1e-9);
    dispatch_free(&dispatch);
    watched_release(&watched);
}

/* One that is like another takes that one's costs: the plan of what remains reckons with them. */
static void like_another(void **state)
{
    struct dice dice = {7};
    struct watched watched;
    struct package package;
    int64_t changes;
    (void)state;
    watched_init(&watched, &dice);
    struct dispatch *watch = dispatch_new_watch(&watched.watch);
    struct dispatch *dispatch = dispatch_new_recovery(watch, WORKERS);
    const double tasks = watched.plan.tasks / (double)plan_packages(&watched.plan);
    const struct platform_window *window = platform_nearest(&watched.platform, tasks);
    double own_s = 0, other_s = 0;
    int64_t other = 0;
    for (int64_t k = 1; k < WORKERS; k++) {
        own_s = cost_of(platform_class_work(platform_worker(window, 0)), tasks);
        other_s = cost_of(platform_class_work(platform_worker(window, k)), tasks);
        other = other_s > own_s || other_s < own_s ? k : other;
    }
    assert_true(other > 0); /* workers are unlike with this seed */
    other_s = cost_of(platform_class_work(platform_worker(window, other)), tasks);
    dispatch_recovery_empty(dispatch);
    dispatch_joined(dispatch, 0, other, 0);
    assert_int_equal(dispatch_next(dispatch, 0, &package), DISPATCH_SEND);
    assert_true(fabs(dispatch_watch_changes(watch, &changes)->measured - other_s / own_s) < 1e-9);
    dispatch_free(&dispatch);
    watched_release(&watched);
}

/* Packages of one size only, as of one core task, do not take what rounding has left over: whoever
 * has joined gets its share all the same. */
static void one_size(void **state)
{
    static const struct cost master = {1e-4, 1e-6}, link = {0, 0}, work = {0, 0.1};
    struct platform platform = platform_of_equals(WORKERS, 1, 300, master, link, work);
    const struct replan_setup setup = {.platform = &platform, .most = 1};
    (void)state;
    for (int64_t tasks = 60; tasks < 90; tasks++) {
        struct watch_state states[WORKERS];
        for (int64_t k = 0; k < WORKERS; k++)
            states[k] =
                (struct watch_state){.factor = 1, .ready_s = k < 2 ? 0.1 : 0, .used = k < 2};
        const struct watch_remaining remaining = {
            .tasks = tasks, .workers = WORKERS, .states = states};
        struct watch_answer answer = {.end_s = 0};
        assert_true(replan_remaining(&setup, &remaining, &answer));
        struct plan_cursor cursor = PLAN_CURSOR(&answer.plan);
        double sums[WORKERS] = {0}, sum = 0;
        while (plan_cursor_next(&cursor)) {
            assert_true(cursor.load == 1);
            sums[answer.plan.workers[cursor.slot]]++;
            sum++;
        }
        assert_true(sum == (double)tasks);
        for (int64_t k = 0; k < WORKERS; k++)
            if (fabs(sums[k] - sum / WORKERS) > 2)
                fail_msg("of %" PRId64 " core tasks worker %" PRId64 " gets %g", tasks, k, sums[k]);
        plan_release(&answer.plan);
    }
    platform_release(&platform);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(unknown),
        cmocka_unit_test(like_another),
        cmocka_unit_test(rules),
        cmocka_unit_test(ranges),
        cmocka_unit_test(plans),
        cmocka_unit_test(watched_plans),
        cmocka_unit_test(two_of_six),
        cmocka_unit_test(one_size),
        cmocka_unit_test(planning_is_no_end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* A job that is measured while it is worked on: every core task once in any case, probes that cost
 * next to nothing, and regions that are assigned by their worth. */
#include <math.h>
#include <stdio.h>

#include "planner/base/text.h"
#include "planner/dispatch/survey.h"
#include "planner/dispatch/watch.h"
#include "planner/dispatch/watch_parts.h"
#include "planner/dispatch/weighted.h"
#include "planner/replan/replan.h"
#include "planner/replan/watching.h"
#include "planner/schedulers/scheduler.h"
#include "planner/simulate/scenario.h"
#include "planner/simulate/star.h"
#include "tests/cases.h"
#include "tests/checks.h"
#include "tests/planner/plans_simulated.h"
#include "tests/planner/platforms.h"

enum { TASKS_MOST = 20000, WORKERS_MOST = 40 };

/* A job on equal workers: what a package costs, and each of its tasks. */
struct trial {
    int64_t tasks, workers;
    double latency_s;
    double seconds[TASKS_MOST]; /* by task */
    int handed[TASKS_MOST];
    bool begun[WORKERS_MOST];
    int64_t packages;
    double start_s;                /* that every worker's first package takes more */
    size_t regions;                /* likewise */
    struct strata_total total;     /* likewise */
    struct survey_timings timings; /* when what remained was planned */
    int planned;
};

/* What the trial's package takes. */
static void price(void *pricer, const struct package *package, struct star_cost *cost)
{
    struct trial *trial = pricer;
    double sum = trial->latency_s;
    for (int64_t k = package->first; k < package->first + package->count; k++) {
        sum += trial->seconds[k];
        trial->handed[k]++;
    }
    trial->packages++;
    if (!trial->begun[package->worker])
        sum += trial->start_s;
    trial->begun[package->worker] = true;
    cost->compute_s = sum;
}

/* Nobody plans: factoring assigns what remains. */
static struct dispatch *look(void *self, const struct survey_remaining *remaining)
{
    struct trial *trial = self;
    trial->timings = *remaining->timings;
    trial->regions = remaining->regions;
    trial->total = remaining->total;
    trial->planned++;
    return NULL;
}

/* Simulated: the makespan. The lost worker (-1: none) is so when a share of the work would be done
 * by one alone. */
static double makespan_with(struct trial *trial, uint64_t seed, int64_t lost_worker, double share)
{
    struct platform platform =
        platform_of_equals(trial->workers, 1, trial->tasks, (struct cost){1e-6, 1e-9},
                           (struct cost){0, 0}, (struct cost){trial->latency_s, 1e-3});
    struct scenario scenario = SCENARIO_INIT;
    struct simulation simulation;
    struct failure failure = FAILURE_INIT;
    const struct survey_setup setup = {.tasks = trial->tasks,
                                       .workers = trial->workers,
                                       .most = trial->tasks,
                                       .seed = seed,
                                       .planner = {.plan = look, .self = trial}};
    struct dispatch *dispatch = dispatch_new_survey(&setup);
    assert_non_null(dispatch);
    if (lost_worker >= 0)
        dispatch = dispatch_new_recovery(dispatch, trial->workers);
    assert_non_null(dispatch);
    const struct variation variation = {.price = price, .self = trial};
    scenario.variation = &variation;
    scenario.lost_worker = lost_worker;
    scenario.lost_s = share * (double)trial->tasks * 1e-3;
    memset(trial->handed, 0, sizeof trial->handed);
    memset(trial->begun, 0, sizeof trial->begun);
    trial->packages = trial->planned = 0;
    if (!simulate_scenario(&platform, dispatch, &scenario, NULL, &simulation, &failure))
        fail_msg("%s", failure.text);
    dispatch_free(&dispatch);
    platform_release(&platform);
    return simulation.makespan_s;
}

static double makespan_of(struct trial *trial, uint64_t seed)
{
    return makespan_with(trial, seed, -1, 0);
}

static double sum_of(const struct trial *trial)
{
    double sum = 0;
    for (int64_t k = 0; k < trial->tasks; k++)
        sum += trial->seconds[k];
    return sum;
}

static struct trial *trial_new(int64_t tasks, int64_t workers, double latency_s, double each_s)
{
    struct trial *trial = calloc(1, sizeof *trial);
    assert_non_null(trial);
    *trial = (struct trial){.tasks = tasks, .workers = workers, .latency_s = latency_s};
    for (int64_t k = 0; k < tasks; k++)
        trial->seconds[k] = each_s;
    return trial;
}

static void each_task_is_done_once(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= cases_of(120); seed++) {
        struct dice dice = dice_of(seed);
        const int64_t workers = dice_between(&dice, 1, 40);
        struct trial *trial = trial_new((int64_t)dice_scale(&dice, 1, 5000), workers,
                                        dice_scale(&dice, 1e-6, 1), 1e-3);
        for (int64_t k = 0; k < trial->tasks; k++)
            trial->seconds[k] = dice_scale(&dice, 1e-4, 1e-2);
        makespan_of(trial, seed);
        for (int64_t k = 0; k < trial->tasks; k++)
            if (trial->handed[k] != 1)
                fail_msg("seed %d: task %d was handed out %d times", (int)seed, (int)k,
                         trial->handed[k]);
        free(trial);
    }
}

static void each_task_is_done_though_a_worker_is_lost(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= cases_of(100); seed++) {
        struct dice dice = dice_of(seed);
        const int64_t workers = dice_between(&dice, 2, 12);
        struct trial *trial = trial_new((int64_t)dice_scale(&dice, 1, 3000), workers, 1e-4, 1e-3);
        makespan_with(trial, seed, dice_between(&dice, 0, workers - 1),
                      dice_scale(&dice, 1e-3, 0.5));
        for (int64_t k = 0; k < trial->tasks; k++)
            if (trial->handed[k] < 1)
                fail_msg("seed %d: task %d was never handed out", (int)seed, (int)k);
        free(trial);
    }
}

/* 3,000 lines of 20 ms, eight workers, 2 ms a package: 7.5 s if nothing else took time. */
static void probing_costs_next_to_nothing(void **state)
{
    (void)state;
    struct trial *trial = trial_new(3000, 8, 2e-3, 0.02);
    const double makespan_s = makespan_of(trial, 1);
    printf("3000 equal tasks: %.3f of what they take\n", makespan_s * 8 / sum_of(trial));
    assert_true(makespan_s * 8 < 1.02 * sum_of(trial));
    assert_int_equal(trial->planned, 1);
    free(trial);
}

/* A program that loads for 4 s in every package is not started for single lines again and again. */
static void long_latencies_end_the_survey(void **state)
{
    (void)state;
    struct trial *trial = trial_new(1000, 2, 4, 5e-3);
    makespan_of(trial, 1);
    const struct cost cost = survey_timings_cost(&trial->timings);
    assert_int_equal(trial->timings.size_count, 2);
    assert_true(fabs(cost.latency_s - 4) < 0.01 && fabs(cost.s_per_task - 5e-3) < 1e-6);
    free(trial);
}

/* A program that loads for 2.5 s once a worker: no latency of packages, and no end of probing. */
static void starts_are_no_latencies(void **state)
{
    (void)state;
    struct trial *trial = trial_new(2000, 2, 1e-4, 7e-3);
    trial->start_s = 2.5;
    const double makespan_s = makespan_of(trial, 1);
    const struct cost cost = survey_timings_cost(&trial->timings);
    assert_true(cost.latency_s < 2e-4 && fabs(cost.s_per_task - 7e-3) < 1e-4);
    assert_true(survey_timings_known(&trial->timings) >= 3);
    assert_true(makespan_s < 1.02 * (2.5 + sum_of(trial) / 2));
    free(trial);
}

/* What remains when each worker has a single task and a package behind it, which take 0.1 s each: a
 * watched plan, in which nobody is late. */
struct watched {
    struct platform platform;
    struct plan plan;
    struct replan_setup remaining;
    struct watch_setup watch;
    const struct dispatch *dispatch; /* of the survey that owns it */
};

static struct dispatch *plan_watched(void *self, const struct survey_remaining *remaining)
{
    struct watched *watched = self;
    watched->plan = plan_with(&watched->platform, (double)remaining->tasks, SCHEDULER_QUICK);
    watched->remaining =
        (struct replan_setup){.platform = &watched->platform, .most = remaining->tasks};
    watched->watch = (struct watch_setup){.plan = &watched->plan,
                                          .platform = &watched->platform,
                                          .workers = watched->platform.worker_count,
                                          .tolerance = 0.1,
                                          .planner = {replan_remaining, &watched->remaining}};
    struct dispatch *dispatch = dispatch_new_watch(&watched->watch);
    watched->dispatch = dispatch;
    return dispatch;
}

static void equal_price(void *pricer, const struct package *package, struct star_cost *cost)
{
    (void)pricer;
    cost->compute_s = 0.1 * (double)package->count;
}

static void probes_make_nobody_late(void **state)
{
    (void)state;
    const struct cost none = {0, 0};
    struct watched watched = {.platform = platform_of_equals(2, 1, 1000, (struct cost){0, 0.01},
                                                             none, (struct cost){0, 0.1})};
    struct scenario scenario = SCENARIO_INIT;
    struct simulation simulation;
    struct failure failure = FAILURE_INIT;
    const struct survey_setup setup = {.tasks = 60,
                                       .workers = 2,
                                       .most = 30,
                                       .seed = 1,
                                       .planner = {.plan = plan_watched, .self = &watched}};
    struct dispatch *dispatch = dispatch_new_survey(&setup);
    int64_t changes = 0;
    assert_non_null(dispatch);
    const struct variation variation = {.price = equal_price};
    scenario.variation = &variation;
    if (!simulate_scenario(&watched.platform, dispatch, &scenario, NULL, &simulation, &failure))
        fail_msg("%s", failure.text);
    dispatch_watch_changes(watched.dispatch, &changes);
    printf("60 tasks of 0.1 s on 2 workers: %.3f s, %d changes of plan\n", simulation.makespan_s,
           (int)changes);
    assert_int_equal(changes, 0);
    assert_true(simulation.makespan_s < 3.5);
    dispatch_free(&dispatch);
    plan_release(&watched.plan);
    platform_release(&watched.platform);
}

/* By hand, on a clock that goes on while what remains is planned. */
struct driven {
    struct watched watched;
    double clock_s, pause_s;
    struct package out[64]; /* handed out, with when they begin and end */
    double start_s[64], end_s[64], free_s[2];
    int out_count;
};

static struct dispatch *plan_slowly(void *self, const struct survey_remaining *remaining)
{
    struct driven *driven = self;
    driven->clock_s += driven->pause_s;
    return plan_watched(&driven->watched, remaining);
}

/* Report what has ended by now; returns when the next one will have. */
static double driven_report(struct driven *driven, struct dispatch *dispatch)
{
    double next_s = HUGE_VAL;
    for (int k = 0; k < driven->out_count;) {
        if (driven->end_s[k] > driven->clock_s) {
            next_s = fmin(next_s, driven->end_s[k++]);
            continue;
        }
        dispatch_done(dispatch, &driven->out[k], driven->start_s[k], driven->end_s[k]);
        driven->out_count--;
        for (int i = k; i < driven->out_count; i++) {
            driven->out[i] = driven->out[i + 1];
            driven->start_s[i] = driven->start_s[i + 1];
            driven->end_s[i] = driven->end_s[i + 1];
        }
    }
    return next_s;
}

static void driven_send(struct driven *driven, const struct package *package, double s_per_task)
{
    const int at = driven->out_count++;
    double *free_s = &driven->free_s[package->worker];
    assert_true(at < 64);
    driven->out[at] = *package;
    driven->start_s[at] = fmax(*free_s, driven->clock_s);
    *free_s = driven->end_s[at] = driven->start_s[at] + s_per_task * (double)package->count;
}

/* Planning takes as long as many tasks: what it sends afterwards is not late for that. */
static void our_own_pause_makes_nobody_late(void **state)
{
    (void)state;
    const struct cost none = {0, 0};
    const double s_per_task = 0.005;
    struct driven driven = {.pause_s = 0.1};
    driven.watched.platform =
        platform_of_equals(2, 1, 1000, (struct cost){0, 1e-6}, none, (struct cost){0, s_per_task});
    const struct survey_setup setup = {.tasks = 600,
                                       .workers = 2,
                                       .most = 300,
                                       .seed = 1,
                                       .planner = {.plan = plan_slowly, .self = &driven}};
    struct dispatch *dispatch = dispatch_new_survey(&setup);
    struct package package;
    int64_t changes = 0;
    enum dispatch_answer answer = DISPATCH_WAIT;
    assert_non_null(dispatch);
    while (answer != DISPATCH_FINISHED) {
        const double next_s = driven_report(&driven, dispatch);
        answer = dispatch_next(dispatch, driven.clock_s, &package);
        if (answer == DISPATCH_SEND)
            driven_send(&driven, &package, s_per_task);
        else if (answer != DISPATCH_FINISHED)
            driven.clock_s = fmax(driven.clock_s, fmin(next_s, dispatch_due_s(dispatch)));
        assert_true(driven.clock_s < 10);
    }
    dispatch_watch_changes(driven.watched.dispatch, &changes);
    printf("planning for 0.1 s, tasks of 5 ms: %d changes of plan\n", (int)changes);
    assert_int_equal(changes, 0);
    dispatch_free(&dispatch);
    plan_release(&driven.watched.plan);
    platform_release(&driven.watched.platform);
}

/* A watch that was restless fills no terminal. */
static void many_changes_are_counted(void **state)
{
    (void)state;
    struct watch_change changes[40];
    for (int k = 0; k < 40; k++)
        changes[k] = (struct watch_change){.now_s = k, .adopted = k % 2 == 0};
    struct dispatch_watch watch = {.changes = changes, .change_count = 40};
    struct text text = TEXT_INIT;
    watching_tell(&watch.base, 1, 0, &text);
    int lines = 0;
    for (const char *at = text.bytes; (at = strchr(at, '\n')); at++)
        lines++;
    assert_int_equal(lines, 6);
    assert_non_null(strstr(text.bytes, "planned anew at 9.000 s, "));
    assert_non_null(strstr(text.bytes, "planned anew 15 times more, the last time at 39.00 s\n"));
    text_release(&text);
}

/* Sorted input: the last tenth takes twenty times as long. */
static void heavy_tasks_that_stand_together_are_seen(void **state)
{
    (void)state;
    double worst = 0;
    for (uint64_t seed = 1; seed <= 20; seed++) {
        struct trial *trial = trial_new(4000, 4, 1e-3, 0.02);
        for (int64_t k = 3600; k < 4000; k++)
            trial->seconds[k] = 0.4;
        const double makespan_s = makespan_of(trial, seed);
        assert_true(trial->regions > 1);
        worst = fmax(worst, makespan_s * 4 / sum_of(trial));
        free(trial);
    }
    printf("a heavy end: at worst %.3f of what the tasks take\n", worst);
    assert_true(worst < 1.1);
}

/* Few tasks and few workers, so that the first single tasks may all be heavy ones. */
static void heavy_tasks_are_no_latencies(void **state)
{
    (void)state;
    int regional = 0;
    for (uint64_t seed = 1; seed <= 50; seed++) {
        struct dice dice = dice_of(seed);
        struct trial *trial = trial_new(400, dice_between(&dice, 1, 4), 1e-3, 0.02);
        for (int64_t k = 360; k < 400; k++)
            trial->seconds[k] = 0.4;
        makespan_of(trial, seed);
        int timed = 0;
        for (int k = 0; k < trial->timings.stratum_count; k++)
            timed += !isnan(trial->timings.strata[k].seconds);
        if (timed < 9 * trial->timings.stratum_count / 10 - trial->workers)
            fail_msg("seed %d: %d of %d strata were timed", (int)seed, timed,
                     trial->timings.stratum_count);
        regional += trial->regions > 1;
        free(trial);
    }
    printf("of 50 small jobs with a heavy end %d were seen to have one\n", regional);
    assert_true(regional >= 30);
}

/* Is what the trial's tasks take, each with its own latency as probes have it, in the interval of
 * 90 % that its survey gives? *width: of that, relative. */
static bool total_is_inside(const struct trial *trial, double *width)
{
    const double tasks = (double)trial->tasks;
    const double singly_s = sum_of(trial) + trial->latency_s * tasks;
    const double ratio = singly_s / (trial->total.mean_s * tasks);
    const double error = STRATA_NORMAL_95 * trial->total.error;
    *width = 2 * error + trial->total.unseen;
    return ratio >= 1 - error && ratio <= 1 + error + trial->total.unseen;
}

enum cost_shape { SHAPE_END, SHAPE_BLOCK, SHAPE_RAMP, SHAPE_SCATTERED, SHAPES };

static void shape_draw(struct trial *trial, enum cost_shape shape, struct dice *dice)
{
    const int64_t tasks = trial->tasks;
    const int64_t length = (int64_t)((double)tasks * dice_scale(dice, 0.02, 0.2));
    const int64_t first =
        shape == SHAPE_END ? tasks - length : dice_between(dice, 0, tasks - length);
    for (int64_t k = 0; k < tasks; k++) {
        double factor = k >= first && k < first + length ? 20 : 1;
        if (shape == SHAPE_RAMP)
            factor = 0.1 + (double)k / (double)tasks;
        else if (shape == SHAPE_SCATTERED)
            factor = dice_scale(dice, 0.1, 1) * dice_scale(dice, 1, 10);
        trial->seconds[k] *= factor;
    }
}

static void totals_lie_in_their_intervals(void **state)
{
    (void)state;
    const uint64_t seeds = cases_of(120);
    uint64_t inside = 0;
    for (uint64_t seed = 1; seed <= seeds; seed++) {
        struct dice dice = dice_of(seed);
        const int64_t tasks = (int64_t)dice_scale(&dice, 800, 8000);
        struct trial *trial = trial_new(tasks, dice_between(&dice, 1, 8), 1e-3, 0.02);
        double width;
        shape_draw(trial, (enum cost_shape)(seed % SHAPES), &dice);
        makespan_of(trial, seed);
        inside += total_is_inside(trial, &width);
        free(trial);
    }
    printf("of %d totals %d lie in their interval\n", (int)seeds, (int)inside);
    assert_true((double)inside >= 0.85 * (double)seeds);
}

/* The last 40 of 400 lines take twenty times as long: strata are halved where these begin. */
static void a_heavy_end_is_told_from_few_tasks(void **state)
{
    (void)state;
    enum { SEEDS = 100 };
    int inside = 0;
    double widths = 0;
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        struct trial *trial = trial_new(400, 2, 1e-3, 0.02);
        double width;
        for (int64_t k = 360; k < 400; k++)
            trial->seconds[k] = 0.4;
        makespan_of(trial, seed);
        inside += total_is_inside(trial, &width);
        widths += width;
        free(trial);
    }
    printf("a heavy end of 400 tasks: %d of %d inside, %.0f %% wide in the mean\n", inside, SEEDS,
           100 * widths / SEEDS);
    assert_true(inside >= 85);
    assert_true(widths / SEEDS < 0.5);
}

static void independent_tasks_are_not_regions(void **state)
{
    (void)state;
    int regional = 0;
    for (uint64_t seed = 1; seed <= 100; seed++) {
        struct dice dice = dice_of(seed);
        struct trial *trial = trial_new(3000, 4, 1e-3, 0.02);
        for (int64_t k = 0; k < trial->tasks; k++)
            trial->seconds[k] = dice_scale(&dice, 2e-3, 2e-1);
        makespan_of(trial, seed);
        regional += trial->regions > 1;
        free(trial);
    }
    printf("of 100 jobs without regions %d were taken to have some\n", regional);
    assert_true(regional <= 3);
}

/* ---- weights ------------------------------------------------------------------------------- */

static void units_are_assigned_by_worth(void **state)
{
    (void)state;
    static const double weights[] = {1, 1, 1, 1, 1, 1, 4, 4, 4, 2, 2, 2}; /* 24 in all */
    struct work work;
    double loads[] = {3, 3, 3, 3};
    int64_t workers[] = {0, 1, 2, 3};
    struct plan_round round = {1, loads};
    const struct plan plan = {
        .tasks = 12, .workers = workers, .worker_count = 4, .rounds = &round, .round_count = 1};
    static const int64_t firsts[] = {0, 6, 7, 9}, counts[] = {6, 1, 2, 3};
    assert_true(work_weigh(&work, weights, 12));
    struct dispatch *dispatch =
        dispatch_new_weighted(dispatch_new_plan(&plan), &work, work.tasks, 0);
    struct package package;
    assert_non_null(dispatch);
    for (int k = 0; k < 4; k++) {
        assert_int_equal(dispatch_next(dispatch, 0, &package), DISPATCH_SEND);
        assert_int_equal(package.index, k);
        assert_int_equal(package.first, firsts[k]);
        assert_int_equal(package.count, counts[k]);
    }
    assert_int_equal(dispatch_next(dispatch, 0, &package), DISPATCH_FINISHED);
    dispatch_free(&dispatch);
}

/* Of light core tasks one unit holds many: who asks for one gets these, and all of them in the end.
 */
static void light_tasks_are_cut_from_units(void **state)
{
    static const double weights[] = {6, 6, 6, 6, 0.01, 0.01, 0.01, 0, 0, 0.01};
    enum { TASKS = sizeof weights / sizeof *weights };
    const struct dispatch_setup rule = {
        .rule = "ss", .tasks = TASKS, .workers = 1, .ahead = 1, .least = 1, .most = 1};
    int64_t left = TASKS;
    struct work work;
    struct failure failure = FAILURE_INIT;
    (void)state;
    assert_true(work_weigh(&work, weights, TASKS));
    struct dispatch *dispatch =
        dispatch_new_weighted(dispatch_new_rule(&rule, &failure), &work, TASKS, 0);
    assert_non_null(dispatch);
    while (left > 0) {
        struct dispatch_given given = {.items = NULL};
        assert_int_equal(dispatch_left(dispatch), left);
        assert_true(dispatch_cut(dispatch, 1, &given));
        assert_in_range(given.tasks, 1, left);
        assert_int_equal(given.items[0].range.first, left - given.tasks);
        left -= given.tasks;
        dispatch_given_release(&given);
    }
    assert_int_equal(dispatch_left(dispatch), 0);
    dispatch_free(&dispatch);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_task_is_done_once),
        cmocka_unit_test(each_task_is_done_though_a_worker_is_lost),
        cmocka_unit_test(probing_costs_next_to_nothing),
        cmocka_unit_test(long_latencies_end_the_survey),
        cmocka_unit_test(starts_are_no_latencies),
        cmocka_unit_test(probes_make_nobody_late),
        cmocka_unit_test(our_own_pause_makes_nobody_late),
        cmocka_unit_test(many_changes_are_counted),
        cmocka_unit_test(heavy_tasks_that_stand_together_are_seen),
        cmocka_unit_test(heavy_tasks_are_no_latencies),
        cmocka_unit_test(totals_lie_in_their_intervals),
        cmocka_unit_test(a_heavy_end_is_told_from_few_tasks),
        cmocka_unit_test(independent_tasks_are_not_regions),
        cmocka_unit_test(units_are_assigned_by_worth),
        cmocka_unit_test(light_tasks_are_cut_from_units),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

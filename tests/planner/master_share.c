/* A master that computes core tasks itself: how many, when, and what is predicted. */
#include "planner/studies/master_share.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "planner/dispatch/dispatch.h"
#include "planner/files/plan_json.h"
#include "planner/files/profile_json.h"
#include "planner/model/plan_cursor.h"
#include "planner/model/plan_rest_master.h"
#include "planner/simulate/scenario.h"
#include "planner/studies/interval.h"
#include "tests/cases.h"
#include "tests/checks.h"
#include "tests/planner/parsed.h"
#include "tests/planner/samples.h"

/* ---- one worker, e + s = 0.1x, r + w = x, w_0 = x -------------------------------------------- */

static struct profile one_worker(int64_t greatest)
{
    static const char form[] =
        "{\"schema\": \"scow-profile-1\", \"kernel\": \"sleep\", \"settings\": [{\"master\": "
        "{\"compute\": {\"latency_s\": 0, \"s_per_task\": 1}}, \"windows\": [{\"tasks\": [1, "
        "%" PRId64 "], \"envelope\": {\"latency_s\": 0, \"s_per_task\": 0.06}, \"send\": "
        "{\"latency_s\": 0, \"s_per_task\": 0.04}, \"workers\": [{\"receive\": {\"latency_s\": 0, "
        "\"s_per_task\": 0}, \"compute\": {\"latency_s\": 0, \"s_per_task\": 1}}]}]}]}";
    return profile_read(form, greatest);
}

static struct plan plan_of(const struct profile *profile, const char *scheduler, double tasks,
                           bool computes)
{
    const struct planning planning = {.profile = profile,
                                      .setting = &profile->settings[0],
                                      .scheduler = scheduler,
                                      .tasks = tasks,
                                      .master_computes = computes};
    struct failure failure = FAILURE_INIT;
    struct plan plan;
    if (!planning_make(&planning, &plan, &failure))
        fail_msg("%s", failure.text);
    return plan;
}

static bool linear_ends(void *self, double tasks, struct share_ends *ends, struct failure *failure)
{
    (void)self;
    (void)failure;
    *ends = (struct share_ends){.workers_s = tasks, .master_s = 0.1 * tasks};
    return true;
}

static void both_ends_meet(void **state)
{
    struct share_problem problem = {.tasks = 100, .task_s = 1, .ends = linear_ends};
    struct failure failure = FAILURE_INIT;
    double share = 0;
    (void)state;
    assert_true(master_share_find(&problem, &share, &failure));
    assert_true(fabs(share - 90 / 1.9) < 1e-6);
    assert_true(fabs((100 - share) - 52.632) < 5e-4);
    problem.whole = true;
    assert_true(master_share_find(&problem, &share, &failure));
    assert_true(share == 47);
}

/* The first package delays the worker by 0.1 s. */
static void whole_tasks_in_packages_of_one(void **state)
{
    struct profile profile = one_worker(1);
    struct plan plan = plan_of(&profile, "auto", 100, true);
    (void)state;
    assert_true(plan.tasks == 100 && plan.own.tasks == 47 && plan.own.task_s == 1);
    assert_int_equal(plan_packages(&plan), 53);
    assert_true(fabs(plan.predicted.makespan_s - 53.1) < 1e-9);
    assert_true(plan.predicted.lower_bound_s <= plan.predicted.makespan_s);
    assert_true(fabs(plan.predicted.lower_bound_s - 50.1) < 1e-9);
    plan_release(&plan);
    profile_release(&profile);
}

static bool refused_ends(void *self, double tasks, struct share_ends *ends, struct failure *failure)
{
    const double least = *(const double *)self;
    *ends = (struct share_ends){.workers_s = tasks, .master_s = 0};
    return tasks >= least || failure_set(failure, FAILURE_INFEASIBLE, "too few");
}

static void too_few_for_the_workers_are_not_left_to_them(void **state)
{
    double least = 80, share = 0;
    const struct share_problem problem = {
        .tasks = 100, .task_s = 1, .whole = true, .ends = refused_ends, .self = &least};
    struct failure failure = FAILURE_INIT;
    (void)state;
    assert_true(master_share_find(&problem, &share, &failure));
    assert_true(share == 20);
}

static void refused_without_its_cost(void **state)
{
    struct profile profile = one_worker(1);
    struct planning planning = {.profile = &profile,
                                .setting = &profile.settings[0],
                                .scheduler = "auto",
                                .tasks = 100,
                                .master_computes = true};
    struct failure missing = FAILURE_INIT;
    struct plan plan;
    (void)state;
    profile.settings[0].master = (struct measured_cost){.cost = {0, 0}};
    assert_false(planning_make(&planning, &plan, &missing));
    assert_int_equal(missing.code, FAILURE_MISMATCH);
    profile_release(&profile);
}

/* A worker that takes a second a core task returns two packages of one, which the master takes half
 * a second each to write; three of its own take a second each. Results are there at 1 and 2; the
 * master computes until 1, writes, computes until 2.5, writes, and computes until 4. */
static void results_are_written_between_core_tasks(void **state)
{
    double loads[] = {1};
    int64_t workers[] = {0};
    struct plan_round rounds[] = {{2, loads}};
    const struct plan plan = {.tasks = 5,
                              .own = {3, 1},
                              .workers = workers,
                              .worker_count = 1,
                              .rounds = rounds,
                              .round_count = 1};
    struct platform_class class = {.count = 1, .compute = {0, 1}};
    struct platform_window window = {
        .least = 1, .greatest = 1, .collect = {0.5, 0}, .classes = &class, .class_count = 1};
    const struct platform platform = {.windows = &window,
                                      .window_count = 1,
                                      .worker_count = 1,
                                      .buffers = PLATFORM_BUFFERS,
                                      .results = RESULTS_PACKAGE,
                                      .operating = OPERATING_SINGLE_PORT};
    struct simulation simulation;
    struct failure failure = FAILURE_INIT;
    (void)state;
    assert_true(simulate_plan(&platform, &plan, NULL, &simulation, &failure));
    assert_true(fabs(simulation.makespan_s - 4) < 1e-12);
    assert_true(fabs(simulation.own_s - 3) < 1e-12);
}

/* ---- random platforms ------------------------------------------------------------------------ */

/* A profile whose master takes about as long for a core task as its workers. */
static void sample(struct dice *dice, struct profile *profile)
{
    sample_profile(dice, 6, 1, profile);
    sample_starts(dice, profile);
    struct profile_setting *setting = &profile->settings[0];
    const struct cost compute = setting->windows[0].workers[0].compute.cost;
    setting->master.cost = (struct cost){compute.latency_s * dice_unit(dice),
                                         compute.s_per_task * dice_scale(dice, 0.1, 10) + 1e-9};
}

/* In every third job results return, and every fourth one has another operating model. */
static void sample_returns(struct dice *dice, struct profile *profile, uint64_t seed)
{
    if (seed % 3 == 0)
        sample_results(dice, profile);
    if (seed % 4 == 0)
        profile->settings[0].operating = (enum operating)dice_whole(dice, 0, OPERATING_COUNT - 1);
}

/* Whose master does something else: workers get its share behind what they had, in packages that
 * are no larger. */
static void assert_rested(const struct plan *plan, uint64_t seed)
{
    struct plan rested;
    struct plan_cursor had = PLAN_CURSOR(plan), has = {0};
    double largest = 1, sum = 0;
    assert_true(plan_copy(&rested, plan) && plan_rest_master(&rested));
    has = (struct plan_cursor)PLAN_CURSOR(&rested);
    assert_true(rested.own.tasks == 0 && rested.tasks == plan->tasks);
    while (plan_cursor_next(&had)) {
        assert_true(plan_cursor_next(&has));
        assert_true(has.slot == had.slot && has.load == had.load);
        largest = fmax(largest, had.load);
        sum += had.load;
    }
    while (plan_cursor_next(&has)) {
        assert_true(has.load >= 1 && has.load <= largest);
        sum += has.load;
    }
    if (sum != plan->tasks)
        fail_msg("seed %" PRIu64 ": workers get %g of %g core tasks", seed, sum, plan->tasks);
    plan_release(&rested);
}

static void nothing_is_slower_and_the_bound_holds(void **state)
{
    const uint64_t seeds = cases_of(45);
    uint64_t shared = 0;
    (void)state;
    for (uint64_t seed = 1; seed <= seeds; seed++) {
        struct dice dice = {seed};
        struct profile profile;
        sample(&dice, &profile);
        sample_returns(&dice, &profile, seed);
        /* Where results return, or by another model, every candidate is simulated package by
         * package.
         */
        const bool simulated = seed % 3 == 0 || seed % 4 == 0;
        const double tasks = (double)dice_whole(&dice, 1, simulated ? 300 : 3000);
        struct plan plain = plan_of(&profile, "scow-mp", tasks, false);
        struct plan plan = plan_of(&profile, "scow-mp", tasks, true);
        double sum = plan.own.tasks;
        for (size_t r = 0; r < plan.round_count; r++)
            for (int64_t slot = 0; slot < plan.worker_count; slot++)
                sum += (double)plan.rounds[r].repeat * plan.rounds[r].loads[slot];
        if (sum != tasks || plan.tasks != tasks)
            fail_msg("seed %" PRIu64 ": %g of %g core tasks", seed, sum, tasks);
        if (plan.predicted.makespan_s > plain.predicted.makespan_s)
            fail_msg("seed %" PRIu64 ": %.17g, without the master %.17g", seed,
                     plan.predicted.makespan_s, plain.predicted.makespan_s);
        if (plan.predicted.lower_bound_s > plan.predicted.makespan_s * (1 + 1e-9))
            fail_msg("seed %" PRIu64 ": bound %.17g above %.17g", seed,
                     plan.predicted.lower_bound_s, plan.predicted.makespan_s);
        shared += plan.own.tasks > 0;
        assert_rested(&plan, seed);
        plan_release(&plan);
        plan_release(&plain);
        profile_release(&profile);
    }
    assert_true(2 * shared > seeds);
}

/* A random plan of whose tasks, at the end, the master computes some. */
static struct plan sample_shared(struct dice *dice, int64_t workers, double task_s)
{
    struct plan plan;
    sample_plan(dice, workers, false, &plan);
    plan.own =
        (struct plan_master){(double)dice_whole(dice, 1, 200), task_s * dice_scale(dice, 0.1, 10)};
    plan.tasks += plan.own.tasks;
    return plan;
}

static int by_start(const void *a, const void *b)
{
    const struct trace_event *x = a, *y = b;
    if (x->start_s != y->start_s)
        return x->start_s < y->start_s ? -1 : 1;
    return (x->end_s > y->end_s) - (x->end_s < y->end_s);
}

/* The master does one thing at a time, each core task of its share once, in their order, and only
 * a core task that was begun before keeps a package waiting. */
static void trace_check(const struct plan *plan, struct trace *trace, uint64_t seed)
{
    double free_s = 0;
    int64_t next = (int64_t)(plan->tasks - plan->own.tasks);
    /* Where results return, packages are traced when these are there. */
    qsort(trace->events, trace->count, sizeof *trace->events, by_start);
    for (size_t k = 0; k < trace->count; k++) {
        const struct trace_event *event = &trace->events[k];
        if (event->rank != 0)
            continue;
        if (event->start_s < free_s)
            fail_msg("seed %" PRIu64 ": the master begins at %.17g what it is free for at %.17g",
                     seed, event->start_s, free_s);
        free_s = event->end_s;
        if (event->operation != OPERATION_COMPUTE)
            continue;
        assert_int_equal(event->first, next);
        next += event->tasks;
    }
    assert_int_equal(next, (int64_t)plan->tasks);
}

static void every_core_task_once_one_at_a_time(void **state)
{
    const struct scenario usual = SCENARIO_INIT;
    (void)state;
    for (uint64_t seed = 1; seed <= cases_of(150); seed++) {
        struct dice dice = {seed};
        struct profile profile;
        struct platform platform;
        struct simulation planned, traced, simulated = {0};
        struct trace trace = {.count = 0};
        struct failure failure = FAILURE_INIT;
        sample(&dice, &profile);
        sample_returns(&dice, &profile, seed);
        const struct profile_setting *setting = &profile.settings[0];
        struct plan plan = sample_shared(&dice, profile_workers(&setting->windows[0]),
                                         profile_setting_master_s(setting));
        struct dispatch *dispatch = dispatch_new_plan(&plan);
        if (!platform_init(&platform, setting, 0, &failure) ||
            !simulate_plan(&platform, &plan, NULL, &planned, &failure) ||
            !simulate_plan(&platform, &plan, &trace, &traced, &failure) ||
            !simulate_scenario(&platform, dispatch, &usual, NULL, &simulated, &failure))
            fail_msg("seed %" PRIu64 ": %s", seed, failure.text);
        trace_check(&plan, &trace, seed);
        /* A plan says at once which package is its worker's last one, a dispatch when it is asked
         * for another: a master that computes asks later, and results at the end come later. */
        if (platform.results == RESULTS_END)
            simulated.makespan_s = planned.makespan_s;
        if (planned.makespan_s != traced.makespan_s ||
            fabs(planned.makespan_s - simulated.makespan_s) > 1e-12 * planned.makespan_s ||
            fabs(planned.own_s - simulated.own_s) > 1e-12 * planned.own_s)
            fail_msg("seed %" PRIu64 ": %.17g, %.17g, %.17g", seed, planned.makespan_s,
                     traced.makespan_s, simulated.makespan_s);
        assert_true(fabs(planned.own_s / (plan.own.tasks * plan.own.task_s) - 1) < 1e-9);
        dispatch_free(&dispatch);
        trace_release(&trace);
        platform_release(&platform);
        plan_release(&plan);
        profile_release(&profile);
    }
}

/* ---- who asks -------------------------------------------------------------------------------- */

/* Of what is left of a job the master's share is the last part, in pieces that do not cross a
 * gap. */
static void the_share_of_what_is_left(void **state)
{
    static const struct task_range ranges[] = {{3, 4}, {10, 2}, {20, 5}};
    static const int64_t wanted[][2] = {{11, 1}, {20, 1}, {21, 2}, {23, 2}};
    double loads[] = {5};
    int64_t workers[] = {0};
    struct plan_round rounds[] = {{1, loads}};
    const struct plan plan = {.tasks = 11,
                              .own = {6, 1},
                              .workers = workers,
                              .worker_count = 1,
                              .rounds = rounds,
                              .round_count = 1};
    struct dispatch *dispatch =
        dispatch_new_recovery(dispatch_new_ranges(dispatch_new_plan(&plan), ranges, 3, 1), 1);
    struct package package;
    (void)state;
    assert_true(dispatch_master(dispatch).tasks == 6);
    for (size_t k = 0; k < sizeof wanted / sizeof *wanted; k++) {
        assert_true(dispatch_own(dispatch, 0, 2, &package));
        assert_true(package.worker == -1 && package.index == -1);
        assert_int_equal(package.first, wanted[k][0]);
        assert_int_equal(package.count, wanted[k][1]);
    }
    assert_false(dispatch_own(dispatch, 0, 2, &package));
    dispatch_free(&dispatch);
}

static void what_does_not_end_in_time_is_not_begun(void **state)
{
    double loads[] = {5};
    int64_t workers[] = {0};
    struct plan_round rounds[] = {{1, loads}};
    const struct plan plan = {.tasks = 8,
                              .own = {3, 10},
                              .workers = workers,
                              .worker_count = 1,
                              .rounds = rounds,
                              .round_count = 1};
    const struct deadline_setup setup = {.end_s = 20, .margin = 0.1, .workers = 1};
    struct dispatch *dispatch = dispatch_new_recovery(dispatch_new_plan(&plan), 1);
    struct package package;
    (void)state;
    assert_true(dispatch_recovery_deadline(dispatch, &setup));
    assert_true(dispatch_own(dispatch, 9, 1, &package));
    assert_false(dispatch_recovery_over(dispatch));
    assert_false(dispatch_own(dispatch, 9.1, 1, &package));
    assert_true(dispatch_recovery_over(dispatch));
    dispatch_free(&dispatch);
}

/* The interval knows that the master's core tasks differ. */
static void the_interval_knows_the_master(void **state)
{
    struct profile profile = one_worker(10);
    struct plan plan = plan_of(&profile, "scow-mp", 1000, true);
    struct interval equal = {.ensemble = {.count = 0}}, unequal = equal;
    struct failure failure = FAILURE_INIT;
    const struct interval_request request = {
        .profile = &profile, .setting = &profile.settings[0], .plan = &plan};
    (void)state;
    assert_true(interval_draw(&request, &equal, &failure));
    assert_true(fabs(ensemble_quantile(&equal.ensemble, 0.95) / plan.predicted.makespan_s - 1) <
                1e-9);
    profile.settings[0].master.fit = (struct fit){.drift = 0.1, .n = 10};
    assert_true(interval_draw(&request, &unequal, &failure));
    assert_true(ensemble_quantile(&unequal.ensemble, 0.95) >
                1.05 * ensemble_quantile(&equal.ensemble, 0.95));
    interval_release(&equal);
    interval_release(&unequal);
    plan_release(&plan);
    profile_release(&profile);
}

static void files_keep_it(void **state)
{
    struct profile profile = one_worker(1), again;
    struct plan plan = plan_of(&profile, "scow-mp", 100, true), read;
    struct failure failure = FAILURE_INIT;
    char *profile_text = profile_print(&profile), *plan_text = plan_print(&plan);
    (void)state;
    assert_true(profile_parse(&again, profile_text, strlen(profile_text), "p", &failure));
    assert_true(profile_setting_master_s(&again.settings[0]) == 1);
    assert_true(plan_parse(&read, plan_text, strlen(plan_text), "q", &failure));
    assert_true(plan_equal(&plan, &read) && read.own.tasks == 47);
    plan_release(&read);
    char *share = strstr(plan_text, "\"tasks\": 47");
    assert_non_null(share);
    memcpy(share, "\"tasks\": 46", strlen("\"tasks\": 46"));
    assert_false(plan_parse(&read, plan_text, strlen(plan_text), "q", &failure));
    assert_non_null(strstr(failure.text, "99 tasks"));
    free(profile_text);
    free(plan_text);
    profile_release(&again);
    plan_release(&plan);
    profile_release(&profile);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(both_ends_meet),
        cmocka_unit_test(whole_tasks_in_packages_of_one),
        cmocka_unit_test(too_few_for_the_workers_are_not_left_to_them),
        cmocka_unit_test(refused_without_its_cost),
        cmocka_unit_test(results_are_written_between_core_tasks),
        cmocka_unit_test(nothing_is_slower_and_the_bound_holds),
        cmocka_unit_test(every_core_task_once_one_at_a_time),
        cmocka_unit_test(the_share_of_what_is_left),
        cmocka_unit_test(what_does_not_end_in_time_is_not_begun),
        cmocka_unit_test(the_interval_knows_the_master),
        cmocka_unit_test(files_keep_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

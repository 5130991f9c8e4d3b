/* What `scow plan` answers beyond a plan: comparison, deadline, walltime, chart. */
#include <inttypes.h>
#include <math.h>

#include "planner/report/gantt.h"
#include "planner/schedulers/scheduler.h"
#include "planner/studies/advice.h"
#include "planner/studies/comparison.h"
#include "planner/studies/sweep.h"
#include "tests/cases.h"
#include "tests/checks.h"
#include "tests/planner/samples.h"

static struct planning planning_of(const struct profile *profile, const char *scheduler,
                                   double tasks)
{
    return (struct planning){.profile = profile,
                             .setting = &profile->settings[0],
                             .scheduler = scheduler,
                             .tasks = tasks};
}

/* Every scheduler once; ordered; auto is none of them and never worse than any. */
static void auto_is_the_best_of_the_comparison(void **state)
{
    const struct scenario usual = SCENARIO_INIT;
    size_t schedulers = 0;
    (void)state;
    scheduler_list(&schedulers);
    for (uint64_t seed = 1; seed <= 4; seed++) {
        struct dice dice = {seed};
        struct profile profile;
        struct comparison comparison;
        struct plan plan;
        struct failure failure = FAILURE_INIT;
        sample_profile(&dice, 3, 1, &profile);
        struct planning planning = planning_of(&profile, "auto", (double)dice_whole(&dice, 1, 60));
        assert_true(comparison_make(&planning, &usual, 0, &comparison, &failure));
        assert_int_equal(comparison.count, schedulers);
        assert_true(comparison.entries[0].applies);
        for (size_t k = 1; k < schedulers; k++)
            assert_true(!comparison.entries[k].applies ||
                        comparison.entries[k].predicted.makespan_s >=
                            comparison.entries[k - 1].predicted.makespan_s);
        assert_true(planning_make(&planning, &plan, &failure));
        assert_true(plan.predicted.makespan_s == comparison.entries[0].predicted.makespan_s);
        plan_release(&plan);
        comparison_release(&comparison);
        profile_release(&profile);
    }
}

/* The plan carries what it was made for, and its prediction is that simulation. */
static void plans_know_their_buffers(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= cases_of(40); seed++) {
        struct dice dice = {seed};
        struct profile profile;
        struct platform platform;
        struct plan plan;
        struct simulation simulation;
        struct failure failure = FAILURE_INIT;
        sample_profile(&dice, 8, 1, &profile);
        struct planning planning =
            planning_of(&profile, "umr", (double)dice_whole(&dice, 100, 9999));
        planning.buffers = (int)(seed % 5);
        if (planning_make(&planning, &plan, &failure)) {
            assert_int_equal(plan.buffers, planning.buffers);
            assert_int_equal(plan_buffers(&plan), seed % 5 > 0 ? seed % 5 : PLATFORM_BUFFERS);
            assert_true(platform_init(&platform, planning.setting, 0, &failure));
            platform.buffers = plan_buffers(&plan);
            assert_true(simulate_plan(&platform, &plan, NULL, &simulation, &failure));
            assert_true(simulation.makespan_s == plan.predicted.makespan_s);
            platform_release(&platform);
            plan_release(&plan);
        }
        profile_release(&profile);
    }
}

/* All tries together take what one plan may, and not as many times of it. */
static void deadlines_heed_the_effort(void **state)
{
    (void)state;
    static const double effort_s = 0.02;
    struct dice dice = {7};
    struct profile profile;
    struct plan all, plan;
    struct failure failure = FAILURE_INIT;
    sample_profile(&dice, 60, 1, &profile);
    struct planning planning = planning_of(&profile, "auto", 100000);
    double used_s = 0;
    planning.effort_s = effort_s;
    planning.used_s = &used_s;
    assert_true(planning_make(&planning, &all, &failure));
    assert_true(used_s > effort_s / 2);
    used_s = 0;
    assert_true(sweep_deadline(&planning, 2 * all.predicted.makespan_s, &plan, &failure));
    if (used_s > 2 * effort_s)
        fail_msg("%g s of effort were used, and %g s allowed", used_s, effort_s);
    plan_release(&plan);
    plan_release(&all);
    profile_release(&profile);
}

/* The plan meets the deadline, and one worker fewer does not. */
static void deadlines_take_the_fewest(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= cases_of(20); seed++) {
        struct dice dice = {seed};
        struct profile profile;
        struct plan all, one, plan, fewer;
        struct failure failure = FAILURE_INIT, refused = FAILURE_INIT;
        sample_profile(&dice, 20, 1, &profile);
        struct planning planning = planning_of(&profile, "scow-mp", 5000);
        assert_true(planning_make(&planning, &all, &failure));
        planning.workers = 1;
        assert_true(planning_make(&planning, &one, &failure));
        planning.workers = 0;
        double deadline_s = sqrt(all.predicted.makespan_s * one.predicted.makespan_s);
        assert_true(sweep_deadline(&planning, deadline_s, &plan, &failure));
        assert_true(plan.predicted.makespan_s <= deadline_s);
        int64_t needed = plan_workers_needed(&plan);
        if (needed > 1 && plan_workers_used(&plan) == needed) {
            planning.workers = needed - 1;
            assert_true(planning_make(&planning, &fewer, &failure));
            if (fewer.predicted.makespan_s <= deadline_s)
                fail_msg("seed %" PRIu64 ": %" PRId64 " workers are enough", seed, (needed - 1));
            plan_release(&fewer);
            planning.workers = 0;
        }
        assert_false(sweep_deadline(&planning, all.predicted.makespan_s / 2, &fewer, &refused));
        assert_int_equal(refused.code, FAILURE_INFEASIBLE);
        plan_release(&plan);
        plan_release(&all);
        plan_release(&one);
        profile_release(&profile);
    }
}

/* Draws of 3600.5 s, 3601.5 s, ..., 4599.5 s. */
static void walltimes_have_the_risk_that_they_state(void **state)
{
    enum { DRAWS = 1000 };
    struct ensemble_run runs[DRAWS];
    double most_s = 0;
    const struct plan plan = {.predicted = {.known = true, .makespan_s = 3600}};
    const struct ensemble_summary rough = {.p95_s = 5400};
    struct interval interval = {.ensemble = {runs, DRAWS}};
    struct advice advice = {.plan = &plan, .risk = 0.01};
    (void)state;
    for (int k = 0; k < DRAWS; k++)
        runs[k] = (struct ensemble_run){3600.5 + k, k};
    assert_true(advice_walltime(&advice, &most_s) == 74 * 60); /* 4320 + 30 + 30 + 60 s */
    assert_true(fabs(most_s - 4320) < 1e-9);
    advice.robustness = &rough;
    assert_true(advice_walltime(&advice, &most_s) == 92 * 60);
    assert_true(most_s == 5400);
    advice.robustness = NULL;
    advice.interval = &interval;
    assert_true(advice_walltime(&advice, &most_s) == 79 * 60); /* 4590 + 120 s, rounded up */
    assert_true(fabs(most_s - 4590) < 1e-6);
    advice.risk = 0.4;
    assert_true(advice_walltime(&advice, &most_s) == 72 * 60); /* 4200 + 120 s */
    assert_true(fabs(most_s - 4200) < 1e-6);
}

/* Master 1 s, port 1 s, worker 6 s: nine columns a second. */
static void charts_show_who_does_what(void **state)
{
    struct platform_class class = {
        .count = 1, .link = {1, 0}, .receive = {1, 0}, .compute = {0, 4}, .output = {1, 0}};
    struct platform_window window = {1, 10, {0.5, 0}, {0.5, 0}, &class, 1, {0, 0}, {0, 0}};
    const struct platform platform = {
        .windows = &window, .window_count = 1, .worker_count = 1, .buffers = 2};
    double load = 1;
    int64_t worker = 0;
    struct plan_round round = {1, &load};
    const struct plan plan = {
        .workers = &worker, .worker_count = 1, .rounds = &round, .round_count = 1, .tasks = 1};
    struct text text = TEXT_INIT;
    struct trace trace = {.count = 0};
    struct simulation simulation;
    struct failure failure = FAILURE_INIT;
    (void)state;
    assert_true(gantt_check(&plan, &failure));
    assert_true(simulate_plan(&platform, &plan, &trace, &simulation, &failure));
    assert_true(gantt_draw(&plan, &trace, &text, &failure));
    trace_release(&trace);
    assert_string_equal(
        text.bytes,
        "master   eeeeessss...............................................................\n"
        "port     .........=========......................................................\n"
        "0        ..................rrrrrrrrrccccccccccccccccccccccccccccccccccccooooooooo\n"
        "         0                                                                8.000 s\n"
        "         e envelope  s send  = link  r receive  c compute  o output  . idle\n");
    text_release(&text);
    round.repeat = 2000000;
    assert_false(gantt_check(&plan, &failure));
    assert_failure(failure, FAILURE_USAGE,
                   "the plan has 2000000 packages, too many for a chart: leave --gantt out");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(auto_is_the_best_of_the_comparison),
        cmocka_unit_test(plans_know_their_buffers),
        cmocka_unit_test(deadlines_take_the_fewest),
        cmocka_unit_test(deadlines_heed_the_effort),
        cmocka_unit_test(walltimes_have_the_risk_that_they_state),
        cmocka_unit_test(charts_show_who_does_what),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

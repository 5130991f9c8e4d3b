/* Trees of groups as they are planned: where they pay, and that they are plans. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "planner/files/plan_json.h"
#include "planner/files/profile_json.h"
#include "planner/schedulers/scheduler.h"
#include "planner/simulate/simulate.h"
#include "planner/studies/trees.h"
#include "tests/cases.h"
#include "tests/checks.h"
#include "tests/planner/samples.h"

static double makespan_of(const struct platform *platform, const struct plan *plan)
{
    struct simulation simulation;
    struct failure failure = FAILURE_INIT;
    if (!simulate_plan(platform, plan, NULL, &simulation, &failure))
        fail_msg("%s", failure.text);
    return simulation.makespan_s;
}

/* Links of 0.03 + 0.001 x, work of 0.03 + x. */
static struct profile profile_of(int64_t workers)
{
    static const char form[] =
        "{\"schema\": \"scow-profile-1\", \"kernel\": \"sleep\", \"settings\": [{\"windows\": "
        "[{\"tasks\": [1, 1000000], \"envelope\": {\"latency_s\": 0, \"s_per_task\": 0}, \"send\": "
        "{\"latency_s\": 0, \"s_per_task\": 0}, \"workers\": [{\"count\": %" PRId64
        ", \"link\": {\"latency_s\": 0.03, \"s_per_task\": 0.001}, \"receive\": {\"latency_s\": 0, "
        "\"s_per_task\": 0}, \"compute\": {\"latency_s\": 0.03, \"s_per_task\": 1}}]}]}]}";
    struct profile profile;
    struct failure failure = FAILURE_INIT;
    char text[1024];
    snprintf(text, sizeof text, form, workers);
    if (!profile_parse(&profile, text, strlen(text), "p.json", &failure))
        fail_msg("%s", failure.text);
    return profile;
}

/* Every core task once, each rank one thing, and what is predicted is what the file's plan takes.
 */
static void planned_check(const struct profile *profile, const struct plan *plan, uint64_t seed)
{
    struct platform platform;
    struct plan again;
    struct failure failure = FAILURE_INIT;
    char *text = plan_print(plan);
    double sum = 0;
    if (!platform_init(&platform, &profile->settings[0], 0, &failure) ||
        !plan_parse_any(&again, text, strlen(text), "plan.json", &failure))
        fail_msg("seed %" PRIu64 ": %s", seed, failure.text);
    for (size_t k = 0; k < plan->child_count; k++)
        sum += plan->children[k].tasks;
    if (plan->child_count > 0)
        assert_true(sum == plan->tasks);
    if (makespan_of(&platform, &again) != plan->predicted.makespan_s)
        fail_msg("seed %" PRIu64 ": %.17g s, predicted %.17g", seed, makespan_of(&platform, &again),
                 plan->predicted.makespan_s);
    plan_release(&again);
    platform_release(&platform);
    free(text);
}

static struct plan planned_tree(const struct profile *profile, double tasks, int64_t groups)
{
    const struct planning planning = {.profile = profile,
                                      .setting = &profile->settings[0],
                                      .scheduler = SCHEDULER_AUTO,
                                      .tasks = tasks,
                                      .effort_s = 0.05};
    struct failure failure = FAILURE_INIT;
    struct plan plan;
    if (!trees_make(&planning, groups, &plan, &failure))
        fail_msg("%s", failure.text);
    return plan;
}

/* 8 groups of 8 as by equal rounds at least; 72 ranks have a better plan with one master for all,
 * a thousand with two core tasks each have not. */
static void trees_are_planned_where_they_pay(void **state)
{
    struct profile few = profile_of(72), many = profile_of(1000);
    struct plan plans[] = {planned_tree(&few, 640, 8), planned_tree(&few, 6400, 8),
                           planned_tree(&few, 640, TREE_AUTO),
                           planned_tree(&many, 2000, TREE_AUTO)};
    (void)state;
    assert_true(plans[0].predicted.makespan_s <= 10.775);
    assert_true(plans[1].predicted.makespan_s <= 101.45);
    assert_int_equal(plans[2].child_count, 0);
    assert_true(plans[2].predicted.makespan_s < 10.7);
    assert_true(plans[3].child_count > 1);
    assert_true(plans[3].predicted.makespan_s < 5);
    for (size_t k = 0; k < COUNT_OF(plans); k++) {
        planned_check(k < 3 ? &few : &many, &plans[k], k);
        plan_release(&plans[k]);
    }
    profile_release(&few);
    profile_release(&many);
}

static void any_tree_is_a_plan(void **state)
{
    int made = 0;
    (void)state;
    for (uint64_t seed = 1; seed <= cases_of(60); seed++) {
        struct dice dice = {seed};
        struct profile profile;
        struct plan plan;
        struct failure failure = FAILURE_INIT;
        sample_profile(&dice, 12, 1, &profile);
        const int64_t workers = profile_workers(&profile.settings[0].windows[0]);
        const struct planning planning = {.profile = &profile,
                                          .setting = &profile.settings[0],
                                          .scheduler = seed % 2 ? SCHEDULER_AUTO : SCHEDULER_QUICK,
                                          .tasks = (double)dice_whole(&dice, 1, 3000)};
        const int64_t groups = dice_whole(&dice, 1, workers / 2 + 1);
        if (trees_make(&planning, groups, &plan, &failure)) {
            assert_int_equal(plan.child_count, plan.worker_count);
            planned_check(&profile, &plan, seed);
            plan_release(&plan);
            made++;
        } else {
            assert_true(failure.code == FAILURE_INFEASIBLE || failure.code == FAILURE_USAGE);
            assert_true(failure.code == FAILURE_INFEASIBLE || 2 * groups > workers ||
                        (double)groups > planning.tasks);
        }
        profile_release(&profile);
    }
    assert_true(made > (int)(cases_of(60) / 3));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(trees_are_planned_where_they_pay),
        cmocka_unit_test(any_tree_is_a_plan),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

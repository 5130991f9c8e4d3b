/* Weights of core tasks: what a plan keeps of them, and what they explain of the spread. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "planner/files/plan_json.h"
#include "planner/files/profile_json.h"
#include "planner/replan/watching.h"
#include "planner/simulate/simulate.h"
#include "planner/studies/planning.h"
#include "tests/checks.h"
#include "tests/planner/samples.h"

#define CLOSE(a, b) (fabs((a) - (b)) < 1e-9)

static const char digest[] = "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef";

static void known_differences_are_no_spread(void **state)
{
    (void)state;
    static const double items[] = {1, 3};
    struct task_weights *weights = weights_new("w", digest, items, 2);
    struct spread spreads[] = {{1, 0.6}, {4, 0.2}};
    struct profile_setting setting = {.spreads = spreads, .spread_count = 2};
    assert_true(CLOSE(weights->deviation, 0.5));
    assert_true(CLOSE(profile_setting_deviation(&setting, 1), 0.6));
    setting.weights = weights;
    assert_true(CLOSE(profile_setting_deviation(&setting, 1), sqrt(0.36 - 0.25)));
    assert_true(CLOSE(profile_setting_deviation(&setting, 4), 0));
    weights_free(weights);
}

/* Of random workers; to be released with the plan. */
static struct planning planning_begin(uint64_t seed, const struct task_weights *weights,
                                      struct profile *profile)
{
    struct dice dice = {seed};
    sample_profile(&dice, 4, 1, profile);
    profile_weigh(profile, weights);
    return (struct planning){.profile = profile,
                             .setting = &profile->settings[0],
                             .scheduler = "auto",
                             .tasks = (double)weights->work.tasks,
                             .effort_s = 0.1};
}

/* With a region for each core task, and with one for each package: played again, the plan takes
 * what was predicted. */
static void plans_keep_their_weights(void **state)
{
    (void)state;
    for (int64_t tasks = 300; tasks <= 30000; tasks *= 100) {
        struct dice dice = {7};
        double *items = malloc((size_t)tasks * sizeof *items);
        for (int64_t k = 0; k < tasks; k++)
            items[k] = dice_scale(&dice, 0.1, 10);
        struct task_weights *weights = weights_new("w.txt", digest, items, tasks);
        struct profile profile;
        struct plan made, again, copy;
        struct simulation simulation;
        struct failure failure = FAILURE_INIT;
        const struct planning planning = planning_begin(3, weights, &profile);
        assert_true(planning_make(&planning, &made, &failure));
        char *text = plan_print(&made);
        assert_true(plan_parse(&again, text, strlen(text), "plan.json", &failure));
        assert_true(plan_equal(&again, &made));
        assert_true(plan_copy(&copy, &again));
        plan_release(&again);
        assert_string_equal(copy.weights->source, "w.txt");
        assert_string_equal(copy.weights->sha256, digest);
        assert_true(copy.weights->work.region_count <= 4096 ||
                    (int64_t)copy.weights->work.region_count <= plan_packages(&copy));
        profile_weigh(&profile, copy.weights);
        assert_true(planning_simulate(&planning, &copy, NULL, &simulation, &failure));
        const double told_s = made.predicted.makespan_s;
        assert_true(fabs(simulation.makespan_s / told_s - 1) < 1e-6);
        plan_release(&copy);
        free(text);
        plan_release(&made);
        profile_release(&profile);
        weights_free(weights);
        free(items);
    }
}

/* The makespan of a watched plan; each core task is computed once. *changes: new plans. */
static double watched(const struct watching *watching, const struct scenario *scenario,
                      int64_t tasks, int64_t *changes)
{
    struct failure failure = FAILURE_INIT;
    struct simulation simulation;
    struct trace trace = {.count = 0};
    unsigned char *seen = calloc((size_t)tasks, 1);
    struct dispatch *dispatch =
        decision_dispatch(&watching->decision, &watching->platform, scenario, &failure);
    assert_true(
        simulate_scenario(&watching->platform, dispatch, scenario, &trace, &simulation, &failure));
    for (size_t k = 0; k < trace.count; k++) {
        const struct trace_event *event = &trace.events[k];
        for (int64_t i = 0; event->operation == OPERATION_COMPUTE && i < event->tasks; i++)
            assert_int_equal(seen[event->first + i]++, 0);
        assert_true(event->operation != OPERATION_COMPUTE || event->tasks <= watching->largest);
    }
    assert_null(memchr(seen, 0, (size_t)tasks));
    int64_t asked = 0;
    *changes = 0;
    const struct watch_change *change =
        dispatch_watch_changes(watching_watch(watching, dispatch), &asked);
    for (int64_t k = 0; k < asked; k++) {
        assert_in_range(change[k].tasks, 1, tasks);
        *changes += change[k].adopted;
    }
    dispatch_free(&dispatch);
    trace_release(&trace);
    free(seen);
    return simulation.makespan_s;
}

/* Four workers on which nothing varies. */
static const char quiet[] =
    "{\"schema\": \"scow-profile-1\", \"kernel\": \"sleep\", \"settings\": [{\"windows\": [{"
    "\"tasks\": [1, 1000], \"envelope\": {\"latency_s\": 1e-3, \"s_per_task\": 0}, "
    "\"send\": {\"latency_s\": 0, \"s_per_task\": 0}, \"workers\": [{\"count\": 4, "
    "\"receive\": {\"latency_s\": 0, \"s_per_task\": 0}, "
    "\"compute\": {\"latency_s\": 1e-2, \"s_per_task\": 0.1}}]}]}]}";

/* A light beginning and a heavy end: of core tasks that differ besides, or as a calibration's map
 * of the job has them. */
static void light_and_heavy(struct profile *profile, struct task_weights **weights, uint64_t seed,
                            bool mapped)
{
    enum { TASKS = 6000 };
    struct dice dice = {seed};
    double items[TASKS];
    for (int64_t k = 0; k < TASKS; k++)
        items[k] = (mapped ? 1 : dice_scale(&dice, 0.5, 2)) * (k < TASKS * 3 / 4 ? 0.3 : 4);
    *weights = mapped ? NULL : weights_new("w.txt", digest, items, TASKS);
    if (mapped)
        assert_true(work_weigh(&profile->settings[0].map.work, items, TASKS));
    profile->settings[0].map.error = mapped ? 0.02 : 0;
    profile_weigh(profile, *weights);
}

/* Counted by core tasks, all workers would seem to become slow. By weight nothing happens where all
 * goes as planned; and where a worker takes three times as long from the middle on, what remains is
 * shared by what it weighs. */
static void plans_are_watched_by_weight(void **state)
{
    (void)state;
    enum { TASKS = 6000 };
    double worst = 0;
    for (uint64_t seed = 1; seed <= 8; seed++) {
        struct task_weights *weights;
        struct profile profile;
        struct plan plan;
        struct watching watching;
        struct failure failure = FAILURE_INIT;
        struct scenario scenario = SCENARIO_INIT;
        int64_t changes;
        assert_true(profile_parse(&profile, quiet, strlen(quiet), "quiet", &failure));
        light_and_heavy(&profile, &weights, seed, seed % 4 == 0);
        const struct planning planning = {.profile = &profile,
                                          .setting = &profile.settings[0],
                                          .scheduler = "auto",
                                          .tasks = TASKS,
                                          .effort_s = 0.1};
        assert_true(planning_make(&planning, &plan, &failure));
        struct watching_request request = planning_watching(&planning, NULL, &plan);
        request.tolerance = "10%";
        assert_true(watching_init(&watching, &request, &failure));
        assert_true(watch_units_used(&watching.units));
        const double planned_s = plan.predicted.makespan_s;
        const double usual_s = watched(&watching, &scenario, TASKS, &changes);
        assert_int_equal(changes, 0);
        assert_true(usual_s < 1.02 * planned_s);
        scenario.slow_first = 0;
        scenario.slow_workers = 1;
        scenario.slow_factor = 3;
        scenario.slow_from_s = planned_s / 2;
        const double slow_s = watched(&watching, &scenario, TASKS, &changes);
        assert_true(changes > 0);
        worst = fmax(worst, slow_s / planned_s);
        watching_release(&watching);
        plan_release(&plan);
        profile_release(&profile);
        weights_free(weights);
    }
    printf("with a worker of four that slows down, at worst %.3f of what was planned\n", worst);
    assert_true(worst < 1.2); /* 1.1 if it were known when it happens */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(known_differences_are_no_spread),
        cmocka_unit_test(plans_keep_their_weights),
        cmocka_unit_test(plans_are_watched_by_weight),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

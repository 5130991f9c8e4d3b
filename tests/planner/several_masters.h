/* Plans of several masters: how tests have them made, and what is checked of each. */
#ifndef TESTS_PLANNER_SEVERAL_MASTERS_H
#define TESTS_PLANNER_SEVERAL_MASTERS_H

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "planner/files/plan_json.h"
#include "planner/simulate/simulate.h"
#include "planner/studies/masters.h"
#include "tests/checks.h"
#include "tests/planner/parsed.h"

static inline struct plan masters_made(const struct planning *planning, int64_t masters)
{
    struct failure failure = FAILURE_INIT;
    struct plan plan = {.kernel = NULL};
    if (!masters_make(planning, masters, &plan, &failure))
        fail_msg("%" PRId64 " masters: %s", masters, failure.text);
    return plan;
}

static inline void assert_ranks(const struct plan *plan, int64_t workers, uint64_t seed)
{
    bool *seen = calloc((size_t)workers + 1, sizeof *seen);
    double first = 0;
    assert_non_null(seen);
    for (size_t k = 0; k < plan->star_count; k++) {
        const struct plan *star = &plan->stars[k];
        if (star->first != first || !(star->tasks >= 1) || star->master > workers)
            fail_msg("seed %" PRIu64 ": star %zu", seed, k);
        first += star->tasks;
        assert_false(seen[star->master]);
        seen[star->master] = true;
        for (int64_t slot = 0; slot < star->worker_count; slot++) {
            assert_in_range(star->workers[slot], 0, workers - 1);
            assert_false(seen[star->workers[slot] + 1]);
            seen[star->workers[slot] + 1] = true;
        }
    }
    assert_true(first == plan->tasks);
    free(seen);
}

/* The file says all; the simulation is the prediction, to the last bit; and nobody gets several
 * masters by accident. */
static inline void assert_file(const struct plan *plan, const struct platform *platform)
{
    struct failure failure = FAILURE_INIT, none = FAILURE_INIT;
    struct plan again, copy, single = {.tasks = 77};
    struct simulation simulation;
    char *text = plan_print(plan);
    assert_non_null(text);
    if (!plan_parse_any(&again, text, strlen(text), "plan.json", &failure))
        fail_msg("%s", failure.text);
    assert_true(plan_equal(plan, &again));
    assert_true(simulate_plan(platform, &again, NULL, &simulation, &failure));
    assert_true(simulation.makespan_s == plan->predicted.makespan_s);
    assert_int_equal(simulation.workers_used, plan_workers_used(plan));
    assert_int_equal(simulation.packages, plan_packages(plan));
    assert_true(plan_copy(&copy, &again));
    assert_true(plan_equal(&copy, plan));
    copy.stars[1].rounds[0].loads[0]++;
    assert_false(plan_equal(&copy, plan));
    assert_false(plan_parse(&single, text, strlen(text), "plan.json", &none));
    assert_int_equal(none.code, FAILURE_MISMATCH);
    assert_true(single.tasks == 77);
    free(text);
    plan_release(&copy);
    plan_release(&again);
}

static inline void assert_together(const struct plan *plan, double within)
{
    double least_s = HUGE_VAL, most_s = 0;
    for (size_t k = 0; k < plan->star_count; k++) {
        least_s = fmin(least_s, plan->stars[k].predicted.makespan_s);
        most_s = fmax(most_s, plan->stars[k].predicted.makespan_s);
    }
    if (most_s > (1 + within) * least_s)
        fail_msg("stars end from %.4f s to %.4f s", least_s, most_s);
    assert_true(plan->predicted.makespan_s == most_s);
}

/* The first ranks compute four times as fast as the others. */
static inline struct profile profile_mixed(void)
{
    return profile_read(
        "{ \"schema\": \"scow-profile-1\", \"kernel\": \"sleep\", \"settings\": [ { \"windows\": "
        "[\n"
        "    { \"tasks\": [1, 100000], \"envelope\": {\"latency_s\": 0, \"s_per_task\": 0},\n"
        "      \"send\": {\"latency_s\": 0.001, \"s_per_task\": 0.001}, \"workers\": [\n"
        "        { \"count\": 13, \"receive\": {\"latency_s\": 0, \"s_per_task\": 0},\n"
        "          \"compute\": {\"latency_s\": 0.001, \"s_per_task\": 0.005} },\n"
        "        { \"count\": 26, \"receive\": {\"latency_s\": 0, \"s_per_task\": 0},\n"
        "          \"compute\": {\"latency_s\": 0.001, \"s_per_task\": 0.02} } ] } ] } ] }");
}

#endif

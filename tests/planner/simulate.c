/* The event simulation against hand-made cases and against a slow independent one. */
#include "planner/simulate/simulate.h"

#include <inttypes.h>
#include <math.h>

#include "planner/files/plan_json.h"
#include "planner/files/profile_json.h"
#include "planner/simulate/periods.h"
#include "tests/checks.h"
#include "tests/planner/bounds.h"
#include "tests/planner/oracle.h"
#include "tests/planner/samples.h"

static void read_profile(const char *text, struct profile *profile)
{
    struct failure failure = FAILURE_INIT;
    if (!profile_parse(profile, text, strlen(text), "profile", &failure))
        fail_msg("%s", failure.text);
}

static void read_plan(const char *text, struct plan *plan)
{
    struct failure failure = FAILURE_INIT;
    if (!plan_parse(plan, text, strlen(text), "plan", &failure))
        fail_msg("%s", failure.text);
}

/* Two workers of 1 s per task, one of them slower to reach; master 0.5 s per package. */
static const char small_profile[] =
    "{\"schema\": \"scow-profile-1\", \"kernel\": \"sleep\", \"settings\": [{\"windows\": ["
    "{\"tasks\": [1, 10], \"envelope\": {\"latency_s\": 0.25, \"s_per_task\": 0},"
    " \"send\": {\"latency_s\": 0.25, \"s_per_task\": 0}, \"workers\": ["
    "{\"link\": {\"latency_s\": 1, \"s_per_task\": 0}, \"receive\": {\"latency_s\": 0.5,"
    " \"s_per_task\": 0}, \"compute\": {\"latency_s\": 0, \"s_per_task\": 1}},"
    "{\"link\": {\"latency_s\": 2, \"s_per_task\": 0}, \"receive\": {\"latency_s\": 0.5,"
    " \"s_per_task\": 0}, \"compute\": {\"latency_s\": 0, \"s_per_task\": 1}, \"output\":"
    " {\"latency_s\": 0.125, \"s_per_task\": 0}}]}]}]}";

static const char small_plan[] =
    "{\"schema\": \"scow-plan-1\", \"kernel\": \"sleep\", \"scheduler\": \"hand\", \"tasks\": 14,"
    " \"workers\": [0, 1], \"rounds\": [{\"repeat\": 2, \"loads\": [2, 3]},"
    " {\"repeat\": 2, \"loads\": [2, 0]}]}";

/* By hand: packages leave the master at 0.5, 1.0, ... The port: [0.5, 1.5] to 0, [1.5, 3.5] to 1,
 * [3.5, 4.5] to 0, [4.5, 6.5] to 1, [6.5, 7.5] to 0; the last one waits for worker 0 to start its
 * package before the last but one, which it did at 4.5: [7.5, 8.5]. Worker 0: [1.5, 4], [4.5, 7],
 * [7.5, 10], [10, 12.5]; worker 1: [3.5, 7.125], [7.125, 10.75]. */
static void small_case_by_hand(void **state)
{
    struct profile profile;
    struct plan plan;
    struct platform platform;
    struct simulation simulation;
    struct trace trace = {NULL, 0, 0};
    struct failure failure = FAILURE_INIT;
    (void)state;
    read_profile(small_profile, &profile);
    read_plan(small_plan, &plan);
    assert_true(platform_init(&platform, &profile.settings[0], 0, &failure));
    assert_true(simulate_plan(&platform, &plan, &trace, &simulation, &failure));
    assert_true(simulation.makespan_s == 12.5);
    assert_true(simulation.earliest_end_s == 10.75);
    assert_true(simulation.master_busy_s == 3);
    assert_true(simulation.port_busy_s == 8);
    assert_true(simulation.worker_busy_s == 4 * 2.5 + 2 * 3.625);
    assert_int_equal(simulation.packages, 6);
    assert_int_equal(simulation.workers_used, 2);
    /* 2 on the master and 3 to 4 at the link and the worker per package, and the idle gaps: worker
     * 0 before 1.5, 4.5 and 7.5, worker 1 before 3.5. */
    assert_int_equal(trace.count, 6 * 5 + 2 + 4);
    /* Periods of 3.625 s with two workers and of 2.5 s with one. */
    const struct periods periods = periods_of_plan(&platform, &plan);
    assert_true(periods.period_s == 3.625);
    assert_true(periods.worker_utilization ==
                (2 * (2.5 + 3.625) + 2 * 2.5) / (2 * 2 * 3.625 + 2 * 2.5));
    trace_release(&trace);
    platform_release(&platform);
    plan_release(&plan);
    profile_release(&profile);
}

/* One buffer: the port to a busy worker stands still. */
static void buffers_hold_the_port(void **state)
{
    struct profile profile;
    struct plan plan;
    struct platform platform;
    struct simulation simulation;
    struct failure failure = FAILURE_INIT;
    (void)state;
    read_profile(small_profile, &profile);
    read_plan("{\"schema\": \"scow-plan-1\", \"kernel\": \"sleep\", \"scheduler\": \"hand\","
              " \"tasks\": 31, \"workers\": [0, 1], \"rounds\": ["
              "{\"repeat\": 3, \"loads\": [10, 0]}, {\"repeat\": 1, \"loads\": [0, 1]}]}",
              &plan);
    assert_true(platform_init(&platform, &profile.settings[0], 0, &failure));
    platform.buffers = 1;
    assert_true(simulate_plan(&platform, &plan, NULL, &simulation, &failure));
    /* Package 2 may travel when package 1 started, at 12: worker 1 has its task at 15. */
    assert_true(simulation.earliest_end_s == 12 + 1 + 2 + 0.5 + 1 + 0.125);
    platform.buffers = 2;
    assert_true(simulate_plan(&platform, &plan, NULL, &simulation, &failure));
    assert_true(simulation.earliest_end_s == 3.5 + 2 + 0.5 + 1 + 0.125);
    platform_release(&platform);
    plan_release(&plan);
    profile_release(&profile);
}

static void plans_refused(void **state)
{
    struct profile profile;
    struct plan plan;
    struct platform platform;
    struct simulation simulation = {.makespan_s = -1};
    struct failure window = FAILURE_INIT, worker = FAILURE_INIT, none = FAILURE_INIT;
    (void)state;
    read_profile(small_profile, &profile);
    read_plan(small_plan, &plan);
    assert_true(platform_init(&platform, &profile.settings[0], 1, &none));
    assert_false(simulate_plan(&platform, &plan, NULL, &simulation, &worker));
    assert_failure(worker, FAILURE_MISMATCH,
                   "the plan uses worker 1, but there are 1: make the plan again with this "
                   "profile");
    platform_release(&platform);
    assert_true(platform_init(&platform, &profile.settings[0], 0, &none));
    plan.rounds[1].loads[0] = 11;
    assert_false(simulate_plan(&platform, &plan, NULL, &simulation, &window));
    assert_failure(window, FAILURE_MISMATCH,
                   "a package of 11 tasks for worker 0 lies in no window of the profile: make the "
                   "plan again with this profile");
    assert_true(simulation.makespan_s == -1);
    platform_release(&platform);
    plan_release(&plan);
    profile_release(&profile);
}

static void assert_near(double value, double wanted, uint64_t seed)
{
    if (!(fabs(value - wanted) <= 1e-9 * wanted))
        fail_msg("seed %" PRIu64 ": %.17g, not %.17g", seed, value, wanted);
}

static void trace_agrees(const struct trace *trace, const struct simulation *simulation,
                         uint64_t seed)
{
    double last_s = 0, port_s = 0, port_free_s = 0;
    for (size_t k = 0; k < trace->count; k++) {
        const struct trace_event *event = &trace->events[k];
        assert_true(event->end_s >= event->start_s);
        last_s = fmax(last_s, event->end_s);
        if (event->operation != OPERATION_LINK)
            continue;
        assert_true(event->start_s >= port_free_s); /* the port serves one at a time */
        port_free_s = event->end_s;
        port_s += event->end_s - event->start_s;
    }
    assert_true(last_s == simulation->makespan_s);
    assert_true(fabs(port_s - simulation->port_busy_s) <= 1e-9 * last_s);
    (void)seed;
}

/* The workers' utilisation is the same from the plan and from its trace. */
static void periods_agree(const struct platform *platform, const struct plan *plan,
                          const struct trace *trace, uint64_t seed)
{
    const double planned = periods_of_plan(platform, plan).worker_utilization;
    double traced = -1;
    assert_true(periods_of_trace(trace, plan, &traced));
    if (!(fabs(traced - planned) <= 1e-6 && planned > 0 && planned <= 1 + 1e-12))
        fail_msg("seed %" PRIu64 ": utilisation %.17g, in the trace %.17g", seed, planned, traced);
}

/* One random platform and plan: oracle = simulation = traced simulation >= bound. */
static void random_case(uint64_t seed)
{
    struct dice dice = {seed};
    struct profile profile;
    struct plan plan;
    struct platform platform;
    struct simulation simulation, traced;
    struct trace trace = {NULL, 0, 0};
    struct failure failure = FAILURE_INIT;
    sample_profile(&dice, 30, 1, &profile);
    int64_t workers = profile_workers(&profile.settings[0].windows[0]);
    sample_plan(&dice, workers, seed % 4 == 0, &plan);
    assert_true(platform_init(&platform, &profile.settings[0], 0, &failure));
    platform.buffers = (int)dice_whole(&dice, 1, 4);
    assert_true(simulate_plan(&platform, &plan, NULL, &simulation, &failure));
    assert_true(simulate_plan(&platform, &plan, &trace, &traced, &failure));
    assert_true(memcmp(&simulation, &traced, sizeof traced) == 0);
    trace_agrees(&trace, &traced, seed);
    periods_agree(&platform, &plan, &trace, seed);
    assert_near(simulation.makespan_s,
                oracle_makespan(&profile.settings[0], &plan, platform.buffers), seed);
    double bound_s = bound_of(&platform, plan.tasks, plan.real_valued);
    if (!(bound_s > 0 && bound_s <= simulation.makespan_s))
        fail_msg("seed %" PRIu64 ": bound %.17g over %.17g", seed, bound_s, simulation.makespan_s);
    trace_release(&trace);
    platform_release(&platform);
    plan_release(&plan);
    profile_release(&profile);
}

static void simulation_equals_oracle(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 3000; seed++)
        random_case(seed);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(small_case_by_hand),
        cmocka_unit_test(buffers_hold_the_port),
        cmocka_unit_test(plans_refused),
        cmocka_unit_test(simulation_equals_oracle),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* The event simulation against hand-made cases and against a slow independent one. */
#include "planner/simulate/simulate.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "planner/files/plan_json.h"
#include "planner/files/profile_json.h"
#include "planner/simulate/evaluate.h"
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
    struct trace trace = {.count = 0};
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
    assert_true(periods.master_utilization > 0 && periods.master_utilization <= 1);
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

/* One worker, of 1 s per task and 3 s of writing a package's results; its link takes 1 s. */
static const char writing_profile[] =
    "{\"schema\": \"scow-profile-1\", \"kernel\": \"sleep\", \"settings\": [{\"parameters\":"
    " {\"write-behind\": \"%s\"}, \"windows\": [{\"tasks\": [1, 10], \"envelope\":"
    " {\"latency_s\": 0, \"s_per_task\": 0}, \"send\": {\"latency_s\": 0, \"s_per_task\": 0},"
    " \"workers\": [{\"link\": {\"latency_s\": 1, \"s_per_task\": 0}, \"receive\":"
    " {\"latency_s\": 0, \"s_per_task\": 0}, \"compute\": {\"latency_s\": 0, \"s_per_task\": 1},"
    " \"output\": {\"latency_s\": 3, \"s_per_task\": 0}}]}]}]}";

static const char writing_plan[] =
    "{\"schema\": \"scow-plan-1\", \"kernel\": \"sleep\", \"scheduler\": \"hand\", \"tasks\": 6,"
    " \"workers\": [0], \"rounds\": [{\"repeat\": 1, \"loads\": [1]}, {\"repeat\": 1, \"loads\":"
    " [4]}, {\"repeat\": 1, \"loads\": [1]}]}";

static struct simulation writing_simulate(const char *behind, struct trace *trace)
{
    struct profile profile;
    struct plan plan;
    struct platform platform;
    struct simulation simulation;
    struct failure failure = FAILURE_INIT;
    char text[sizeof writing_profile + 8];
    snprintf(text, sizeof text, writing_profile, behind);
    read_profile(text, &profile);
    read_plan(writing_plan, &plan);
    assert_true(platform_init(&platform, &profile.settings[0], 0, &failure));
    assert_true(simulate_plan(&platform, &plan, trace, &simulation, &failure));
    platform_release(&platform);
    plan_release(&plan);
    profile_release(&profile);
    return simulation;
}

/* By hand: packages arrive at 1, 2 and 3. The first is computed in [1, 2] and written in [2, 5],
 * the second computed in [2, 6] and written in [6, 9], the third computed in [6, 7]: its results
 * wait until 9, and are written at 12. Of the writing, 3 s and 1 s lie behind the computing. */
static void results_are_written_behind(void **state)
{
    static const double output[][2] = {{2, 5}, {6, 9}, {9, 12}};
    static const double hidden_s[] = {3, 1, 0};
    struct trace trace = {.count = 0};
    (void)state;
    const struct simulation behind = writing_simulate("yes", &trace);
    const struct simulation before = writing_simulate("no", NULL);
    assert_true(behind.makespan_s == 12 && before.makespan_s == 16);
    assert_true(behind.worker_busy_s == 11 && before.worker_busy_s == 15);
    assert_true(behind.output_s == 5 && before.output_s == 9);
    assert_true(behind.idle_first_s == 1 && behind.idle_between_s == 0);
    double *hidden = trace_hidden(&trace);
    size_t written = 0;
    assert_non_null(hidden);
    for (size_t k = 0; k < trace.count; k++) {
        const struct trace_event *event = &trace.events[k];
        if (event->operation != OPERATION_OUTPUT) {
            assert_true(hidden[k] == 0);
            continue;
        }
        assert_true(event->start_s == output[written][0] && event->end_s == output[written][1]);
        assert_true(hidden[k] == hidden_s[written]);
        written++;
    }
    assert_int_equal(written, 3);
    free(hidden);
    trace_release(&trace);
}

/* The last event first: what is hidden does not depend on the order. */
static void what_is_hidden_needs_no_order(void **state)
{
    struct trace trace = {.count = 0};
    (void)state;
    writing_simulate("yes", &trace);
    double *before = trace_hidden(&trace);
    for (size_t k = 0; k < trace.count / 2; k++) {
        const struct trace_event event = trace.events[k];
        trace.events[k] = trace.events[trace.count - 1 - k];
        trace.events[trace.count - 1 - k] = event;
    }
    double *after = trace_hidden(&trace);
    assert_true(before && after);
    for (size_t k = 0; k < trace.count; k++)
        assert_true(after[k] == before[trace.count - 1 - k]);
    free(before);
    free(after);
    trace_release(&trace);
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
                   "the plan uses worker 2, but there are 1: make the plan again with this "
                   "profile");
    platform_release(&platform);
    assert_true(platform_init(&platform, &profile.settings[0], 0, &none));
    plan.rounds[1].loads[0] = 11;
    assert_false(simulate_plan(&platform, &plan, NULL, &simulation, &window));
    assert_failure(window, FAILURE_MISMATCH,
                   "a package of 11 tasks for worker 1 lies in no window of the profile: make the "
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

/* Utilisations are the same from the plan and from its trace. */
static void periods_agree(const struct platform *platform, const struct plan *plan,
                          const struct trace *trace, uint64_t seed)
{
    const struct periods periods = periods_of_plan(platform, plan);
    const double planned = periods.worker_utilization;
    struct periods traced;
    assert_true(periods_of_trace(trace, plan, &traced));
    if (!(fabs(traced.worker_utilization - planned) <= 1e-6 && planned > 0 && planned <= 1 + 1e-12))
        fail_msg("seed %" PRIu64 ": utilisation %.17g, in the trace %.17g", seed, planned,
                 traced.worker_utilization);
    if (!(fabs(traced.master_utilization - periods.master_utilization) <= 1e-6))
        fail_msg("seed %" PRIu64 ": the master's utilisation %.17g, in the trace %.17g", seed,
                 periods.master_utilization, traced.master_utilization);
}

/* The results of all packages are written behind; to write them takes up to ten times as long as it
 * would. */
static void write_behind(struct dice *dice, struct profile_setting *setting, struct plan *plan)
{
    setting->write_behind = true;
    parameter_list_release(&plan->parameters);
    assert_true(parameter_list_add(&plan->parameters, PLATFORM_WRITE_BEHIND, "yes", 0));
    for (size_t w = 0; w < setting->window_count; w++)
        for (size_t k = 0; k < setting->windows[w].worker_count; k++) {
            struct cost *output = &setting->windows[w].workers[k].output.cost;
            const double factor = dice_scale(dice, 0.1, 1000);
            *output = (struct cost){output->latency_s * factor, output->s_per_task * factor};
        }
}

/* Workers that start for up to as long as the plan takes without. */
static void starts_add(uint64_t seed, const struct plan *plan, struct profile *profile)
{
    struct dice dice = {~seed};
    struct platform platform;
    struct simulation simulation;
    struct failure failure = FAILURE_INIT;
    struct profile_setting *setting = &profile->settings[0];
    assert_true(platform_init(&platform, setting, 0, &failure));
    assert_true(simulate_plan(&platform, plan, NULL, &simulation, &failure));
    for (size_t k = 0; k < setting->windows[0].worker_count; k++) {
        const double start_s = simulation.makespan_s * dice_unit(&dice);
        for (size_t w = 0; w < setting->window_count && k % 4 < 3; w++)
            setting->windows[w].workers[k].start.cost.latency_s = start_s;
    }
    platform_release(&platform);
}

/* One random platform and plan: oracle = simulation = traced simulation >= bound. */
static void random_case(uint64_t seed)
{
    struct dice dice = {seed};
    struct profile profile;
    struct plan plan;
    struct platform platform;
    struct simulation simulation, traced;
    struct trace trace = {.count = 0};
    struct failure failure = FAILURE_INIT;
    sample_profile(&dice, 30, 1, &profile);
    int64_t workers = profile_workers(&profile.settings[0].windows[0]);
    sample_plan(&dice, workers, seed % 4 == 0, &plan);
    if (seed % 3 == 0)
        write_behind(&dice, &profile.settings[0], &plan);
    if (seed % 2 == 0)
        starts_add(seed, &plan, &profile);
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

/* The same packages on the same platform, but for when their results are written. */
static void behind_case(uint64_t seed)
{
    struct dice dice = {seed};
    struct profile profile;
    struct plan plan;
    struct platform platform;
    struct simulation before, behind, quick;
    struct failure failure = FAILURE_INIT;
    sample_profile(&dice, 12, 1, &profile);
    sample_plan(&dice, profile_workers(&profile.settings[0].windows[0]), seed % 4 == 0, &plan);
    write_behind(&dice, &profile.settings[0], &plan);
    if (seed % 3 == 0)
        starts_add(seed, &plan, &profile);
    for (size_t r = 0; r < plan.round_count; r++)
        plan.rounds[r].repeat = dice_whole(&dice, 1, seed % 2 == 0 ? 4000 : 40);
    assert_true(platform_init(&platform, &profile.settings[0], 0, &failure));
    platform.buffers = (int)dice_whole(&dice, 1, 4);
    assert_true(simulate_plan(&platform, &plan, NULL, &behind, &failure));
    assert_true(evaluate_plan(&platform, &plan, &quick, &failure));
    platform.write_behind = false;
    assert_true(simulate_plan(&platform, &plan, NULL, &before, &failure));
    if (!(behind.makespan_s <= before.makespan_s * (1 + 1e-12)))
        fail_msg("seed %" PRIu64 ": %.17g s, not behind %.17g s", seed, behind.makespan_s,
                 before.makespan_s);
    assert_near(quick.makespan_s, behind.makespan_s, seed);
    assert_near(quick.worker_busy_s, behind.worker_busy_s, seed);
    assert_near(quick.idle_first_s, behind.idle_first_s, seed);
    assert_true(behind.worker_busy_s <=
                behind.makespan_s * (double)behind.workers_used * (1 + 1e-12));
    platform_release(&platform);
    plan_release(&plan);
    profile_release(&profile);
}

static void writing_behind_is_never_slower(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 600; seed++)
        behind_case(seed);
}

/* Where nothing takes time to be written, there is nothing to be written behind. */
static void no_output_no_difference(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 200; seed++) {
        struct dice dice = {seed};
        struct profile profile;
        struct plan plan;
        struct platform platform;
        struct simulation before, behind;
        struct failure failure = FAILURE_INIT;
        sample_profile(&dice, 12, 1, &profile);
        sample_plan(&dice, profile_workers(&profile.settings[0].windows[0]), false, &plan);
        struct profile_setting *setting = &profile.settings[0];
        for (size_t w = 0; w < setting->window_count; w++)
            for (size_t k = 0; k < setting->windows[w].worker_count; k++)
                setting->windows[w].workers[k].output.cost = (struct cost){0, 0};
        for (int k = 0; k < 2; k++) {
            setting->write_behind = k == 1;
            assert_true(platform_init(&platform, setting, 0, &failure));
            assert_true(
                simulate_plan(&platform, &plan, NULL, k == 1 ? &behind : &before, &failure));
            platform_release(&platform);
        }
        if (memcmp(&before, &behind, sizeof before) != 0)
            fail_msg("seed %" PRIu64 ": %.17g s, and %.17g s behind", seed, before.makespan_s,
                     behind.makespan_s);
        plan_release(&plan);
        profile_release(&profile);
    }
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
        cmocka_unit_test(results_are_written_behind),
        cmocka_unit_test(what_is_hidden_needs_no_order),
        cmocka_unit_test(writing_behind_is_never_slower),
        cmocka_unit_test(no_output_no_difference),
        cmocka_unit_test(plans_refused),
        cmocka_unit_test(simulation_equals_oracle),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

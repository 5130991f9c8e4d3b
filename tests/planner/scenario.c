/* The simulation with disturbances: without any it is the prediction, and equal seeds give equal
 * runs. */
#include "planner/simulate/scenario.h"

#include <inttypes.h>
#include <math.h>

#include "planner/simulate/ensemble.h"
#include "tests/checks.h"
#include "tests/planner/samples.h"

struct setup {
    struct profile profile;
    struct platform platform;
    struct plan plan;
};

static void setup_init(struct setup *setup, struct dice *dice)
{
    struct failure failure = FAILURE_INIT;
    sample_profile(dice, 20, 1, &setup->profile);
    sample_plan(dice, profile_workers(&setup->profile.settings[0].windows[0]), false, &setup->plan);
    assert_true(platform_init(&setup->platform, &setup->profile.settings[0], 0, &failure));
}

static void setup_release(struct setup *setup)
{
    platform_release(&setup->platform);
    plan_release(&setup->plan);
    profile_release(&setup->profile);
}

static struct simulation simulate(const struct setup *setup, const struct scenario *scenario,
                                  struct trace *trace)
{
    const struct decision decision = {.plan = &setup->plan};
    struct failure failure = FAILURE_INIT;
    struct simulation simulation = {0};
    struct dispatch *dispatch = decision_dispatch(&decision, &setup->platform, scenario, &failure);
    if (!dispatch ||
        !simulate_scenario(&setup->platform, dispatch, scenario, trace, &simulation, &failure))
        fail_msg("%s", failure.text);
    dispatch_free(&dispatch);
    return simulation;
}

static bool simulation_equal(const struct simulation *a, const struct simulation *b)
{
    return a->makespan_s == b->makespan_s && a->worker_busy_s == b->worker_busy_s &&
           a->master_busy_s == b->master_busy_s && a->port_busy_s == b->port_busy_s &&
           a->earliest_end_s == b->earliest_end_s && a->packages == b->packages &&
           a->workers_used == b->workers_used;
}

static void without_surprises_it_is_the_prediction(void **state)
{
    const struct scenario usual = SCENARIO_INIT;
    (void)state;
    for (uint64_t seed = 1; seed <= 500; seed++) {
        struct dice dice = {seed};
        struct setup setup;
        struct simulation predicted;
        struct failure failure = FAILURE_INIT;
        setup_init(&setup, &dice);
        assert_true(simulate_plan(&setup.platform, &setup.plan, NULL, &predicted, &failure));
        struct simulation simulated = simulate(&setup, &usual, NULL);
        if (simulated.makespan_s != predicted.makespan_s ||
            simulated.earliest_end_s != predicted.earliest_end_s ||
            simulated.packages != predicted.packages ||
            simulated.port_busy_s != predicted.port_busy_s)
            fail_msg("seed %" PRIu64 ": %.17g, predicted %.17g", seed, simulated.makespan_s,
                     predicted.makespan_s);
        setup_release(&setup);
    }
}

static void equal_seeds_repeat(void **state)
{
    struct scenario noisy = SCENARIO_INIT;
    (void)state;
    noisy.noise = 0.2;
    noisy.outlier_rate = 0.05;
    noisy.outlier_factor = 10;
    for (uint64_t seed = 1; seed <= 50; seed++) {
        struct dice dice = {seed};
        struct setup setup;
        setup_init(&setup, &dice);
        noisy.seed = seed;
        struct simulation once = simulate(&setup, &noisy, NULL);
        struct simulation twice = simulate(&setup, &noisy, NULL);
        assert_true(simulation_equal(&once, &twice));
        noisy.seed = seed + 1;
        struct simulation other = simulate(&setup, &noisy, NULL);
        assert_false(simulation_equal(&once, &other));
        setup_release(&setup);
    }
}

/* The factors have the mean and the deviation that was asked for. */
static void noise_is_as_wide_as_said(void **state)
{
    struct platform_class class = {.count = 1, .compute = {0, 1}};
    struct platform_window window = {1, 1, {0, 0}, {0, 0}, &class, 1, {0, 0}, {0, 0}};
    const struct platform platform = {
        .windows = &window, .window_count = 1, .worker_count = 1, .buffers = 2};
    const struct dispatch_setup setup = {
        .rule = "ss", .tasks = 20000, .workers = 1, .ahead = 1, .least = 1, .most = 1};
    struct scenario noisy = SCENARIO_INIT;
    struct trace trace = {.count = 0};
    struct simulation simulation;
    struct failure failure = FAILURE_INIT;
    double sum = 0, squares = 0;
    (void)state;
    noisy.noise = 0.25;
    noisy.seed = 7;
    struct dispatch *dispatch = dispatch_new_rule(&setup, &failure);
    assert_non_null(dispatch);
    assert_true(simulate_scenario(&platform, dispatch, &noisy, &trace, &simulation, &failure));
    assert_int_equal(trace.count, 20000);
    for (size_t k = 0; k < trace.count; k++) {
        double time_s = trace.events[k].end_s - trace.events[k].start_s;
        assert_true(time_s > 0);
        sum += time_s;
        squares += time_s * time_s;
    }
    double mean = sum / 20000;
    assert_true(fabs(mean - 1) < 0.01);
    assert_true(fabs(sqrt(squares / 20000 - mean * mean) - 0.25) < 0.01);
    trace_release(&trace);
    dispatch_free(&dispatch);
}

/* The last package of a rule may be smaller than any that a plan would have: it costs what the
 * nearest window says, and no rule ends for it. */
static void last_packages_may_be_small(void **state)
{
    enum { TASKS = 10007, WORKERS = 4 };
    struct platform_class class = {.count = WORKERS, .compute = {1e-3, 1e-2}};
    struct platform_window window = {25, 450, {1e-5, 0}, {1e-5, 0}, &class, 1, {0, 0}, {0, 0}};
    const struct platform platform = {
        .windows = &window, .window_count = 1, .worker_count = WORKERS, .buffers = 2};
    (void)state;
    for (size_t k = 0; k < dispatch_rule_count(); k++) {
        const struct scenario usual = SCENARIO_INIT;
        struct dispatch_setup setup = {
            .rule = dispatch_rule_name(k).name, .tasks = TASKS, .workers = WORKERS, .ahead = 2};
        struct trace trace = {.count = 0};
        struct simulation simulation;
        struct failure failure = FAILURE_INIT;
        int64_t tasks = 0, small = 0;
        double *weights = dispatch_setup_platform(&setup, &platform);
        assert_non_null(weights);
        assert_true(setup.least == 25 && setup.most == 450 && weights[0] == 100);
        assert_true(fabs(setup.overhead_s - 1.02e-3) < 1e-12);
        struct dispatch *dispatch = dispatch_new_rule(&setup, &failure);
        free(weights);
        assert_non_null(dispatch);
        assert_true(simulate_scenario(&platform, dispatch, &usual, &trace, &simulation, &failure));
        for (size_t i = 0; i < trace.count; i++) {
            const struct trace_event *event = &trace.events[i];
            if (event->operation != OPERATION_COMPUTE)
                continue;
            tasks += event->tasks;
            small += event->tasks < 25;
            assert_true(fabs(event->end_s - event->start_s - 1e-3 - 1e-2 * (double)event->tasks) <
                        1e-9);
        }
        assert_int_equal(tasks, TASKS);
        assert_true(small <= 1);
        trace_release(&trace);
        dispatch_free(&dispatch);
    }
}

static void slow_workers_take_longer(void **state)
{
    struct scenario slow = SCENARIO_INIT;
    const struct scenario usual = SCENARIO_INIT;
    (void)state;
    for (uint64_t seed = 1; seed <= 50; seed++) {
        struct dice dice = {seed};
        struct setup setup;
        setup_init(&setup, &dice);
        slow.slow_workers = setup.platform.worker_count;
        slow.slow_factor = 3;
        struct simulation before = simulate(&setup, &usual, NULL);
        struct simulation after = simulate(&setup, &slow, NULL);
        assert_true(fabs(after.worker_busy_s - 3 * before.worker_busy_s) <
                    1e-9 * after.worker_busy_s);
        assert_true(after.makespan_s > before.makespan_s);
        setup_release(&setup);
    }
}

/* After a loss the others do what is missing: their computed tasks and the lost worker's are all.
 */
static void losses_are_made_good(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 200; seed++) {
        struct dice dice = {seed};
        struct setup setup;
        struct scenario loss = SCENARIO_INIT;
        const struct scenario usual = SCENARIO_INIT;
        struct trace trace = {.count = 0};
        setup_init(&setup, &dice);
        if (setup.platform.worker_count > 1) {
            double tasks = 0;
            loss.lost_worker = dice_whole(&dice, 0, setup.platform.worker_count - 1);
            loss.lost_s = dice_unit(&dice) * simulate(&setup, &usual, NULL).makespan_s;
            struct simulation after = simulate(&setup, &loss, &trace);
            for (size_t k = 0; k < trace.count; k++) {
                const struct trace_event *event = &trace.events[k];
                bool late = event->rank == loss.lost_worker + 1 && event->end_s > loss.lost_s;
                if (event->operation == OPERATION_COMPUTE && !late)
                    tasks += (double)event->tasks;
            }
            /* The package being output at that very time was computed, and is lost all the same. */
            assert_true(tasks >= setup.plan.tasks);
            assert_true(after.makespan_s > 0);
        }
        trace_release(&trace);
        setup_release(&setup);
    }
}

/* A package more than the effort is for, after those that are simulated anyhow. */
static void effort_ends_what_is_simulated_one_by_one(void **state)
{
    enum { ANYHOW = 3, EFFORT = 2 };
    struct dice dice = {1};
    struct setup setup;
    struct effort effort = {EFFORT * EFFORT_PACKAGE};
    struct scenario loss = SCENARIO_INIT;
    struct simulation simulation;
    struct failure failure = FAILURE_INIT;
    (void)state;
    setup_init(&setup, &dice);
    setup.plan.rounds[0].repeat = 1000;
    const struct decision decision = {.plan = &setup.plan};
    loss.simulated = ANYHOW;
    loss.effort = &effort;
    loss.lost_worker = 0;
    loss.lost_s = 1;
    struct dispatch *dispatch = decision_dispatch(&decision, &setup.platform, &loss, &failure);
    assert_non_null(dispatch);
    assert_false(simulate_scenario(&setup.platform, dispatch, &loss, NULL, &simulation, &failure));
    assert_failure(failure, FAILURE_USAGE,
                   "packages are simulated one by one here, and --effort ended at package 5: "
                   "allow more seconds, or simulate fewer core tasks or a plan with larger "
                   "packages");
    dispatch_free(&dispatch);
    setup_release(&setup);
}

static void losing_the_only_worker_is_refused(void **state)
{
    struct platform_class class = {.count = 1, .compute = {0, 1}};
    struct platform_window window = {1, 100, {0, 0}, {0, 0}, &class, 1, {0, 0}, {0, 0}};
    const struct platform platform = {
        .windows = &window, .window_count = 1, .worker_count = 1, .buffers = 2};
    const struct dispatch_setup setup = {
        .rule = "gss", .tasks = 100, .workers = 1, .ahead = 1, .least = 1, .most = 100};
    const struct decision decision = {.setup = &setup};
    struct scenario loss = SCENARIO_INIT;
    struct ensemble_summary robustness;
    struct failure failure = FAILURE_INIT;
    (void)state;
    loss.lost_worker = 0;
    loss.lost_s = 50;
    assert_false(ensemble_study(
        &(const struct ensemble_setup){
            .platform = &platform, .decision = &decision, .scenario = &loss, .runs = 3},
        &robustness, &failure));
    assert_failure(failure, FAILURE_INFEASIBLE,
                   "no worker is left for the remaining tasks: simulate more workers");
}

static void percentiles_are_in_order(void **state)
{
    struct dice dice = {11};
    struct setup setup;
    struct scenario noisy = SCENARIO_INIT;
    struct ensemble_summary robustness;
    struct failure failure = FAILURE_INIT;
    (void)state;
    setup_init(&setup, &dice);
    const struct decision decision = {.plan = &setup.plan};
    assert_true(ensemble_study(
        &(const struct ensemble_setup){
            .platform = &setup.platform, .decision = &decision, .scenario = &noisy, .runs = 9},
        &robustness, &failure));
    assert_true(robustness.least_s == robustness.greatest_s);
    noisy.noise = 0.3;
    assert_true(ensemble_study(
        &(const struct ensemble_setup){
            .platform = &setup.platform, .decision = &decision, .scenario = &noisy, .runs = 40},
        &robustness, &failure));
    assert_true(robustness.least_s < robustness.median_s);
    assert_true(robustness.median_s < robustness.p95_s);
    assert_true(robustness.p95_s <= robustness.greatest_s);
    setup_release(&setup);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(without_surprises_it_is_the_prediction),
        cmocka_unit_test(equal_seeds_repeat),
        cmocka_unit_test(noise_is_as_wide_as_said),
        cmocka_unit_test(last_packages_may_be_small),
        cmocka_unit_test(slow_workers_take_longer),
        cmocka_unit_test(losses_are_made_good),
        cmocka_unit_test(effort_ends_what_is_simulated_one_by_one),
        cmocka_unit_test(losing_the_only_worker_is_refused),
        cmocka_unit_test(percentiles_are_in_order),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* What a rule's run typically takes, against independent draws from the same statement. */
#include "planner/studies/typical.h"

#include <math.h>
#include <stdlib.h>

#include "planner/model/platform.h"
#include "planner/simulate/scenario.h"
#include "planner/simulate/star.h"
#include "tests/checks.h"
#include "tests/planner/samples.h"

enum { WORKERS = 3, TASKS = 112, AHEAD = 2, TRUTHS = 400 };

/* Workers that are alike and a rule; a task of theirs takes 74 ms. */
struct bench {
    struct profile profile;
    struct profile_setting setting;
    struct profile_window window;
    struct profile_worker worker;
    struct platform platform;
    struct plan plan;
    struct dispatch_setup rule;
    double *weights;
    struct dice dice;
};

static void bench_init(struct bench *bench, const char *rule, double deviation, double jitter_s)
{
    struct failure failure = FAILURE_INIT;
    *bench = (struct bench){.dice = {11}};
    bench->worker = (struct profile_worker){
        .count = WORKERS,
        .link = {{0, 4e-3}, {.n = 0}},
        .output = {{5e-4, 3e-4}, {.n = 0}},
        .compute = {{0, 74e-3}, {.deviation = deviation, .jitter_s = jitter_s, .n = 99}}};
    bench->window = (struct profile_window){
        .least = 1, .greatest = TASKS, .workers = &bench->worker, .worker_count = 1};
    bench->setting = (struct profile_setting){.windows = &bench->window, .window_count = 1};
    bench->profile = (struct profile){.settings = &bench->setting, .setting_count = 1};
    bench->plan.tasks = TASKS;
    assert_true(platform_init(&bench->platform, &bench->setting, 0, &failure));
    bench->rule =
        (struct dispatch_setup){.rule = rule, .tasks = TASKS, .workers = WORKERS, .ahead = AHEAD};
    bench->weights = dispatch_setup_platform(&bench->rule, &bench->platform);
    assert_non_null(bench->weights);
}

static void bench_release(struct bench *bench)
{
    free(bench->weights);
    platform_release(&bench->platform);
}

static double typical_of(const struct bench *bench, struct trace *trace)
{
    struct failure failure = FAILURE_INIT;
    struct simulation simulation;
    const struct typical_request request = {.profile = &bench->profile,
                                            .setting = &bench->setting,
                                            .plan = &bench->plan,
                                            .platform = &bench->platform,
                                            .rule = &bench->rule};
    assert_true(typical_simulate(&request, trace, &simulation, &failure));
    return simulation.makespan_s;
}

static double simulated(const struct bench *bench, const struct scenario *scenario)
{
    struct failure failure = FAILURE_INIT;
    struct simulation simulation;
    struct dispatch *dispatch = dispatch_new_rule(&bench->rule, &failure);
    assert_non_null(dispatch);
    assert_true(
        simulate_scenario(&bench->platform, dispatch, scenario, NULL, &simulation, &failure));
    dispatch_free(&dispatch);
    return simulation.makespan_s;
}

/* Normal, by the sum of twelve. */
static void truth_price(void *pricer, const struct package *package, struct star_cost *cost)
{
    struct bench *bench = pricer;
    const struct fit *fit = &bench->worker.compute.fit;
    double normal = -6;
    (void)package;
    for (int k = 0; k < 12; k++)
        normal += dice_unit(&bench->dice);
    cost->compute_s += normal * hypot(fit->deviation * cost->compute_s, fit->jitter_s);
}

static int ascending(const void *a, const void *b)
{
    const double p = *(const double *)a, q = *(const double *)b;
    return (p > q) - (p < q);
}

static void truths_draw(struct bench *bench, double truths_s[TRUTHS])
{
    struct scenario scenario = SCENARIO_INIT;
    const struct variation variation = {.price = truth_price, .self = bench};
    scenario.variation = &variation;
    for (int k = 0; k < TRUTHS; k++)
        truths_s[k] = simulated(bench, &scenario);
    qsort(truths_s, TRUTHS, sizeof *truths_s, ascending);
}

static void what_is_certain_is_what_is_simulated(void **state)
{
    const struct scenario usual = SCENARIO_INIT;
    (void)state;
    for (size_t k = 0; k < dispatch_rule_count(); k++) {
        struct bench bench;
        bench_init(&bench, dispatch_rule_name(k).name, 0, 0);
        assert_true(typical_of(&bench, NULL) == simulated(&bench, &usual));
        bench_release(&bench);
    }
}

/* In the middle of what may happen, whatever the rule. */
static void a_typical_run_is_in_the_middle(void **state)
{
    (void)state;
    for (size_t k = 0; k < dispatch_rule_count(); k++) {
        struct bench bench;
        double truths_s[TRUTHS];
        bench_init(&bench, dispatch_rule_name(k).name, 0.016, 2.4e-3);
        truths_draw(&bench, truths_s);
        const double typical_s = typical_of(&bench, NULL);
        print_message("%-8s %.3f s, of %.3f, %.3f, %.3f s\n", dispatch_rule_name(k).name, typical_s,
                      truths_s[TRUTHS / 4], truths_s[TRUTHS / 2], truths_s[3 * TRUTHS / 4]);
        assert_true(typical_s > truths_s[TRUTHS * 3 / 10] && typical_s < truths_s[TRUTHS * 7 / 10]);
        assert_true(typical_of(&bench, NULL) == typical_s);
        bench_release(&bench);
    }
}

/* Three workers who are exactly alike ask at once, and one of them gets what is to be divided: as
 * soon as they differ a little, that hardly ever happens. */
static void a_single_simulation_is_not(void **state)
{
    const struct scenario usual = SCENARIO_INIT;
    struct bench bench;
    double truths_s[TRUTHS];
    (void)state;
    bench_init(&bench, "monitor", 0.016, 2.4e-3);
    truths_draw(&bench, truths_s);
    assert_true(simulated(&bench, &usual) > truths_s[TRUTHS * 7 / 10]);
    bench_release(&bench);
}

static void interval_of(const struct bench *bench, double interval_s[2])
{
    struct failure failure = FAILURE_INIT;
    const struct typical_request request = {.profile = &bench->profile,
                                            .setting = &bench->setting,
                                            .plan = &bench->plan,
                                            .platform = &bench->platform,
                                            .rule = &bench->rule};
    assert_true(typical_interval(&request, interval_s, &failure));
}

/* Nine runs of ten are in the interval where single packages differ, whatever the rule; drift makes
 * it wider, and what is certain has none. */
static void nine_runs_of_ten_are_in_the_interval(void **state)
{
    (void)state;
    for (size_t k = 0; k < dispatch_rule_count(); k++) {
        struct bench bench;
        double truths_s[TRUTHS], interval_s[2], wider_s[2];
        int within = 0;
        bench_init(&bench, dispatch_rule_name(k).name, 0.016, 2.4e-3);
        truths_draw(&bench, truths_s);
        interval_of(&bench, interval_s);
        for (int run = 0; run < TRUTHS; run++)
            within += truths_s[run] >= interval_s[0] && truths_s[run] <= interval_s[1];
        bench.worker.compute.fit.drift = 0.1;
        interval_of(&bench, wider_s);
        print_message("%-8s %.3f to %.3f s, %d of %d; with drift %.3f to %.3f s\n",
                      dispatch_rule_name(k).name, interval_s[0], interval_s[1], within, TRUTHS,
                      wider_s[0], wider_s[1]);
        assert_true(within > TRUTHS * 78 / 100 && within < TRUTHS * 98 / 100);
        assert_true(wider_s[1] - wider_s[0] > 2 * (interval_s[1] - interval_s[0]));
        bench.worker.compute.fit = (struct fit){.n = 99};
        interval_of(&bench, interval_s);
        assert_true(interval_s[0] == 0 && interval_s[1] == 0);
        bench_release(&bench);
    }
}

static void the_trace_is_that_run(void **state)
{
    struct bench bench;
    struct trace trace = {.count = 0};
    double end_s = 0;
    int64_t tasks = 0;
    (void)state;
    bench_init(&bench, "fac", 0.02, 1e-3);
    const double typical_s = typical_of(&bench, &trace);
    for (size_t k = 0; k < trace.count; k++) {
        end_s = fmax(end_s, trace.events[k].end_s);
        tasks += trace.events[k].operation == OPERATION_COMPUTE ? trace.events[k].tasks : 0;
    }
    assert_int_equal(tasks, TASKS);
    assert_true(end_s == typical_s);
    trace_release(&trace);
    bench_release(&bench);
}

/* A million packages are not simulated a hundred times. */
static void large_jobs_are_simulated_once(void **state)
{
    const struct scenario usual = SCENARIO_INIT;
    struct bench bench;
    (void)state;
    bench_init(&bench, "ss", 0.02, 1e-3);
    bench.rule.tasks = 200000;
    assert_true(typical_of(&bench, NULL) == simulated(&bench, &usual));
    double interval_s[2];
    interval_of(&bench, interval_s);
    assert_true(interval_s[1] == 0);
    bench_release(&bench);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_certain_is_what_is_simulated),
        cmocka_unit_test(a_typical_run_is_in_the_middle),
        cmocka_unit_test(a_single_simulation_is_not),
        cmocka_unit_test(nine_runs_of_ten_are_in_the_interval),
        cmocka_unit_test(the_trace_is_that_run),
        cmocka_unit_test(large_jobs_are_simulated_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

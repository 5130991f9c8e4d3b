/* From timings to costs: the costs of a simulated machine are found again, within the stated
 * errors. */
#include <math.h>

#include "calibrate/fit/assemble.h"
#include "calibrate/fit/costs.h"
#include "tests/calibrate/synthetic.h"
#include "tests/cases.h"
#include "tests/checks.h"

enum { LARGEST = 1024 };
static int seeds; /* of each kind of machine */

/* The last tile of every row of 23 is a sliver. */
static double share_sliver(int64_t task)
{
    return task % 23 == 22 ? 0.05 : 1;
}

/* Half the job costs three times as much as the other half. */
static double share_uneven(int64_t task)
{
    return 1 + 0.5 * sin((double)task * 3.14159265358979323846 / 2500);
}

static const struct {
    const char *what;
    struct machine machine;
} machines[] = {
    {"noise of 3 %", {.latency_s = 2e-4, .s_per_task = 1e-3, .noise = 0.03}},
    {"noise of 30 %", {.latency_s = 2e-4, .s_per_task = 1e-3, .noise = 0.3}},
    {"no latency", {.latency_s = 0, .s_per_task = 1e-3, .noise = 0.1}},
    {"no rate", {.latency_s = 5e-5, .s_per_task = 0, .noise = 0.1}},
    {"outliers",
     {.latency_s = 2e-4,
      .s_per_task = 1e-3,
      .noise = 0.05,
      .outlier_rate = 0.005,
      .outlier_factor = 20}},
    {"drift of 5 %", {.latency_s = 2e-4, .s_per_task = 1e-3, .noise = 0.03, .drift = 0.05}},
    {"slivers", {.latency_s = 2e-4, .s_per_task = 1e-3, .noise = 0.03, .share = share_sliver}},
    {"uneven tasks", {.latency_s = 2e-4, .s_per_task = 1e-3, .noise = 0.03, .share = share_uneven}},
};

static struct costs costs_of(const struct machine *machine, enum operation operation, uint64_t seed)
{
    const struct sample_choice choice = {0, 1, 1, operation, SAMPLE_ANY};
    struct failure failure = FAILURE_INIT;
    struct samples samples = {0};
    struct costs costs;
    machine_time(machine, operation, 1, LARGEST, seed, &samples);
    assert_true(costs_fit(&samples, &choice, &costs, &failure));
    samples_release(&samples);
    return costs;
}

/* The error of a package's cost, as the profile states it. */
static double error_at(const struct measured_cost *cost, double tasks)
{
    const struct fit *fit = &cost->fit;
    const double a = fit->stderr_latency_s, b = fit->stderr_s_per_task * tasks;
    const double drift = hypot(fit->drift, fit->drift_own) * cost_of(cost->cost, tasks);
    return sqrt(a * a + b * b + 2 * fit->correlation * a * b + drift * drift);
}

static bool is_covered(const struct costs *costs, const struct machine *machine, double tasks)
{
    static const double ninety = 1.645;
    const struct measured_cost *cost = &costs_find(costs, tasks)->cost;
    const double off = fabs(cost_of(cost->cost, tasks) - machine_mean(machine, tasks));
    return off <= ninety * error_at(cost, tasks);
}

static void test_costs_are_recovered(void **state)
{
    (void)state;
    for (size_t k = 0; k < COUNT_OF(machines); k++) {
        const struct machine *machine = &machines[k].machine;
        int small = 0, large = 0, pieces = 0;
        double off = 0;
        for (uint64_t seed = 1; seed <= (uint64_t)seeds; seed++) {
            const struct costs costs = costs_of(machine, OPERATION_OUTPUT, seed);
            const double there = cost_of(costs_find(&costs, LARGEST / 2)->cost.cost, LARGEST / 2);
            small += is_covered(&costs, machine, 16);
            large += is_covered(&costs, machine, LARGEST / 2);
            pieces += costs.count > 1;
            off += fabs(there / machine_mean(machine, LARGEST / 2) - 1) / seeds;
        }
        print_message(
            "%s: seeds 1 to %d: within the 90 %% interval: %d at 16 tasks, %d at %d, mean "
            "error %.2f %%, broken %d times\n",
            machines[k].what, seeds, small, large, LARGEST / 2, 100 * off, pieces);
        assert_true(small >= seeds * 9 / 10);
        assert_true(large >= seeds * 9 / 10);
        assert_true(pieces <= seeds / 20);
    }
}

/* Eager messages become rendezvous ones somewhere between two sizes that were probed. */
static void test_breaks_are_found(void **state)
{
    (void)state;
    int right = 0, single = 0;
    for (uint64_t seed = 1; seed <= (uint64_t)seeds; seed++) {
        struct generator generator = {seed * 77 + 5};
        generator_uniform(&generator);
        struct machine machine = {.latency_s = 1e-5,
                                  .s_per_task = 1e-7,
                                  .jump_s = 4e-5,
                                  .rate_factor = 1.5,
                                  .jump_at = (int64_t)(16 * pow(16, generator_uniform(&generator))),
                                  .noise = 0.1};
        struct costs costs = costs_of(&machine, OPERATION_OUTPUT, seed);
        const struct costs *const all[] = {&costs};
        struct windows windows;
        windows_make(all, 1, LARGEST, &windows);
        single += windows.count == 2;
        const double found = (double)windows.greatest[0], jump = (double)machine.jump_at;
        right += windows.count >= 2 && found < 2 * jump && found > jump / 2;
    }
    print_message("seeds 1 to %d: break within a probe step: %d, one break alone: %d\n", seeds,
                  right, single);
    assert_true(right >= seeds * 9 / 10);
    assert_true(single >= seeds * 9 / 10);
}

/* A latency below 0 is what a line may have whose window does not reach down to 0. */
static void test_latencies_may_be_negative(void **state)
{
    (void)state;
    struct points points = {.count = 0, .timings = 60};
    for (double tasks = 500; tasks <= 2500; tasks += 250)
        points.items[points.count++] = (struct point){
            .tasks = tasks, .mean_s = -1.1e-3 + 4e-6 * tasks, .error_s = 1e-6, .timings = 6};
    struct costs costs;
    struct failure failure = FAILURE_INIT;
    assert_true(costs_from_points(&points, &costs, &failure));
    assert_int_equal(costs.count, 1);
    assert_true(fabs(costs.pieces[0].cost.cost.latency_s + 1.1e-3) < 1e-5);
    assert_true(fabs(costs.pieces[0].cost.cost.s_per_task - 4e-6) < 1e-8);
}

/* Costs that are not visible are 0, and the absence of noise is no failure. */
static void test_nothing_to_fit(void **state)
{
    (void)state;
    struct points points = {.count = 0};
    struct costs costs;
    struct failure failure = FAILURE_INIT;
    assert_true(costs_from_points(&points, &costs, &failure));
    assert_true(costs.count == 1 && costs.pieces[0].cost.cost.s_per_task == 0);
    points = (struct points){.items = {{.tasks = 1, .mean_s = 1e-8, .error_s = 5e-8, .timings = 3}},
                             .count = 1};
    assert_true(costs_from_points(&points, &costs, &failure));
    assert_true(cost_of(costs.pieces[0].cost.cost, 1) == 0);
    points = (struct points){.items = {{.tasks = 1, .mean_s = 3e-3, .error_s = 1e-3, .timings = 1}},
                             .count = 1};
    assert_true(costs_from_points(&points, &costs, &failure));
    assert_true(fabs(cost_of(costs.pieces[0].cost.cost, 1) - 3e-3) < 1e-12);
    /* Ever less for ever more: a constant, or a rate, but never below 0. */
    points = (struct points){.items = {{.tasks = 1, .mean_s = 3e-3, .error_s = 1e-3, .timings = 1},
                                       {.tasks = 9, .mean_s = 1e-3, .error_s = 1e-3, .timings = 1}},
                             .count = 2};
    assert_true(costs_from_points(&points, &costs, &failure));
    assert_true(costs.pieces[0].cost.cost.s_per_task >= 0);
    assert_true(cost_of(costs.pieces[0].cost.cost, 9) > 0);
}

/* Computing takes time for every task, whatever noise says: other operations may be constant. */
static void test_computing_grows(void **state)
{
    (void)state;
    const struct machine machine = {.latency_s = 1e-3, .noise = 0.3};
    int constant = 0;
    for (uint64_t seed = 1; seed <= 100; seed++) {
        const struct costs compute = costs_of(&machine, OPERATION_COMPUTE, seed);
        const struct costs output = costs_of(&machine, OPERATION_OUTPUT, seed);
        for (int k = 0; k < compute.count; k++)
            assert_true(compute.pieces[k].cost.cost.s_per_task > 0);
        constant += output.pieces[0].cost.cost.s_per_task == 0;
    }
    print_message("seeds 1 to 100: constant %d times\n", constant);
    assert_true(constant >= 88);
}

/* One timing in a hundred that takes a hundred times as long is reported and cut, however often the
 * package next to it takes long by itself. */
static void test_outliers_are_cut(void **state)
{
    (void)state;
    const struct machine machine = {.latency_s = 2e-4,
                                    .s_per_task = 1e-3,
                                    .noise = 0.02,
                                    .outlier_rate = 0.01,
                                    .outlier_factor = 100,
                                    .share = share_uneven};
    const struct costs costs = costs_of(&machine, OPERATION_OUTPUT, 3);
    assert_true(costs.points.outliers > 0);
    assert_true(costs.points.outliers < costs.points.timings / 20);
    assert_true(costs.points.bound >= 2 && costs.points.bound < 4);
    assert_true(fabs(cost_of(costs.pieces[0].cost.cost, 512) / machine_mean(&machine, 512) - 1) <
                0.1);
}

/* The drift that workers share is told apart from that of each one. */
static void test_drift_of_workers(void **state)
{
    (void)state;
    enum { MACHINES = 200 };
    static const struct {
        double shared, own;
    } drifts[] = {{0.05, 0}, {0, 0.05}, {0.04, 0.04}};
    for (size_t k = 0; k < COUNT_OF(drifts); k++) {
        const struct machine machine = {.s_per_task = 1e-3,
                                        .noise = 0.02,
                                        .drift = drifts[k].shared,
                                        .drift_own = drifts[k].own};
        const struct sample_choice choice = {0, 1, 4, OPERATION_COMPUTE, SAMPLE_ANY};
        double shared = 0, own = 0;
        for (uint64_t seed = 1; seed <= MACHINES; seed++) {
            struct failure failure = FAILURE_INIT;
            struct samples samples = {0};
            struct costs costs;
            machine_time(&machine, OPERATION_COMPUTE, 4, 256, seed, &samples);
            assert_true(costs_fit(&samples, &choice, &costs, &failure));
            shared += costs.points.drift * costs.points.drift / MACHINES;
            own += costs.points.drift_own * costs.points.drift_own / MACHINES;
            samples_release(&samples);
        }
        print_message("seeds 1 to %d: drift %.3f and %.3f, found %.3f and %.3f\n", MACHINES,
                      drifts[k].shared, drifts[k].own, sqrt(shared), sqrt(own));
        assert_true(fabs(sqrt(shared) - drifts[k].shared) < (drifts[k].shared > 0 ? 0.008 : 0.02));
        assert_true(fabs(sqrt(own) - drifts[k].own) < (drifts[k].own > 0 ? 0.01 : 0.02));
    }
}

/* How far what a run would cost per task is off the fit, in deviations that the fit states: the
 * run has a drift of its own, alike or of one worker at a time. */
static double run_deviations(const struct machine *machine, int workers, uint64_t seed)
{
    const struct sample_choice choice = {0, 1, workers, OPERATION_COMPUTE, SAMPLE_ANY};
    struct generator generator = {seed * 77};
    struct failure failure = FAILURE_INIT;
    struct samples samples = {0};
    struct costs costs;
    machine_time(machine, OPERATION_COMPUTE, workers, 256, seed, &samples);
    assert_true(costs_fit(&samples, &choice, &costs, &failure));
    samples_release(&samples);
    double factor = 0;
    for (int i = 0; i < workers; i++)
        factor += (1 + machine->drift_own * generator_normal(&generator)) / workers;
    factor *= 1 + machine->drift * generator_normal(&generator);
    const struct fit *fit = &costs.pieces[0].cost.fit;
    const double mean_s = cost_of(costs.pieces[0].cost.cost, 64);
    const double error = error_at(&costs.pieces[0].cost, 64) / mean_s;
    const double own = fit->drift_own * fit->drift_own * (1 - 1.0 / workers);
    return (factor * machine_mean(machine, 64) / mean_s - 1) / sqrt(error * error - own);
}

/* A 90 % interval has the next run, although a drift is known from a few passes only. */
static void test_drift_of_the_next_run(void **state)
{
    (void)state;
    enum { MACHINES = 500 };
    for (int workers = 1; workers <= 4; workers += 3) {
        const struct machine machine = {.s_per_task = 1e-3, .noise = 0.02, .drift = 0.08};
        int inside = 0;
        for (uint64_t seed = 1; seed <= MACHINES; seed++)
            inside += fabs(run_deviations(&machine, workers, seed)) < 1.645;
        print_message("seeds 1 to %d, %d workers: %d inside\n", MACHINES, workers, inside);
        assert_in_range(inside, 0.85 * MACHINES, 0.97 * MACHINES);
    }
}

/* A size that was timed once is less sure than its neighbours, by the root of their number. */
static void test_single_timings_are_unsure(void **state)
{
    (void)state;
    const struct machine machine = {.latency_s = 2e-4, .s_per_task = 1e-3, .noise = 0.1};
    const struct sample_choice choice = {0, 1, 2, OPERATION_COMPUTE, SAMPLE_ANY};
    double ratio = 0;
    for (uint64_t seed = 1; seed <= 50; seed++) {
        struct failure failure = FAILURE_INIT;
        struct samples samples = {0};
        struct costs costs;
        machine_time(&machine, OPERATION_COMPUTE, 2, 256, seed, &samples);
        struct sample single = samples.items[0];
        single.tasks = 300;
        single.seconds = machine_mean(&machine, 300);
        assert_true(samples_add(&samples, &single));
        assert_true(costs_fit(&samples, &choice, &costs, &failure));
        samples_release(&samples);
        const struct point *point = &costs.points.items[costs.points.count - 1];
        assert_true(point->tasks == 300 && point->timings == 1);
        ratio += point->error_s / point->mean_s / machine.noise / 50;
    }
    print_message("seeds 1 to 50: stated error %.2f of a timing's\n", ratio);
    assert_true(ratio > 0.7 && ratio < 1.5);
}

/* The score of a good fit is the noise; that of one that has not seen how tasks differ is more. */
static void test_score(void **state)
{
    (void)state;
    struct machine machine = {.latency_s = 2e-4, .s_per_task = 1e-3, .noise = 0.05};
    for (int uneven = 0; uneven < 2; uneven++) {
        struct samples samples = {0};
        struct failure failure = FAILURE_INIT;
        double held_out, noise;
        machine.share = uneven ? share_uneven : NULL;
        machine_time(&machine, OPERATION_COMPUTE, 2, LARGEST, 11, &samples);
        const struct sample_choice choice = {0, 1, 2, OPERATION_COMPUTE, SAMPLE_BUSY};
        int64_t count;
        struct sample *chosen = samples_choose(&samples, &choice, &count);
        assert_non_null(chosen);
        assert_true(score_make(chosen, count, &held_out, &noise, &failure));
        free(chosen);
        print_message("held out %.3f, noise %.3f\n", held_out, noise);
        assert_true(fabs(noise - 0.05) < 0.02);
        assert_true(uneven ? held_out > 3 * noise : held_out < 1.6 * noise);
        samples_release(&samples);
    }
}

int main(void)
{
    seeds = (int)cases_of(1000);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_costs_are_recovered),
        cmocka_unit_test(test_breaks_are_found),
        cmocka_unit_test(test_latencies_may_be_negative),
        cmocka_unit_test(test_nothing_to_fit),
        cmocka_unit_test(test_computing_grows),
        cmocka_unit_test(test_outliers_are_cut),
        cmocka_unit_test(test_drift_of_workers),
        cmocka_unit_test(test_drift_of_the_next_run),
        cmocka_unit_test(test_single_timings_are_unsure),
        cmocka_unit_test(test_score),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

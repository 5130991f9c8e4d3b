/* Workers that differ, on core tasks that differ and are computed once each: told apart by the
 * probes of a survey, but not where only core tasks differ. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "calibrate/fit/worker_factors.h"
#include "planner/dispatch/survey.h"
#include "planner/simulate/scenario.h"
#include "planner/simulate/star.h"
#include "tests/cases.h"
#include "tests/checks.h"
#include "tests/planner/platforms.h"

enum { TASKS = 2000, WORKERS_MOST = 8, SEEDS = 60 };
static const double TASK_S = 0.02, LATENCY_S = 1e-3;

/* A job as it is simulated, and what its probes said of it. */
struct trial {
    int workers, slow; /* of them, the first, are twice as slow */
    double seconds[TASKS];
    struct trace trace;
    double factors[WORKERS_MOST], predicted_s;
};

static double speed_of(const struct trial *trial, int64_t worker)
{
    return worker < trial->slow ? 2 : 1;
}

static void price(void *pricer, const struct package *package, struct star_cost *cost)
{
    const struct trial *trial = pricer;
    double sum_s = LATENCY_S;
    for (int64_t k = package->first; k < package->first + package->count; k++)
        sum_s += trial->seconds[k];
    cost->compute_s = sum_s * speed_of(trial, package->worker);
}

/* The samples that are reported by now. */
static struct samples samples_of(const struct trace *trace, double now_s)
{
    struct samples samples = {.items = NULL};
    for (size_t i = 0; i < trace->count; i++) {
        const struct trace_event *event = &trace->events[i];
        const struct sample sample = {.rank = event->rank,
                                      .operation = OPERATION_COMPUTE,
                                      .first = event->first,
                                      .tasks = event->tasks,
                                      .seconds = event->end_s - event->start_s};
        if (event->operation == OPERATION_COMPUTE && event->end_s <= now_s)
            assert_true(samples_add(&samples, &sample));
    }
    return samples;
}

static void factors_find(const struct samples *samples, int workers, double *factors)
{
    const struct worker_timings timings = {.samples = samples, .workers = workers};
    struct worker_factors found;
    assert_true(worker_factors_find(&timings, &found));
    memcpy(factors, found.factors, (size_t)workers * sizeof *factors);
    worker_factors_release(&found);
}

/* All workers end together, for a rule assigns that learns of them. */
static struct dispatch *predict(void *self, const struct survey_remaining *remaining)
{
    struct trial *trial = self;
    struct samples samples = samples_of(&trial->trace, remaining->now_s);
    double sum_s = 0, tasks = 0, speeds = 0, weights[WORKERS_MOST];
    factors_find(&samples, trial->workers, trial->factors);
    for (int64_t i = 0; i < samples.count; i++) {
        sum_s += samples.items[i].seconds / trial->factors[samples.items[i].rank - 1];
        tasks += (double)samples.items[i].tasks;
    }
    for (int k = 0; k < trial->workers; k++)
        speeds += weights[k] = 1 / trial->factors[k];
    trial->predicted_s = remaining->now_s + (double)remaining->tasks * sum_s / tasks / speeds;
    samples_release(&samples);
    struct failure failure = FAILURE_INIT;
    const struct dispatch_setup rule = {.rule = "awf-c",
                                        .tasks = remaining->tasks,
                                        .workers = trial->workers,
                                        .ahead = 2,
                                        .weights = weights,
                                        .least = 1,
                                        .most = TASKS};
    return dispatch_new_rule(&rule, &failure);
}

/* Returns the makespan over the prediction. */
static double trial_run(struct trial *trial, uint64_t seed)
{
    struct dice dice = dice_of(seed);
    struct platform platform =
        platform_of_equals(trial->workers, 1, TASKS, (struct cost){1e-6, 1e-9}, (struct cost){0, 0},
                           (struct cost){LATENCY_S, TASK_S});
    struct scenario scenario = SCENARIO_INIT;
    struct simulation simulation;
    struct failure failure = FAILURE_INIT;
    const struct survey_setup setup = {.tasks = TASKS,
                                       .workers = trial->workers,
                                       .most = TASKS,
                                       .seed = seed,
                                       .planner = {.plan = predict, .self = trial}};
    for (int k = 0; k < TASKS; k++) {
        double normal = -6;
        for (int i = 0; i < 12; i++)
            normal += (double)dice_between(&dice, 0, 1000000) / 1e6;
        trial->seconds[k] = TASK_S * exp(0.5 * normal);
    }
    struct dispatch *dispatch = dispatch_new_survey(&setup);
    assert_non_null(dispatch);
    const struct variation variation = {.price = price, .self = trial};
    scenario.variation = &variation;
    if (!simulate_scenario(&platform, dispatch, &scenario, &trial->trace, &simulation, &failure))
        fail_msg("%s", failure.text);
    dispatch_free(&dispatch);
    platform_release(&platform);
    trace_release(&trial->trace);
    return simulation.makespan_s / trial->predicted_s;
}

/* In how many of the seeds the first worker is found to be slower than the last by so much. */
static int told_apart(int workers, int slow, double least, double *median_off)
{
    double offs[SEEDS];
    int told = 0;
    for (int seed = 1; seed <= SEEDS; seed++) {
        struct trial *trial = calloc(1, sizeof *trial);
        assert_non_null(trial);
        trial->workers = workers;
        trial->slow = slow;
        const double off = fabs(trial_run(trial, (uint64_t)seed) - 1);
        told += trial->factors[0] / trial->factors[workers - 1] > least;
        int at = seed - 1;
        for (; at > 0 && offs[at - 1] > off; at--)
            offs[at] = offs[at - 1];
        offs[at] = off;
        free(trial);
    }
    *median_off = offs[SEEDS / 2];
    printf("%d of %d workers twice as slow, log-normal tasks, seeds 1 to %d: told apart in %d, "
           "predicted within %.1f %% in the median\n",
           slow, workers, SEEDS, told, 100 * *median_off);
    return told;
}

static void slow_workers_are_told_apart(void **state)
{
    (void)state;
    double median_off = 1;
    assert_true(told_apart(2, 1, 1.4, &median_off) >= 9 * SEEDS / 10);
    assert_true(median_off < 0.1);
    assert_true(told_apart(4, 1, 1.4, &median_off) >= 6 * SEEDS / 10);
    assert_true(median_off < 0.1);
}

static void equal_workers_are_not(void **state)
{
    (void)state;
    double median_off = 1;
    assert_true(told_apart(2, 0, 1, &median_off) <= SEEDS / 20);
    assert_true(median_off < 0.1);
    assert_true(told_apart(8, 0, 1, &median_off) <= SEEDS / 20);
    assert_true(median_off < 0.1);
}

/* Where nothing, or too little, was timed, all workers count as alike. */
static void few_timings_tell_nothing(void **state)
{
    (void)state;
    struct samples samples = {.items = NULL};
    double factors[3] = {0, 0, 0};
    factors_find(&samples, 3, factors);
    for (int rank = 1; rank <= 3; rank++) {
        const struct sample sample = {
            .rank = rank, .operation = OPERATION_COMPUTE, .tasks = 1, .seconds = rank};
        assert_true(samples_add(&samples, &sample));
    }
    factors_find(&samples, 3, factors);
    for (int k = 0; k < 3; k++)
        assert_true(factors[k] == 1);
    samples_release(&samples);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(slow_workers_are_told_apart),
        cmocka_unit_test(equal_workers_are_not),
        cmocka_unit_test(few_timings_tell_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

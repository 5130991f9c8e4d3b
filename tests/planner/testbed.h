/* Small clusters with results that come back and any operating model, with a plan: what tests of
 * both share. */
#ifndef TESTS_PLANNER_TESTBED_H
#define TESTS_PLANNER_TESTBED_H

#include <math.h>

#include "planner/simulate/decision.h"
#include "planner/simulate/simulate.h"
#include "tests/checks.h"
#include "tests/planner/samples.h"

enum { WORKERS_MOST = 10, PACKAGES_MOST = 400 };

/* A small star; fractions of core tasks are allowed. */
struct testbed {
    struct platform_class classes[WORKERS_MOST];
    struct platform_window window;
    struct platform platform;
    int64_t workers[WORKERS_MOST];
    double loads[PACKAGES_MOST / 2][WORKERS_MOST];
    struct plan_round rounds[PACKAGES_MOST / 2];
    struct plan plan;
};

static inline void testbed_init(struct testbed *testbed, int64_t workers, enum operating operating,
                                enum results results)
{
    *testbed = (struct testbed){.window = {.least = 1, .greatest = 1000}};
    testbed->window.classes = testbed->classes;
    testbed->window.class_count = workers;
    testbed->platform = (struct platform){.windows = &testbed->window,
                                          .window_count = 1,
                                          .worker_count = workers,
                                          .buffers = PLATFORM_BUFFERS,
                                          .results = results,
                                          .operating = operating};
    testbed->plan = (struct plan){.workers = testbed->workers,
                                  .worker_count = workers,
                                  .rounds = testbed->rounds,
                                  .real_valued = true};
    for (int64_t k = 0; k < workers; k++) {
        testbed->workers[k] = k;
        testbed->classes[k] = (struct platform_class){.first = k, .count = 1};
    }
}

static inline void class_cost(struct platform_class *class, struct cost link, struct cost work,
                              struct cost result)
{
    class->link = link;
    class->compute = work;
    class->result = result;
}

static inline void testbed_round(struct testbed *testbed, int64_t repeat, const double *loads)
{
    const size_t at = testbed->plan.round_count++;
    for (int64_t k = 0; k < testbed->plan.worker_count; k++) {
        testbed->loads[at][k] = loads[k];
        testbed->plan.tasks += (double)repeat * loads[k];
    }
    testbed->rounds[at] = (struct plan_round){repeat, testbed->loads[at]};
}

static inline double testbed_simulate(const struct testbed *testbed, struct trace *trace)
{
    struct simulation simulation;
    struct failure failure = FAILURE_INIT;
    if (!simulate_plan(&testbed->platform, &testbed->plan, trace, &simulation, &failure))
        fail_msg("%s", failure.text);
    return simulation.makespan_s;
}

/* The ends of one operation's events on each worker, in the order of packages. */
static inline size_t trace_ends(const struct trace *trace, enum operation operation, double *ends)
{
    size_t count = 0;
    for (size_t k = 0; k < trace->count; k++)
        if (trace->events[k].operation == (int32_t)operation)
            ends[count++] = trace->events[k].end_s;
    return count;
}

static inline void assert_near(double value, double wanted)
{
    if (!(fabs(value - wanted) <= 1e-9 * fmax(1, fabs(wanted))))
        fail_msg("%.12g, not %.12g", value, wanted);
}

static inline void assert_ends(const struct testbed *testbed, enum operation operation,
                               const double *wanted, size_t count, double makespan_s)
{
    double ends[PACKAGES_MOST] = {0};
    struct trace trace = {.count = 0};
    assert_near(testbed_simulate(testbed, &trace), makespan_s);
    assert_int_equal(trace_ends(&trace, operation, ends), count);
    for (size_t k = 0; k < count; k++)
        assert_near(ends[k], wanted[k]);
    trace_release(&trace);
}

static inline struct cost any_cost(struct dice *dice, double most)
{
    const double latency_s = dice_unit(dice) < 0.5 ? 0 : most * dice_unit(dice);
    return (struct cost){latency_s, most * dice_unit(dice)};
}

/* Equal packages for each worker in a round, one to four rounds. */
static inline void testbed_any(struct dice *dice, struct testbed *testbed, enum results results)
{
    const int64_t workers = dice_whole(dice, 1, 4), rounds = dice_whole(dice, 1, 4);
    testbed_init(testbed, workers, OPERATING_SINGLE_PORT, results);
    testbed->window.envelope = any_cost(dice, 0.3);
    testbed->window.send = any_cost(dice, 0.3);
    for (int64_t k = 0; k < workers; k++)
        class_cost(&testbed->classes[k], any_cost(dice, 1), any_cost(dice, 3), any_cost(dice, 0.8));
    for (int64_t r = 0; r < rounds; r++) {
        double loads[WORKERS_MOST];
        for (int64_t k = 0; k < workers; k++)
            loads[k] = (double)dice_whole(dice, 1, 4);
        testbed_round(testbed, 1, loads);
    }
}

#endif

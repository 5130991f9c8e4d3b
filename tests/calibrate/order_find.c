/* From single core tasks timed all over a job to the order in which packages would be alike. */
#include "calibrate/order_find.h"

#include <math.h>
#include <stdlib.h>

#include "calibrate/focus.h"
#include "planner/model/strata.h"
#include "tests/checks.h"

enum { WORKERS = 4, STRATA = 64 };

/* Costs of a core task at that share of the job. */
static double equal(double at)
{
    (void)at;
    return 1e-3;
}

/* Heavy in the middle, as rows of the Mandelbrot set are. */
static double hill(double at)
{
    return 1e-3 * (0.05 + exp(-pow((at - 0.5) / 0.15, 2)));
}

static double ramp(double at)
{
    return 1e-3 * (0.1 + at);
}

static struct samples samples_of(double (*cost_s)(double at), int64_t tasks)
{
    struct samples samples = {.items = NULL};
    for (int64_t k = 0; k < STRATA; k++) {
        const struct task_range stratum = strata_equal(tasks, k, STRATA);
        const int64_t first = stratum.first + stratum.count / 3;
        const double noise = 1 + 0.004 * (double)(k % 3 - 1);
        const struct sample sample = {.rank = 1 + (int)(k % WORKERS),
                                      .operation = OPERATION_COMPUTE,
                                      .first = first,
                                      .tasks = 1,
                                      .seconds =
                                          noise * cost_s(((double)first + 0.5) / (double)tasks),
                                      .stratum = stratum};
        assert_true(samples_add(&samples, &sample));
    }
    return samples;
}

/* A setting in which packages are worth being as large as an eighth of the job: any latency of the
 * port is small beside them. */
static struct profile_setting setting_of(int64_t tasks, struct profile_window *window,
                                         struct profile_worker *worker)
{
    *worker = (struct profile_worker){.count = WORKERS};
    worker->compute.cost.s_per_task = 1e-3;
    worker->link.cost.latency_s = 0.02;
    *window = (struct profile_window){
        .least = 1, .greatest = tasks, .workers = worker, .worker_count = 1};
    return (struct profile_setting){.windows = window, .window_count = 1};
}

static struct order found(double (*cost_s)(double at), int64_t tasks)
{
    struct failure failure = FAILURE_INIT;
    struct profile_window window;
    struct profile_worker worker;
    struct order order;
    struct samples samples = samples_of(cost_s, tasks);
    const struct profile_setting setting = setting_of(tasks, &window, &worker);
    const struct order_job job = {
        .samples = &samples, .setting = &setting, .tasks = tasks, .workers = WORKERS};
    assert_true(order_find(&job, &order, &failure));
    assert_int_equal(order.tasks, tasks);
    samples_release(&samples);
    return order;
}

/* The packages of a plan, in that order. */
static double deviation(const struct order *order, double (*cost_s)(double at))
{
    struct profile_window window;
    struct profile_worker worker;
    const struct profile_setting setting = setting_of(order->tasks, &window, &worker);
    const double load = focus_load(&setting, order->tasks, WORKERS);
    assert_true(load > 1 && load < (double)order->tasks / 2);
    double *costs = malloc((size_t)order->tasks * sizeof *costs);
    for (int64_t k = 0; k < order->tasks; k++)
        costs[k] = cost_s(((double)k + 0.5) / (double)order->tasks);
    const double differ = order_deviation(order, costs, (int64_t)load);
    free(costs);
    return differ;
}

static void equal_tasks_stay_as_they_are(void **state)
{
    (void)state;
    assert_int_equal(found(equal, 1200).kind, ORDER_NATURAL);
}

static void slowly_varying_tasks_are_sampled(void **state)
{
    (void)state;
    static const int64_t jobs[] = {400, 1200, 100000};
    static double (*const costs[])(double at) = {hill, ramp};
    for (size_t k = 0; k < COUNT_OF(jobs); k++)
        for (size_t c = 0; c < COUNT_OF(costs); c++) {
            const struct order order = found(costs[c], jobs[k]);
            const struct order natural = {.kind = ORDER_NATURAL, .tasks = jobs[k]};
            assert_int_equal(order.kind, ORDER_STRIDE);
            assert_true(deviation(&order, costs[c]) < deviation(&natural, costs[c]) / 2);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(equal_tasks_stay_as_they_are),
                                       cmocka_unit_test(slowly_varying_tasks_are_sampled)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

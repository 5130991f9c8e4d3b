/* Loops with heavy core tasks, scattered or at the end, planned from what calibration says about
 * them and simulated with what they really take: how close to the ideal the plan's tail comes. */
#include <inttypes.h>
#include <math.h>

#include "planner/simulate/star.h"
#include "planner/studies/planning.h"
#include "tests/bench/executor/loop.h"
#include "tests/checks.h"

enum { TASKS = 20000, LARGEST = 512, WORKERS_MOST = 4, SPREADS = 10 };
static const char *const shapes[] = {"equal", "scattered", "last"};

/* A loop on workers of which calibration says what it may: rates and spreads. */
struct bench {
    enum loop_shape shape;
    int workers;
    double request_s;
    double off; /* every other worker is taken for so much slower, and the next for quicker */
    struct profile_worker worker[WORKERS_MOST];
    struct profile_window window;
    struct spread spreads[SPREADS];
    struct profile_setting setting;
    struct profile profile;
};

static double task_mean(enum loop_shape shape)
{
    double sum_s = 0;
    for (int64_t task = 0; task < TASKS; task++)
        sum_s += loop_seconds(task, TASKS, shape);
    return sum_s / TASKS;
}

static double task_deviation(enum loop_shape shape)
{
    const double mean_s = task_mean(shape);
    double squares = 0;
    for (int64_t task = 0; task < TASKS; task++)
        squares += pow(loop_seconds(task, TASKS, shape) / mean_s - 1, 2);
    return sqrt(squares / TASKS);
}

static void bench_fill(struct bench *bench)
{
    const double deviation = task_deviation(bench->shape);
    for (int k = 0; k < bench->workers; k++) {
        const double off = 1 + (k % 2 ? bench->off : -bench->off);
        bench->worker[k] = (struct profile_worker){
            .count = 1,
            .compute = {{1e-6, task_mean(bench->shape) * off},
                        {.n = 100, .stderr_s_per_task = bench->off * task_mean(bench->shape)}},
            .request = {{bench->request_s, 0}, {.n = 0}}};
    }
    for (int k = 0; k < SPREADS; k++)
        bench->spreads[k] = (struct spread){
            1 << k, bench->shape == LOOP_LAST ? deviation : deviation / sqrt(1 << k)};
    bench->window = (struct profile_window){.least = 1,
                                            .greatest = LARGEST,
                                            .envelope = {{2e-7, 0}, {.n = 0}},
                                            .send = {{6e-7, 0}, {.n = 0}},
                                            .workers = bench->worker,
                                            .worker_count = (size_t)bench->workers};
    bench->setting = (struct profile_setting){.windows = &bench->window,
                                              .window_count = 1,
                                              .spreads = bench->spreads,
                                              .spread_count = SPREADS};
    static char kernel[] = "loop";
    bench->profile =
        (struct profile){.settings = &bench->setting, .setting_count = 1, .kernel = kernel};
}

static void price(void *pricer, const struct package *package, struct star_cost *cost)
{
    const struct bench *bench = pricer;
    cost->compute_s = 1e-6;
    for (int64_t task = package->first; task < package->first + package->count; task++)
        cost->compute_s += loop_seconds(task, TASKS, bench->shape);
}

static double simulated(struct bench *bench, const struct decision *decision,
                        const struct platform *platform)
{
    struct scenario scenario = SCENARIO_INIT;
    struct failure failure = FAILURE_INIT;
    struct simulation simulation = {0};
    const struct variation variation = {.price = price, .self = bench};
    scenario.variation = &variation;
    struct dispatch *dispatch = decision_dispatch(decision, platform, &scenario, &failure);
    if (!dispatch || !simulate_scenario(platform, dispatch, &scenario, NULL, &simulation, &failure))
        fail_msg("%s", failure.text);
    dispatch_free(&dispatch);
    return simulation.makespan_s / (task_mean(bench->shape) * TASKS / bench->workers);
}

/* Over the ideal. */
static double planned(struct bench *bench)
{
    const struct planning planning = {.profile = &bench->profile,
                                      .setting = &bench->setting,
                                      .scheduler = "auto",
                                      .tasks = TASKS};
    struct failure failure = FAILURE_INIT;
    struct plan plan = {.kernel = NULL};
    struct watching watching;
    bench_fill(bench);
    if (!planning_make(&planning, &plan, &failure) ||
        !planning_tail_unequal(&planning, &plan, &failure))
        fail_msg("%s", failure.text);
    const struct watching_request request = planning_watching(&planning, plan.tail, &plan);
    assert_true(watching_init(&watching, &request, &failure));
    const double over = simulated(bench, &watching.decision, &watching.platform);
    print_message("%-9s %d workers, requests of %.0e s, rates %3.0f %% off: %5.1f %% on request, "
                  "%.4f of the ideal\n",
                  shapes[bench->shape], bench->workers, bench->request_s, 100 * bench->off,
                  100.0 * (double)watching.tail.setup.tasks / TASKS, over);
    watching_release(&watching);
    plan_release(&plan);
    return over;
}

static void heavy_tasks_are_evened_out(void **state)
{
    static const double offs[] = {0, 0.02, 0.1, 0.3};
    double most = 0;
    (void)state;
    for (int shape = LOOP_SCATTERED; shape <= LOOP_LAST; shape++)
        for (int workers = 2; workers <= WORKERS_MOST; workers += 2)
            for (size_t k = 0; k < sizeof offs / sizeof *offs; k++) {
                struct bench bench = {.shape = (enum loop_shape)shape,
                                      .workers = workers,
                                      .request_s = workers == 2 ? 1e-5 : 4e-4,
                                      .off = offs[k]};
                most = fmax(most, planned(&bench));
            }
    assert_true(most < 1.01);
}

static void equal_tasks_keep_their_plan(void **state)
{
    (void)state;
    for (int workers = 2; workers <= WORKERS_MOST; workers += 2) {
        struct bench bench = {.shape = LOOP_EQUAL, .workers = workers, .request_s = 1e-5};
        assert_true(planned(&bench) < 1.001);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(heavy_tasks_are_evened_out),
        cmocka_unit_test(equal_tasks_keep_their_plan),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Plans in units of work cut into packages of whole core tasks. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "planner/files/profile_json.h"
#include "planner/schedulers/scheduler.h"
#include "planner/schedulers/search/cut.h"
#include "planner/simulate/simulate.h"
#include "tests/checks.h"
#include "tests/planner/samples.h"

#define CLOSE(a, b) (fabs((a) - (b)) < 1e-9)

/* Equal workers of 1 s a unit; `latency_s` of every package is its computing's. */
static void platform_make(struct platform *platform, int64_t workers, int64_t least,
                          int64_t greatest, double latency_s)
{
    struct failure failure = FAILURE_INIT;
    struct profile_worker worker = {.count = workers, .compute = {.cost = {latency_s, 1}}};
    struct profile_window window = {
        .least = least, .greatest = greatest, .workers = &worker, .worker_count = 1};
    const struct profile_setting setting = {.windows = &window, .window_count = 1};
    if (!platform_init(platform, &setting, 0, &failure))
        fail_msg("%s", failure.text);
}

static void weigh(struct platform *platform, const double *weights, int64_t tasks)
{
    platform->work_tasks = (double)tasks;
    assert_true(work_weigh(&platform->work, weights, tasks));
}

static double makespan_of(const struct platform *platform, const struct plan *plan)
{
    struct simulation simulation;
    struct failure failure = FAILURE_INIT;
    if (!plan_check(platform, plan, &failure) ||
        !simulate_plan(platform, plan, NULL, &simulation, &failure))
        fail_msg("%s", failure.text);
    return simulation.makespan_s;
}

/* `loads` of one round, in units, and the places between the cuts that are wanted. */
static void assert_cuts(const double *weights, int64_t tasks, double *loads, int64_t count,
                        const int64_t *wanted)
{
    int64_t workers[] = {0, 1, 2, 3}, at = 0;
    struct plan_round round = {1, loads};
    const struct plan units = {.tasks = (double)tasks,
                               .workers = workers,
                               .worker_count = count,
                               .rounds = &round,
                               .round_count = 1};
    struct platform platform;
    struct plan cut;
    struct failure failure = FAILURE_INIT;
    bool possible = false;
    platform_make(&platform, 4, 1, 100, 0);
    weigh(&platform, weights, tasks);
    assert_true(packages_cut(&platform, &units, &cut, &possible, &failure));
    assert_true(possible);
    for (int64_t k = 0; k < count; k++) {
        at += (int64_t)cut.rounds[0].loads[k];
        assert_int_equal(at, wanted[k]);
    }
    plan_release(&cut);
    platform_release(&platform);
}

/* The weights 1 1 1 1 4 4 2 2 are scaled to a mean of 1: a load of 8 in their sum is one of 4. */
static void cuts_are_at_the_nearest_tasks(void **state)
{
    (void)state;
    static const double weights[] = {1, 1, 1, 1, 4, 4, 2, 2};
    assert_cuts(weights, 8, (double[]){4, 4}, 2, (const int64_t[]){5, 8});
    assert_cuts(weights, 8, (double[]){3, 2.5, 2.5}, 3, (const int64_t[]){4, 6, 8});
    assert_cuts(weights, 8, (double[]){2, 2, 2, 2}, 4, (const int64_t[]){4, 5, 6, 8});
}

static void two_workers_end_together(void **state)
{
    (void)state;
    static const double weights[] = {1, 1, 1, 1, 4, 4, 2, 2};
    int64_t workers[] = {0, 1};
    double loads[] = {4, 4};
    struct plan_round round = {1, loads};
    const struct plan units = {
        .tasks = 8, .workers = workers, .worker_count = 2, .rounds = &round, .round_count = 1};
    struct platform platform;
    struct plan cut;
    struct failure failure = FAILURE_INIT;
    bool possible = false;
    platform_make(&platform, 2, 1, 100, 0);
    weigh(&platform, weights, 8);
    /* 16 units of half a second. */
    assert_true(CLOSE(2 * makespan_of(&platform, &units), 12));
    assert_true(packages_cut(&platform, &units, &cut, &possible, &failure) && possible);
    assert_true(CLOSE(2 * makespan_of(&platform, &cut), 8));
    plan_release(&cut);
    platform_release(&platform);
}

/* Sizes in [3, 6]: nothing is in a window by chance. */
static void packages_are_in_a_window(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 300; seed++) {
        struct dice dice = {seed};
        int64_t workers[] = {0, 1, 2}, tasks = 0;
        double loads[4][3], weights[60];
        struct plan_round rounds[4];
        for (int r = 0; r < 4; r++) {
            for (int k = 0; k < 3; k++)
                tasks += (int64_t)(loads[r][k] = (double)dice_whole(&dice, 3, 5));
            rounds[r] = (struct plan_round){1, loads[r]};
        }
        for (int64_t k = 0; k < tasks; k++)
            weights[k] = dice_scale(&dice, 0.001, 10);
        const struct plan units = {.tasks = (double)tasks,
                                   .workers = workers,
                                   .worker_count = 3,
                                   .rounds = rounds,
                                   .round_count = 4};
        struct platform platform;
        struct plan cut;
        struct failure failure = FAILURE_INIT;
        bool possible = false;
        platform_make(&platform, 3, 3, 6, 0.1);
        weigh(&platform, weights, tasks);
        assert_true(packages_cut(&platform, &units, &cut, &possible, &failure));
        if (!possible)
            fail_msg("seed %d was not cut", (int)seed);
        const double before_s = makespan_of(&platform, &cut);
        assert_true(packages_improve(&platform, &cut, NULL, &failure));
        assert_true(makespan_of(&platform, &cut) <= before_s);
        plan_release(&cut);
        platform_release(&platform);
    }
}

/* A log-normal factor of mean 1 whose logarithm deviates by `sigma`. */
static double log_normal(struct dice *dice, double sigma)
{
    double sum = -6; /* twelve uniform numbers: nearly normal */
    for (int k = 0; k < 12; k++)
        sum += (double)dice_whole(dice, 0, 1000000) / 1e6;
    return exp(sigma * sum - sigma * sigma / 2);
}

static double greatest_in(const struct work *work, double first, double count)
{
    double greatest = 0;
    for (double at = first; at < first + count; at++)
        greatest = fmax(greatest, work_mean_cost(work, (double)work->tasks, at, 1));
    return greatest;
}

/* Each task once, and no more is lost by cutting than the heaviest task of each round. */
static void cutting_costs_a_task_a_round(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 1000; seed++) {
        struct dice dice = {seed};
        enum { WORKERS = 4, ROUNDS = 3, EACH = 8, TASKS = WORKERS * ROUNDS * EACH };
        double weights[TASKS], loads[WORKERS], most_s = ROUNDS * EACH, first = 0;
        int64_t workers[WORKERS];
        for (int k = 0; k < TASKS; k++)
            weights[k] = log_normal(&dice, 1.5);
        for (int k = 0; k < WORKERS; k++) {
            workers[k] = k;
            loads[k] = EACH;
        }
        struct plan_round round = {ROUNDS, loads};
        const struct plan units = {.tasks = TASKS,
                                   .workers = workers,
                                   .worker_count = WORKERS,
                                   .rounds = &round,
                                   .round_count = 1};
        struct platform platform;
        struct plan cut;
        struct failure failure = FAILURE_INIT;
        bool possible = false;
        platform_make(&platform, WORKERS, 1, TASKS, 0);
        weigh(&platform, weights, TASKS);
        assert_true(packages_cut(&platform, &units, &cut, &possible, &failure) && possible);
        for (int r = 0; r < ROUNDS; r++, first += TASKS / ROUNDS)
            most_s += greatest_in(&platform.work, 0, TASKS);
        const double made_s = makespan_of(&platform, &cut);
        if (made_s > most_s + 1e-9)
            fail_msg("seed %d: %g s, at most %g s are allowed", (int)seed, made_s, most_s);
        plan_release(&cut);
        platform_release(&platform);
    }
}

/* Twenty tasks a worker, log-normal with sigma 1, packages with a latency of a hundredth of a task,
 * against the work shared perfectly or the heaviest task. */
static double ratio_of(uint64_t seed, int64_t workers)
{
    struct dice dice = {seed};
    const int64_t tasks = 20 * workers;
    double *weights = malloc((size_t)tasks * sizeof *weights);
    struct platform equal, platform;
    struct plan units, cut;
    struct failure failure = FAILURE_INIT;
    bool possible = false;
    for (int64_t k = 0; k < tasks; k++)
        weights[k] = log_normal(&dice, 1);
    platform_make(&equal, workers, 1, tasks, 0.01);
    platform_make(&platform, workers, 1, tasks, 0.01);
    weigh(&platform, weights, tasks);
    const struct schedule_request request = {.platform = &equal, .tasks = (double)tasks};
    if (!scheduler_make(scheduler_find(SCHEDULER_QUICK), &request, &units, &failure))
        fail_msg("%s", failure.text);
    struct effort effort = {EFFORT_SECOND};
    assert_true(packages_cut(&platform, &units, &cut, &possible, &failure) && possible);
    assert_true(packages_improve(&platform, &cut, &effort, &failure));
    const double ideal_s = fmax(20, work_greatest(&platform.work));
    const double ratio = makespan_of(&platform, &cut) / ideal_s;
    plan_release(&units);
    plan_release(&cut);
    platform_release(&equal);
    platform_release(&platform);
    free(weights);
    return ratio;
}

static int by_size(const void *a, const void *b)
{
    const double p = *(const double *)a, q = *(const double *)b;
    return (p > q) - (p < q);
}

static void heavy_tasks_are_shared_well(void **state)
{
    (void)state;
    static const int64_t workers[] = {4, 8, 24};
    for (int k = 0; k < 3; k++) {
        enum { SEEDS = 200 };
        double ratios[SEEDS];
        for (uint64_t seed = 0; seed < SEEDS; seed++)
            ratios[seed] = ratio_of(seed + 1, workers[k]);
        qsort(ratios, SEEDS, sizeof *ratios, by_size);
        printf("%d workers: makespan / ideal %.4f in the median, 90 %% below %.4f\n",
               (int)workers[k], ratios[SEEDS / 2], ratios[SEEDS * 9 / 10]);
        assert_true(ratios[SEEDS / 2] <= 1.02);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cuts_are_at_the_nearest_tasks),
        cmocka_unit_test(two_workers_end_together),
        cmocka_unit_test(packages_are_in_a_window),
        cmocka_unit_test(cutting_costs_a_task_a_round),
        cmocka_unit_test(heavy_tasks_are_shared_well),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

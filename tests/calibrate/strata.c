/* From places all over a job to its total and its heavy regions, with workers told apart from
 * these: on simulated machines. */
#include <math.h>
#include <stdio.h>

#include "calibrate/fit/assemble.h"
#include "calibrate/fit/strata_fit.h"
#include "calibrate/strata_probe.h"
#include "tests/calibrate/synthetic.h"
#include "tests/checks.h"

enum { WORKERS = 2, TASKS = 400, HEAVY = 360, LARGEST = 64 };
static char *const names[WORKERS] = {(char[]){"a:1"}, (char[]){"a:2"}};

/* A machine under way. */
struct bench {
    struct samples samples; /* owned */
    double latency_s;
    double (*cost_s)(int64_t task);
    double factors[WORKERS]; /* by how much longer each takes */
    double noise;
    struct generator generator;
    double now_s;
    int64_t packages;
};

static double sorted_cost(int64_t task)
{
    return task < HEAVY ? 0.02 : 0.4;
}

static double equal_cost(int64_t task)
{
    (void)task;
    return 0.01;
}

static double package_time(struct bench *bench, const struct design_package *package)
{
    double seconds = bench->latency_s;
    for (int64_t k = 0; k < package->tasks; k++)
        seconds += bench->cost_s(package->first + k);
    return seconds * bench->factors[package->worker] *
           exp(bench->noise * generator_normal(&bench->generator));
}

static bool pass_time(void *self, const struct design_pass *pass, int64_t largest)
{
    struct bench *bench = self;
    double ends[WORKERS] = {0};
    assert_true(pass->placed);
    for (int64_t k = 0; k < pass->count; k++) {
        const struct design_package *package = &pass->packages[k];
        const double seconds = package_time(bench, package);
        assert_true(package->tasks <= largest && package->first >= package->stratum.first);
        assert_true(package->first + package->tasks <=
                    package->stratum.first + package->stratum.count);
        for (int64_t i = 0; i < k; i++)
            assert_true(pass->packages[i].first != package->first);
        ends[package->worker] += seconds;
        const struct sample sample = {.rank = package->worker + 1,
                                      .operation = OPERATION_COMPUTE,
                                      .first = package->first,
                                      .tasks = package->tasks,
                                      .seconds = seconds,
                                      .stratum = package->stratum};
        assert_true(samples_add(&bench->samples, &sample));
        bench->packages++;
    }
    bench->now_s += fmax(ends[0], ends[1]);
    return true;
}

static double bench_now(void *self)
{
    return ((struct bench *)self)->now_s;
}

static void bench_probe(struct bench *bench, double budget_s, double s_per_task,
                        double paces[WORKERS + 1])
{
    struct failure failure = FAILURE_INIT;
    struct strata_probe probe = {.samples = &bench->samples,
                                 .tasks = TASKS,
                                 .workers = WORKERS,
                                 .seed = bench->generator.state,
                                 .budget_s = budget_s,
                                 .latency_s = 1e-5,
                                 .s_per_task = s_per_task,
                                 .paces = paces,
                                 .run = pass_time,
                                 .now = bench_now,
                                 .self = bench};
    assert_true(strata_probe(&probe, &failure));
    assert_true(bench->now_s < fmax(1.5 * budget_s, 4)); /* a first round is not cut short */
}

/* The other packages of a calibration: few of each size, at places by chance, twice each. */
static void bench_sizes(struct bench *bench)
{
    for (int64_t tasks = 1; tasks <= LARGEST; tasks *= 4)
        for (int k = 0; k < 4 * WORKERS; k++) {
            const double room = (double)(TASKS - tasks + 1);
            const struct design_package package = {
                .worker = k % WORKERS,
                .first = (int64_t)(generator_uniform(&bench->generator) * room),
                .tasks = tasks};
            for (int pass = 0; pass < 2; pass++) {
                const struct sample sample = {.rank = package.worker + 1,
                                              .operation = OPERATION_COMPUTE,
                                              .pass = pass,
                                              .first = package.first,
                                              .tasks = tasks,
                                              .seconds = package_time(bench, &package)};
                assert_true(samples_add(&bench->samples, &sample));
            }
        }
}

static void bench_fit(struct bench *bench, struct profile_setting *setting)
{
    struct failure failure = FAILURE_INIT;
    bench_sizes(bench);
    if (!assemble_setting(&bench->samples, 0, LARGEST, WORKERS, names, setting, &failure))
        fail_msg("%s", failure.text);
}

static double total_s(double (*cost_s)(int64_t task))
{
    double sum = 0;
    for (int64_t k = 0; k < TASKS; k++)
        sum += cost_s(k);
    return sum;
}

enum { TRIALS = 20 };

/* Lines that are sorted by what they cost: two equal workers are one class, the total is right, and
 * the map says where the heavy ones are. */
static void sorted_lines_are_one_class(void **state)
{
    (void)state;
    double worst = 0;
    int inside = 0;
    for (uint64_t seed = 1; seed <= TRIALS; seed++) {
        struct bench bench = {
            .cost_s = sorted_cost, .factors = {1, 1}, .noise = 0.05, .generator = {seed * 1000}};
        struct profile_setting setting;
        double paces[WORKERS + 1] = {0};
        bench_probe(&bench, 9, 0.02, paces);
        bench_fit(&bench, &setting);
        assert_int_equal(setting.windows[0].worker_count, 1);
        const struct cost cost = setting.windows[0].workers[0].compute.cost;
        const double off = cost_of(cost, 1) * TASKS / total_s(sorted_cost) - 1;
        worst = fmax(worst, fabs(off));
        assert_true(setting.map.work.region_count >= 2 && setting.map.work.tasks == TASKS);
        assert_true(fabs(work_heaviest(&setting.map.work, 0.1) - 0.69) < 0.05);
        inside += -off >= -1.645 * setting.map.error - 0.02 &&
                  -off <= 1.645 * setting.map.error + setting.map.unseen + 0.02;
        samples_release(&bench.samples);
        profile_setting_release(&setting);
    }
    printf("seeds 1000 to %d: a task's mean cost off by %.1f %% at most, %d of %d inside\n",
           TRIALS * 1000, 100 * worst, inside, TRIALS);
    assert_true(worst < 0.06 && inside >= TRIALS - 1);
}

/* All that a survey has: a single line in each of 20 parts, and a few packages. */
static void survey_time(struct bench *bench)
{
    enum { STRATA = 20, PACKAGES = 25 };
    for (int k = 0; k < PACKAGES; k++) {
        const struct task_range stratum = strata_equal(TASKS, k % STRATA, STRATA);
        const int64_t tasks = k < STRATA ? 1 : 2 << (k - STRATA) / 2;
        const double room = k < STRATA ? (double)stratum.count : TASKS - (double)tasks;
        const int64_t place = (int64_t)(generator_uniform(&bench->generator) * room);
        const struct design_package package = {.first = (k < STRATA ? stratum.first : 0) + place,
                                               .tasks = tasks};
        struct sample sample = {.rank = 1,
                                .operation = OPERATION_COMPUTE,
                                .first = package.first,
                                .tasks = tasks,
                                .seconds = package_time(bench, &package)};
        if (k < STRATA)
            sample.stratum = stratum;
        assert_true(samples_add(&bench->samples, &sample));
    }
}

/* Places that packages happen to be timed at must not make larger packages dearer than their lines,
 * because what is left is assigned in even larger ones. */
static void larger_packages_are_no_dearer(void **state)
{
    (void)state;
    enum { SURVEYS = 100 };
    int near = 0;
    double worst = 0;
    for (uint64_t seed = 1; seed <= SURVEYS; seed++) {
        struct bench bench = {.latency_s = 0.004,
                              .cost_s = sorted_cost,
                              .factors = {1, 1},
                              .noise = 0.2,
                              .generator = {seed * 1009}};
        struct failure failure = FAILURE_INIT;
        struct profile_setting setting;
        survey_time(&bench);
        if (!assemble_setting(&bench.samples, 0, LARGEST, 1, names, &setting, &failure))
            fail_msg("%s", failure.text);
        const struct cost cost = setting.windows[0].workers[0].compute.cost;
        const double off = cost_of(cost, TASKS) / total_s(sorted_cost) - 1;
        near += fabs(off) < 0.25;
        worst = fmax(worst, off);
        samples_release(&bench.samples);
        profile_setting_release(&setting);
    }
    printf("seeds 1009 to %d: %d of %d within 25 %%, worst %+.0f %%\n", SURVEYS * 1009, near,
           SURVEYS, 100 * worst);
    assert_true(near >= 0.75 * SURVEYS && worst < 0.6);
}

/* With a second for everything, no place is timed twice: differences along the job are found
 * nevertheless, equal workers stay one class, and what is not known is part of the interval. */
static void little_time_is_honest(void **state)
{
    (void)state;
    int inside = 0, told = 0;
    for (uint64_t seed = 1; seed <= TRIALS; seed++) {
        struct bench bench = {
            .cost_s = sorted_cost, .factors = {1, 1}, .noise = 0.05, .generator = {seed * 1007}};
        struct profile_setting setting;
        double paces[WORKERS + 1] = {0};
        bench_probe(&bench, 1, 0.02, paces);
        bench_fit(&bench, &setting);
        assert_int_equal(setting.windows[0].worker_count, 1);
        const struct cost cost = setting.windows[0].workers[0].compute.cost;
        const double off = total_s(sorted_cost) / (cost_of(cost, 1) * TASKS) - 1;
        inside += off >= -1.645 * setting.map.error - 0.05 &&
                  off <= 1.645 * setting.map.error + setting.map.unseen + 0.05;
        told += setting.map.work.tasks > 0;
        samples_release(&bench.samples);
        profile_setting_release(&setting);
    }
    printf("seeds 1007 to %d: %d of %d inside, %d have a map\n", TRIALS * 1007, inside, TRIALS,
           told);
    assert_true(told >= 17 && inside >= 17);
}

/* One of the two takes a third longer, wherever the lines are heavy. */
static void unlike_workers_are_told_apart(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= TRIALS; seed++) {
        struct bench bench = {
            .cost_s = sorted_cost, .factors = {1, 1.33}, .noise = 0.05, .generator = {seed * 1001}};
        struct profile_setting setting;
        double paces[WORKERS + 1] = {0};
        bench_probe(&bench, 9, 0.02, paces);
        assert_true(fabs(paces[2] / paces[1] / 1.33 - 1) < 0.08);
        bench_fit(&bench, &setting);
        const struct profile_window *window = &setting.windows[0];
        assert_int_equal(window->worker_count, 2);
        const double ratio = cost_of(window->workers[1].compute.cost, 1) /
                             cost_of(window->workers[0].compute.cost, 1);
        assert_true(fabs(ratio / 1.33 - 1) < 0.08);
        samples_release(&bench.samples);
        profile_setting_release(&setting);
    }
}

/* Nothing is written, and little time is lost, where all core tasks are alike. */
static void equal_lines_have_no_map(void **state)
{
    (void)state;
    int told = 0, longer = 0;
    for (uint64_t seed = 1; seed <= TRIALS; seed++) {
        struct bench bench = {
            .cost_s = equal_cost, .factors = {1, 1}, .noise = 0.05, .generator = {seed * 1003}};
        struct profile_setting setting;
        double paces[WORKERS + 1] = {0};
        bench_probe(&bench, 9, 0.01, paces);
        bench_fit(&bench, &setting);
        told += setting.map.work.tasks > 0;
        longer += bench.packages > 120;
        assert_true((setting.map.work.tasks > 0) == (paces[1] > 0));
        assert_int_equal(setting.windows[0].worker_count, 1);
        samples_release(&bench.samples);
        profile_setting_release(&setting);
    }
    printf("of %d jobs of equal lines %d have a map, and %d took longer\n", TRIALS, told, longer);
    assert_true(told <= 2 && longer <= 4);
}

/* A budget that has no time for a few core tasks is left alone. */
static void small_budgets_are_kept(void **state)
{
    (void)state;
    struct bench bench = {
        .cost_s = sorted_cost, .factors = {1, 1}, .noise = 0.05, .generator = {7}};
    double paces[WORKERS + 1] = {0};
    bench_probe(&bench, 0.05, 0.02, paces);
    assert_int_equal(bench.packages, 0);
    bench_probe(&bench, 100, 0.02, paces); /* and a large one has an end: all were timed */
    assert_true(bench.packages >= TASKS && bench.now_s < 30);
    size_t count = 0;
    struct stratum *strata = strata_of(&bench.samples, 0, &count);
    assert_int_equal(count, TASKS);
    for (size_t k = 0; k < count; k++)
        assert_true(strata[k].first == (int64_t)k && strata[k].count == 1);
    free(strata);
    samples_release(&bench.samples);
}

/* Many workers, few places of each: those that nothing is wrong with are alike. */
static void two_way_tells_workers_from_places(void **state)
{
    (void)state;
    enum { RANKS = 40, PLACES = 200, EACH = 3 };
    struct two_way_timing timings[PLACES * EACH];
    struct generator generator = {20261123};
    struct two_way fit;
    int64_t count = 0;
    for (int64_t place = 0; place < PLACES; place++) {
        const double heavy = place > 180 ? 3 : 0;
        for (int k = 0; k < EACH; k++) {
            const int worker = (int)((place * 7 + k * (1 + place / RANKS)) % RANKS);
            timings[count++] = (struct two_way_timing){worker, place,
                                                       heavy + (worker < 10 ? 0.3 : 0) +
                                                           0.05 * generator_normal(&generator)};
        }
    }
    assert_true(two_way_fit(timings, count, RANKS, PLACES, &fit));
    assert_true(fit.freedom > 300 && fabs(fit.noise - 0.05) < 0.006);
    for (int k = 0; k < RANKS; k++) {
        const double wanted = k < 10 ? 0.3 * 0.75 : -0.3 * 0.25;
        assert_true(fabs(fit.terms[k] - wanted) < 5 * fit.errors[k]);
        assert_true(fit.errors[k] > 0.005 && fit.errors[k] < 0.03);
    }
    two_way_release(&fit);
}

static void unconnected_workers_are_unsure(void **state)
{
    (void)state;
    const struct two_way_timing timings[] = {{0, 0, 1},   {1, 0, 1.1}, {0, 1, 2}, {1, 1, 2.2},
                                             {0, 2, 1.5}, {1, 2, 1.5}, {2, 3, 7}, {2, 3, 7.1}};
    struct two_way fit;
    assert_true(two_way_fit(timings, COUNT_OF(timings), 3, 4, &fit));
    assert_true(fit.errors[2] > 10 && fit.errors[0] > 0);
    two_way_release(&fit);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sorted_lines_are_one_class),
        cmocka_unit_test(larger_packages_are_no_dearer),
        cmocka_unit_test(little_time_is_honest),
        cmocka_unit_test(unlike_workers_are_told_apart),
        cmocka_unit_test(equal_lines_have_no_map),
        cmocka_unit_test(small_budgets_are_kept),
        cmocka_unit_test(two_way_tells_workers_from_places),
        cmocka_unit_test(unconnected_workers_are_unsure),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

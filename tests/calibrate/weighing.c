/* Fits by the weights of core tasks: on simulated machines whose costs follow weights completely,
 * in part, or not at all. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "calibrate/fit/assemble.h"
#include "tests/calibrate/synthetic.h"
#include "tests/checks.h"

enum { WORKERS = 2, LARGEST = 64, SEEDS = 10 };
static char *const names[WORKERS] = {(char[]){"a:1"}, (char[]){"a:2"}};
static const double LATENCY_S = 0.002, RATE_S = 0.01;

static double weights[SYNTHETIC_TASKS]; /* of mean 1 */
static double constant;                 /* of what a mean core task takes */

static double by_weight(int64_t task)
{
    return constant + (1 - constant) * weights[task];
}

/* Log-normal with sigma 1, in no order. */
static void weights_draw(uint64_t seed)
{
    struct generator generator = {seed * 0x9e3779b97f4a7c15u + 1};
    double sum = 0;
    for (int64_t k = 0; k < SYNTHETIC_TASKS; k++)
        sum += weights[k] = exp(generator_normal(&generator));
    for (int64_t k = 0; k < SYNTHETIC_TASKS; k++)
        weights[k] *= SYNTHETIC_TASKS / sum;
}

static void samples_fit(const struct machine *machine, uint64_t seed,
                        struct profile_setting *setting)
{
    struct failure failure = FAILURE_INIT;
    struct task_weights *known = weights_new("drawn", "", weights, SYNTHETIC_TASKS);
    struct samples samples = {.weights = known};
    assert_non_null(known);
    machine_time(machine, OPERATION_COMPUTE, WORKERS, LARGEST, seed, &samples);
    if (!assemble_setting(&samples, 0, LARGEST, WORKERS, names, setting, &failure))
        fail_msg("%s", failure.text);
    samples_release(&samples);
    weights_free(known);
}

static void machine_fit(double (*share)(int64_t task), double noise, uint64_t seed,
                        struct profile_setting *setting)
{
    const struct machine machine = {
        .latency_s = LATENCY_S, .s_per_task = RATE_S, .noise = noise, .share = share};
    samples_fit(&machine, seed, setting);
}

/* Costs of the first class for packages of n core tasks of mean weight. */
static double package_s(const struct profile_setting *setting, double tasks)
{
    size_t w = 0;
    while (w + 1 < setting->window_count && (double)setting->windows[w].greatest < tasks)
        w++;
    return cost_of(setting->windows[w].workers[0].compute.cost, tasks);
}

/* With core tasks that differ so much, a fit without weights would be far off. */
static void costs_are_of_mean_weight(void **state)
{
    (void)state;
    double off = 0;
    for (uint64_t seed = 1; seed <= SEEDS; seed++)
        for (constant = 0; constant < 0.9; constant += 0.4) {
            struct profile_setting setting;
            weights_draw(seed);
            machine_fit(by_weight, 0.05, seed, &setting);
            assert_true(setting.weighing.packages > 100);
            assert_true(fabs(setting.weighing.constant - constant) < 0.05);
            assert_true(setting.weighing.explained > 0.8);
            for (double tasks = 1; tasks <= LARGEST; tasks *= 4)
                off =
                    fmax(off, fabs(package_s(&setting, tasks) / (LATENCY_S + RATE_S * tasks) - 1));
            profile_setting_release(&setting);
        }
    printf("seeds 1 to %d: packages of mean weight off by %.1f %% at most\n", SEEDS, 100 * off);
    assert_true(off < 0.04);
}

/* One timing in fifty takes thirty times as long, because something else ran. */
static void stalls_do_not_hide_weights(void **state)
{
    (void)state;
    const struct machine machine = {.latency_s = LATENCY_S,
                                    .s_per_task = RATE_S,
                                    .noise = 0.05,
                                    .outlier_rate = 0.02,
                                    .outlier_factor = 30,
                                    .share = by_weight};
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        struct profile_setting setting;
        constant = 0.2;
        weights_draw(seed);
        samples_fit(&machine, seed, &setting);
        assert_true(fabs(setting.weighing.constant - constant) < 0.1);
        assert_true(setting.weighing.explained > 0.5);
        profile_setting_release(&setting);
    }
}

/* Nothing is left of the spread; the map says how certain the total is, and keeps no regions. */
static void spread_is_what_weights_leave(void **state)
{
    (void)state;
    struct profile_setting setting;
    constant = 0;
    weights_draw(1);
    machine_fit(by_weight, 0.02, 1, &setting);
    assert_true(setting.spread_count > 0 && setting.spreads[0].deviation < 0.05);
    assert_int_equal(setting.map.work.tasks, SYNTHETIC_TASKS);
    assert_int_equal(setting.map.work.region_count, 0);
    assert_true(setting.map.unseen == 0 && setting.map.error < 0.02);
    profile_setting_release(&setting);
}

static double half_by_weight(int64_t task)
{
    return weights[task] * (task * 2654435761 % 4096 < 2048 ? 0.5 : 1.5);
}

/* Differences that weights do not explain stay in the spread: each core task takes half, or one and
 * a half times, what its weight says. */
static void rest_stays_in_the_spread(void **state)
{
    (void)state;
    struct profile_setting setting;
    weights_draw(3);
    machine_fit(half_by_weight, 0.02, 3, &setting);
    assert_true(setting.weighing.explained > 0.5 && setting.weighing.explained < 0.95);
    assert_true(setting.spread_count > 0 && setting.spreads[0].deviation > 0.3 &&
                setting.spreads[0].deviation < 0.8);
    profile_setting_release(&setting);
}

/* Weights that tell nothing are left aside, and the fit is that of a job without weights. */
static void idle_weights_change_nothing(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        struct profile_setting setting;
        weights_draw(seed);
        machine_fit(NULL, 0.05, seed, &setting);
        assert_true(setting.weighing.constant > 0.97);
        assert_true(fabs(package_s(&setting, 16) / (LATENCY_S + 16 * RATE_S) - 1) < 0.05);
        profile_setting_release(&setting);
    }
}

/* Packages of one size tell nothing about latency, nor do few timings. */
static void few_packages_are_in_proportion(void **state)
{
    (void)state;
    struct failure failure = FAILURE_INIT;
    struct profile_setting setting;
    constant = 0;
    weights_draw(1);
    struct task_weights *known = weights_new("drawn", "", weights, SYNTHETIC_TASKS);
    struct samples samples = {.weights = known};
    for (int64_t k = 0; k < 5; k++) {
        const struct sample sample = {.rank = 1,
                                      .operation = OPERATION_COMPUTE,
                                      .first = 100 * k,
                                      .tasks = 1,
                                      .seconds = RATE_S * weights[100 * k]};
        assert_true(samples_add(&samples, &sample));
    }
    assert_true(assemble_setting(&samples, 0, 1, 1, names, &setting, &failure));
    assert_int_equal(setting.weighing.packages, 5);
    assert_true(setting.weighing.constant == 0 && setting.weighing.explained == 0);
    assert_true(fabs(package_s(&setting, 1) / RATE_S - 1) < 1e-6);
    profile_setting_release(&setting);
    samples_release(&samples);
    weights_free(known);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(costs_are_of_mean_weight),
        cmocka_unit_test(stalls_do_not_hide_weights),
        cmocka_unit_test(spread_is_what_weights_leave),
        cmocka_unit_test(rest_stays_in_the_spread),
        cmocka_unit_test(idle_weights_change_nothing),
        cmocka_unit_test(few_packages_are_in_proportion),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

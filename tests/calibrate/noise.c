/* Noise in proportion to a package's time, and noise that is not: simulated machines with known
 * noise. */
#include "calibrate/fit/noise.h"

#include <math.h>

#include "tests/calibrate/synthetic.h"
#include "tests/checks.h"

enum { SEEDS = 40 };

static const struct machine usual = {.latency_s = 1e-4, .s_per_task = 1e-3};

static struct noise noise_measured(const struct machine *machine, uint64_t seed)
{
    const struct sample_choice choice = {
        .least_rank = 1, .greatest_rank = 3, .operation = OPERATION_COMPUTE};
    struct samples samples = {.items = NULL};
    int64_t count;
    machine_time(machine, OPERATION_COMPUTE, 3, 1024, seed, &samples);
    struct sample *chosen = samples_choose(&samples, &choice, &count);
    assert_non_null(chosen);
    const struct noise noise = noise_find(chosen, count);
    free(chosen);
    samples_release(&samples);
    return noise;
}

static void both_are_found(void **state)
{
    (void)state;
    print_message("seeds 1 to %d\n", SEEDS);
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        struct machine machine = usual;
        machine.noise = 0.02;
        machine.jitter_s = 3e-4;
        const struct noise noise = noise_measured(&machine, seed);
        assert_true(fabs(noise.deviation / 0.02 - 1) < 0.25);
        assert_true(fabs(noise.jitter_s / 3e-4 - 1) < 0.25);
        assert_true(noise.together > 0.01 && noise.together < 0.03); /* of large packages */
    }
}

/* One parameter more is not taken for nothing: in 19 of 20 where there is no jitter. */
static void relative_noise_is_no_jitter(void **state)
{
    int told = 0;
    (void)state;
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        struct machine machine = usual;
        machine.noise = 0.05;
        const struct noise noise = noise_measured(&machine, seed);
        told += noise.jitter_s > 0;
        assert_true(fabs(noise.deviation / 0.05 - 1) < 0.15);
        assert_true(noise.jitter_s < 0.05 * 1.1e-3); /* less than a single task's */
    }
    print_message("jitter in %d of %d\n", told, SEEDS);
    assert_true(told <= SEEDS / 6);
}

static void jitter_is_no_relative_noise(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        struct machine machine = usual;
        machine.jitter_s = 2e-4;
        const struct noise noise = noise_measured(&machine, seed);
        assert_true(fabs(noise.jitter_s / 2e-4 - 1) < 0.15);
        assert_true(noise.deviation < 4e-4); /* twice the jitter of the largest package */
    }
}

static void without_repetitions_there_is_none(void **state)
{
    const struct sample once[] = {{.rank = 1, .tasks = 1, .first = 3, .seconds = 0.1},
                                  {.rank = 1, .tasks = 1, .first = 5, .seconds = 0.2},
                                  {.rank = 2, .tasks = 4, .first = 5, .seconds = 0.2}};
    const struct sample still[] = {{.rank = 1, .tasks = 1, .first = 3, .seconds = 0.1},
                                   {.rank = 1, .tasks = 1, .first = 3, .seconds = 0.1}};
    (void)state;
    const struct noise none = noise_find(once, 3), nothing = noise_find(NULL, 0);
    assert_true(none.together == 0 && none.deviation == 0 && none.jitter_s == 0);
    assert_true(nothing.together == 0 && nothing.deviation == 0 && nothing.jitter_s == 0);
    const struct noise equal = noise_find(still, 2);
    assert_true(equal.together == 0 && equal.deviation == 0 && equal.jitter_s == 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(both_are_found),
        cmocka_unit_test(relative_noise_is_no_jitter),
        cmocka_unit_test(jitter_is_no_relative_noise),
        cmocka_unit_test(without_repetitions_there_is_none),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

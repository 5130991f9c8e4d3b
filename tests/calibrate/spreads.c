/* By how much packages differ from place to place: differences of simulated core tasks are found
 * again, even where large packages were timed at few places that happened to be alike. */
#include "calibrate/fit/spreads.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "calibrate/fit/points.h"
#include "tests/calibrate/synthetic.h"
#include "tests/cases.h"
#include "tests/checks.h"

enum { SIZES_MOST = 3, LARGEST = 1024, BLOCK = 500, TIMES = 10 };
static int seeds; /* of each kind of machine */

static bool is_drawn(uint64_t z)
{
    z = (z + 1) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return (z ^ z >> 31) % 10 == 0;
}

static double share_scattered(int64_t task)
{
    return is_drawn((uint64_t)task) ? TIMES : 1;
}

static double share_blocks(int64_t task)
{
    return is_drawn((uint64_t)(task / BLOCK)) ? TIMES : 1;
}

static double share_last(int64_t task)
{
    return task >= SYNTHETIC_TASKS - SYNTHETIC_TASKS / 10 ? TIMES : 1;
}

/* The deviation of the means of packages of so many core tasks, beginning at every 16th one. */
static double deviation_of(double (*share)(int64_t task), int64_t tasks)
{
    double sums[SYNTHETIC_TASKS + 1] = {0}, mean = 0, squares = 0;
    int64_t count = 0;
    for (int64_t task = 0; task < SYNTHETIC_TASKS; task++)
        sums[task + 1] = sums[task] + share(task);
    for (int64_t first = 0; first + tasks <= SYNTHETIC_TASKS; first += 16, count++) {
        const double one = (sums[first + tasks] - sums[first]) / (double)tasks;
        mean += one;
        squares += one * one;
    }
    mean /= (double)count;
    return sqrt(squares / (double)count - mean * mean) / mean;
}

static size_t spreads_of(const struct machine *machine, int workers, uint64_t seed,
                         struct spread *spreads)
{
    const struct sample_choice choice = {0, 1, workers, OPERATION_COMPUTE, SAMPLE_ANY};
    struct samples samples = {0};
    struct points points;
    int64_t count = 0;
    machine_time(machine, OPERATION_COMPUTE, workers, LARGEST, seed, &samples);
    struct sample *chosen = samples_choose(&samples, &choice, &count);
    struct sample *cut = samples_choose(&samples, &choice, &count);
    assert_true(chosen && cut);
    samples_release(&samples);
    points_make(cut, count, &points);
    const size_t found =
        spreads_find(chosen, count, hypot(points.drift, points.drift_own), spreads);
    free(chosen);
    free(cut);
    return found;
}

/* What a profile says about packages of one size. */
struct said {
    int64_t tasks;
    double truth, least, most;
    int found; /* so often within a factor of the truth */
};

static void said_add(struct said *said, const struct spread *spreads, size_t count, double factor)
{
    for (size_t k = 0; k < count; k++) {
        const double deviation = spreads[k].deviation;
        if (spreads[k].tasks != said->tasks)
            continue;
        said->found += deviation > said->truth / factor && deviation < said->truth * factor;
        said->least = fmin(said->least, deviation);
        said->most = fmax(said->most, deviation);
    }
}

/* Nine tenths of `seeds` calibrations are within the factor, for packages of each of these
 * sizes. */
static void assert_found(const struct machine *machine, int workers, const int64_t *sizes,
                         size_t count, double factor)
{
    struct said said[SIZES_MOST];
    for (size_t k = 0; k < count; k++)
        said[k] = (struct said){sizes[k], deviation_of(machine->share, sizes[k]), HUGE_VAL, 0, 0};
    for (uint64_t seed = 1; seed <= (uint64_t)seeds; seed++) {
        struct spread spreads[SPREADS_MOST];
        const size_t made = spreads_of(machine, workers, seed, spreads);
        for (size_t k = 0; k < count; k++)
            said_add(&said[k], spreads, made, factor);
    }
    for (size_t k = 0; k < count; k++) {
        print_message("%d workers, packages of %4" PRId64
                      ": %.3f, said to be %.3f to %.3f; seeds 1 to %d: %d within a factor of %g\n",
                      workers, said[k].tasks, said[k].truth, said[k].least, said[k].most, seeds,
                      said[k].found, factor);
        assert_true(said[k].found >= seeds * 9 / 10);
    }
}

/* Half the job costs three times as much as the other half. */
static double share_sine(int64_t task)
{
    return 1 + 0.5 * sin((double)task * 3.14159265358979323846 / 2500);
}

static void test_unequal(void **state)
{
    static const int64_t sizes[] = {64, 256, LARGEST};
    static double (*const shares[])(int64_t task) = {share_scattered, share_blocks, share_last,
                                                     share_sine};
    (void)state;
    for (size_t k = 0; k < sizeof shares / sizeof *shares; k++) {
        const struct machine machine = {
            .latency_s = 1e-5, .s_per_task = 1e-3, .noise = 0.02, .share = shares[k]};
        for (int workers = 1; workers <= 4; workers += 3)
            assert_found(&machine, workers, sizes, COUNT_OF(sizes), 2);
    }
}

/* Timings and whole passes that are off by much hide no heavy tasks. */
static void test_unequal_in_noise(void **state)
{
    static const int64_t sizes[] = {1, 64};
    static double (*const shares[])(int64_t task) = {share_scattered, share_last};
    (void)state;
    for (size_t k = 0; k < sizeof shares / sizeof *shares; k++) {
        const struct machine machine = {
            .latency_s = 1e-5, .s_per_task = 1e-3, .noise = 0.3, .drift = 0.1, .share = shares[k]};
        assert_found(&machine, 3, sizes, COUNT_OF(sizes), 3);
    }
}

/* Noise is no difference between core tasks, however loud it is: below what planning heeds. */
static void test_equal(void **state)
{
    static const struct machine machines[] = {
        {.latency_s = 1e-5, .s_per_task = 1e-3, .noise = 0.02},
        {.latency_s = 1e-5, .s_per_task = 1e-3, .noise = 0.3},
        {.latency_s = 1e-5, .s_per_task = 1e-3, .noise = 0.03, .drift = 0.05},
        {.latency_s = 1e-5, .s_per_task = 1e-3, .noise = 0.03, .drift_own = 0.05},
        {.latency_s = 1e-5,
         .s_per_task = 1e-3,
         .noise = 0.05,
         .outlier_rate = 0.005,
         .outlier_factor = 20}};
    (void)state;
    for (size_t k = 0; k < sizeof machines / sizeof *machines; k++) {
        int wrong = 0;
        for (uint64_t seed = 1; seed <= (uint64_t)seeds; seed++) {
            struct spread spreads[SPREADS_MOST];
            const size_t count = spreads_of(&machines[k], 1 + (int)(seed % 4), seed, spreads);
            double most = 0;
            for (size_t i = 0; i < count; i++)
                most = fmax(most, spreads[i].deviation);
            assert_true(count > 5);
            wrong += most > 0.05;
        }
        print_message("equal tasks, machine %zu: taken to differ for %d of seeds 1 to %d\n", k,
                      wrong, seeds);
        assert_true(wrong <= 1 + seeds / 25);
    }
}

/* Core tasks that were timed once do not tell noise from differences. */
static void test_nothing_known(void **state)
{
    struct sample once[9] = {{0}};
    struct spread spreads[SPREADS_MOST];
    (void)state;
    for (int i = 0; i < 9; i++)
        once[i] = (struct sample){.rank = 1, .first = i, .tasks = 1, .seconds = i};
    assert_int_equal(spreads_find(once, 0, 0, spreads), 0);
    assert_int_equal(spreads_find(once, 9, 0, spreads), 0);
}

int main(void)
{
    seeds = (int)cases_of(100);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_unequal),
        cmocka_unit_test(test_unequal_in_noise),
        cmocka_unit_test(test_equal),
        cmocka_unit_test(test_nothing_known),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

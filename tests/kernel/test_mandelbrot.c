/* The core task mandelbrot: its counts against the definition, on published domains and small ones,
 * with all instruction sets, threads and packages; what it refuses; and how it is stopped. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "kernel/mandelbrot/mandelbrot.h"
#include "kernel/vector/isa.h"
#include "tests/kernel/mandelbrot_trial.h"

static void assert_no_complaint(const char *complaint)
{
    if (complaint != NULL)
        fail_msg("%s", complaint);
}

/* One pixel, whose centre is exactly (x, y) where these are multiples of 1/4, say. */
static uint32_t count_at(double x, double y, int64_t iterations)
{
    const struct domain domain = {1, 1, x - 1, x + 1, y - 1, y + 1, iterations};
    struct trial_job job;
    uint32_t count;
    assert_true(trial_job_init(&job, &domain));
    assert_int_equal(trial_job_compute(&job, 0, 1, 1, &count), SCOW_OK);
    trial_job_release(&job);
    return count;
}

static void counts_at_special_points(void **state)
{
    (void)state;
    static const struct {
        double x, y;
        int64_t iterations;
        uint32_t count;
    } points[] = {
        {0, 0, 4294967295, 4294967295},  /* a fixed point */
        {-2, 0, 4294967295, 4294967295}, /* -2, 2, 2, ... */
        {-1, 0, 1000, 1000},             /* a cycle of two */
        {0, 1, 1000, 1000},              /* i, -1 + i, -i, -1 + i, ... */
        {0.25, 0, 100000, 100000},       /* creeps up to 1/2 */
        {0.5, 0, 1000, 4},               /* 0.5, 0.75, 1.0625, 1.6289; 3.1533 */
        {1, 0, 1000, 2},                 /* 1, 2; 5 */
        {2, 0, 1000, 1},                 /* 2; 6 */
        {0, 2, 1000, 1},
        {0, -2, 1000, 1},
        {1, 1, 1000, 1},
        {3, 0, 1000, 0},
        {2, 2, 1000, 0},
        {-2.25, 0, 1, 0},
        {1000, -1000, 1000, 0},
        {0, 0, 1, 1},
        {1, 0, 1, 1},
        {0, 0, 32, 32},
        {0, 0, 33, 33},
    };
    for (size_t i = 0; i < sizeof points / sizeof *points; i++)
        assert_int_equal(count_at(points[i].x, points[i].y, points[i].iterations), points[i].count);
}

static void small_domains_are_as_defined(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 150; seed++) {
        const char *complaint = domain_complaint_random(seed);
        if (complaint != NULL)
            fail_msg("seed %" PRIu64 ": %s", seed, complaint);
    }
}

static void the_square_is_as_defined(void **state)
{
    (void)state;
    struct domain domain = domain_square;
    struct random random = {11};
    domain.iterations = 60;
    uint32_t *expected = domain_counts(&domain, 0, domain.height);
    assert_no_complaint(domain_complaint(&domain, 0, domain.height, expected, &random));
    free(expected);
}

/* Rows from the large picture: outside, through the set, and beside its axis. */
static void pieces_of_the_large_domain_are_as_defined(void **state)
{
    (void)state;
    static const struct {
        int64_t row, iterations;
    } pieces[] = {{0, 1000}, {24999, 100}, {9876, 250}};
    struct random random = {12};
    for (size_t i = 0; i < sizeof pieces / sizeof *pieces; i++) {
        struct domain domain = domain_large;
        domain.iterations = pieces[i].iterations;
        uint32_t *expected = domain_counts(&domain, pieces[i].row, 2);
        assert_no_complaint(domain_complaint(&domain, pieces[i].row, 2, expected, &random));
        free(expected);
    }
}

/* Sums of what domain_counts computes in a second. */
static void the_square_has_its_golden_sums(void **state)
{
    (void)state;
    const int64_t width = domain_square.width, pixels = width * domain_square.height;
    uint32_t *counts = malloc((size_t)pixels * sizeof *counts);
    struct trial_job job;
    uint64_t sum = 0, hash = 0;
    assert_non_null(counts);
    assert_true(trial_job_init(&job, &domain_square));
    assert_int_equal(trial_job_compute(&job, 0, domain_square.height, 2, counts), SCOW_OK);
    for (int64_t i = 0; i < pixels; i++) {
        sum += counts[i];
        hash = hash * 6364136223846793005U + counts[i];
    }
    assert_int_equal(sum, 139544086U);
    assert_int_equal(hash, 0x37b36fc8738f839eU);
    for (int64_t i = 0; i < pixels; i++) /* the set is symmetric about the real axis */
        assert_int_equal(counts[i],
                         counts[(domain_square.height - 1 - i / width) * width + i % width]);
    trial_job_release(&job);
    free(counts);
}

/* The same with more precision: where counts are small, rounding has no say but at the very edge of
 * abs(z) = 2. */
static uint32_t precise_count(long double c_x, long double c_y, uint32_t most)
{
    long double x = c_x, y = c_y;
    uint32_t count = 0;
    while (count < most && hypotl(x, y) <= 2) {
        const long double next = (x + y) * (x - y) + c_x;
        y = 2 * x * y + c_y;
        x = next;
        count++;
    }
    return count;
}

static void counts_are_those_of_more_precise_numbers(void **state)
{
    (void)state;
    enum { EDGE = 100 };
    const struct domain domain = {EDGE, EDGE, -2, 0.5, -1.25, 1.25, 40};
    uint32_t counts[EDGE * EDGE];
    struct trial_job job;
    assert_true(trial_job_init(&job, &domain));
    assert_int_equal(trial_job_compute(&job, 0, EDGE, 1, counts), SCOW_OK);
    for (int row = 0; row < EDGE; row++)
        for (int column = 0; column < EDGE; column++)
            assert_int_equal(counts[row * EDGE + column],
                             precise_count(-2 + 2.5L * (column + 0.5L) / EDGE,
                                           1.25L - 2.5L * (row + 0.5L) / EDGE, 40));
    trial_job_release(&job);
}

static void what_comes_out_is_a_row_a_task(void **state)
{
    (void)state;
    struct trial_job job;
    struct scow_results results = {.grid_type = SCOW_NONE};
    int64_t start[3], count[3];
    char method[200];
    assert_true(trial_job_init(&job, &domain_large));
    assert_int_equal(job.setup.tasks, 50000);
    mandelbrot_task.results(job.opened, &results);
    mandelbrot_task.place(job.opened, 49999, start, count);
    assert_int_equal(results.grid_type, SCOW_U32);
    assert_true(results.grid_picture);
    assert_memory_equal(results.grid_extent, ((int64_t[]){1, 50000, 60000}), sizeof start);
    assert_memory_equal(results.grid_tile, ((int64_t[]){1, 1, 60000}), sizeof start);
    assert_memory_equal(start, ((int64_t[]){0, 49999, 0}), sizeof start);
    assert_memory_equal(count, ((int64_t[]){1, 1, 60000}), sizeof count);
    mandelbrot_task.method(job.opened, method, sizeof method);
    assert_string_equal(method, "double precision without fused multiply-adds");
    trial_job_release(&job);
}

static void the_published_square_is_the_default(void **state)
{
    (void)state;
    const struct scow_parameter *parameters = mandelbrot_task.parameters;
    struct trial_job job;
    assert_true(trial_job_init(&job, &domain_square));
    for (int i = 0; parameters[i].name != NULL; i++) {
        assert_true(parameters[i].initial == job.values[i].number);
        assert_true(parameters[i].initial >= parameters[i].least);
        assert_true(parameters[i].initial <= parameters[i].greatest);
    }
    trial_job_release(&job);
}

static void senseless_domains_are_refused(void **state)
{
    (void)state;
    static const struct {
        struct domain domain;
        const char *sentence;
    } cases[] = {
        {{10, 10, 1, -1, -1, 1, 10},
         "--x-min is 1 and --x-max is -1: the minimum must be less than the maximum"},
        {{10, 10, -1, 1, 0.5, 0.5, 10},
         "--y-min is 0.5 and --y-max is 0.5: the minimum must be less than the maximum"},
        {{10, 10, -1, 1, (double)NAN, 1, 10},
         "--y-min is nan and --y-max is 1: the minimum must be less than the maximum"},
        {{1000, 10, -1, -1 + 1e-14, -1, 1, 10},
         "1000 columns from x-min -1 to x-max -0.99999999999999001 are closer than double "
         "precision can tell apart: give fewer or a larger part of the plane"},
        {{10, 2147483647, -1, 1, 1000, 1000 + 1e-6, 10},
         "2147483647 rows from y-min 1000 to y-max 1000.000001 are closer than double "
         "precision can tell apart: give fewer or a larger part of the plane"},
        {{2147483647, 2147483647, -2, 2, -2, 2, 10},
         "a picture of 2147483647 x 2147483647 pixels has more bytes than can be counted: give a "
         "smaller width or height"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct trial_job job;
        assert_false(trial_job_init(&job, &cases[i].domain));
        assert_string_equal(job.memory.failure, cases[i].sentence);
        trial_job_release(&job);
    }
}

/* Points on the real axis whose z never come to rest: a row that takes for ever. */
static const struct domain endless = {64, 1, -1.99, -1.55, -1e-3, 1e-3, 4294967295};

static void a_row_can_be_stopped(void **state)
{
    (void)state;
    for (int threads = 1; threads <= 3; threads += 2) {
        struct trial_job job;
        uint32_t counts[64];
        assert_true(trial_job_init(&job, &endless));
        job.memory.pulses_until_stop = 2;
        assert_int_equal(trial_job_compute(&job, 0, 1, threads, counts), SCOW_STOPPED);
        assert_true(job.memory.pulses >= 3);
        trial_job_release(&job);
    }
}

/* Just inside of -2, where every iteration is looked at. */
static void a_pixel_on_the_rim_can_be_stopped(void **state)
{
    (void)state;
    const double edge = -2 + 0x1p-48;
    const struct domain domain = {1, 1, edge - 0x1p-10, edge + 0x1p-10, -1, 1, 4294967295};
    struct trial_job job;
    uint32_t count;
    assert_true(trial_job_init(&job, &domain));
    job.memory.pulses_until_stop = 1;
    assert_int_equal(trial_job_compute(&job, 0, 1, 1, &count), SCOW_STOPPED);
    trial_job_release(&job);
}

/* Between two pulses there are at most a million iterations, which take a few milliseconds at
 * most. */
static void pulses_come_within_an_expensive_row_and_between_cheap_ones(void **state)
{
    (void)state;
    struct domain cheap = domain_square, expensive = endless;
    struct trial_job job;
    uint32_t *counts = malloc(sizeof *counts * 1200 * 1200);
    assert_non_null(counts);
    cheap.iterations = 1;
    assert_true(trial_job_init(&job, &cheap));
    assert_int_equal(trial_job_compute(&job, 0, 1200, 1, counts), SCOW_OK);
    assert_true(job.memory.pulses >= 40);
    trial_job_release(&job);
    expensive.iterations = 200000;
    assert_true(trial_job_init(&job, &expensive));
    assert_int_equal(trial_job_compute(&job, 0, 1, 1, counts), SCOW_OK);
    assert_true(job.memory.pulses >= 64 * 200000 / 1000000);
    trial_job_release(&job);
    free(counts);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(counts_at_special_points),
        cmocka_unit_test(small_domains_are_as_defined),
        cmocka_unit_test(the_square_is_as_defined),
        cmocka_unit_test(pieces_of_the_large_domain_are_as_defined),
        cmocka_unit_test(the_square_has_its_golden_sums),
        cmocka_unit_test(counts_are_those_of_more_precise_numbers),
        cmocka_unit_test(what_comes_out_is_a_row_a_task),
        cmocka_unit_test(the_published_square_is_the_default),
        cmocka_unit_test(senseless_domains_are_refused),
        cmocka_unit_test(a_row_can_be_stopped),
        cmocka_unit_test(a_pixel_on_the_rim_can_be_stopped),
        cmocka_unit_test(pulses_come_within_an_expensive_row_and_between_cheap_ones),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

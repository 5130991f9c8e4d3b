#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <math.h>

#include "kernel/summary.h"
#include "tests/kernel/whole.h"

enum { ROWS = 20, COLUMNS = 26, BLOCK = 13, TASKS = 4, STRIDE = BLOCK * BLOCK };

static struct kernel_job *job_new(const struct kernel *kernel)
{
    struct extent extent = {1, ROWS, COLUMNS, PIXEL_U8};
    struct kernel_setup setup = setup_initial(kernel, &extent, BLOCK);
    setup_number(&setup, kernel, "angles", 1);
    return kernel->new_job(&setup);
}

static void fill(float *results)
{
    for (int i = 0; i < TASKS * STRIDE; i++)
        results[i] = sinf((float)i);
}

static void a_summary_does_not_depend_on_order_or_grouping(void **state)
{
    (void)state;
    const struct kernel *kernel = kernel_find("matched-filter");
    struct kernel_job *job = job_new(kernel);
    float results[TASKS * STRIDE];
    fill(results);
    struct summary whole, first, second;
    summary_init(&whole);
    summary_init(&first);
    summary_init(&second);
    summary_add(&whole, kernel, job, 0, TASKS, results);
    summary_add(&second, kernel, job, 3, 1, results + 3 * STRIDE);
    summary_add(&second, kernel, job, 0, 1, results);
    summary_add(&first, kernel, job, 1, 2, results + STRIDE);
    summary_merge(&first, &second);
    assert_true(whole.checksum == first.checksum);
    assert_true(whole.minimum == first.minimum);
    assert_true(whole.maximum == first.maximum);
    assert_int_equal(first.tasks, TASKS);
    assert_int_equal(first.values, ROWS * COLUMNS);
    assert_int_equal(first.not_numbers, 0);
    kernel->free_job(&job);
}

static void a_checksum_notices_values_and_their_places(void **state)
{
    (void)state;
    const struct kernel *kernel = kernel_find("matched-filter");
    struct kernel_job *job = job_new(kernel);
    float results[TASKS * STRIDE];
    fill(results);
    struct summary one, other, moved;
    summary_init(&one);
    summary_init(&other);
    summary_init(&moved);
    summary_add(&one, kernel, job, 0, 1, results);
    summary_add(&moved, kernel, job, 1, 1, results);
    results[17] = nextafterf(results[17], 2);
    summary_add(&other, kernel, job, 0, 1, results);
    assert_true(one.checksum != other.checksum);
    assert_true(one.checksum != moved.checksum);
    kernel->free_job(&job);
}

static void extremes_leave_out_what_is_no_number(void **state)
{
    (void)state;
    const struct kernel *kernel = kernel_find("matched-filter");
    struct kernel_job *job = job_new(kernel);
    float results[STRIDE];
    struct summary summary;
    summary_init(&summary);
    assert_true(isinf(summary.minimum));
    assert_true(isinf(summary.maximum) && summary.maximum < 0);
    for (int i = 0; i < STRIDE; i++)
        results[i] = NAN;
    results[5] = -3;
    results[80] = 4.5F;
    summary_add(&summary, kernel, job, 0, 1, results);
    assert_true(summary.minimum == -3);
    assert_true(summary.maximum == 4.5);
    assert_int_equal(summary.not_numbers, STRIDE - 2);
    assert_int_equal(summary.values, STRIDE);
    kernel->free_job(&job);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_summary_does_not_depend_on_order_or_grouping),
        cmocka_unit_test(a_checksum_notices_values_and_their_places),
        cmocka_unit_test(extremes_leave_out_what_is_no_number),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

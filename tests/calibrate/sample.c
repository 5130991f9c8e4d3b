/* Raw timings: medians over blocks, means over places, one point a size. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "calibrate/sample.h"

static void add(struct samples *samples, int rank, enum operation operation, int64_t first,
                int64_t tasks, double seconds)
{
    struct sample sample = {64, rank, operation, first, tasks, 3, seconds};
    assert_true(samples_add(samples, &sample));
}

static void test_points(void **state)
{
    (void)state;
    struct samples samples = {0};
    add(&samples, 1, OPERATION_COMPUTE, 0, 8, 8.0);
    add(&samples, 1, OPERATION_COMPUTE, 0, 4, 1.0);
    add(&samples, 1, OPERATION_COMPUTE, 0, 4, 90.0); /* an outlier: the median ignores it */
    add(&samples, 1, OPERATION_COMPUTE, 0, 4, 2.0);
    add(&samples, 1, OPERATION_COMPUTE, 9, 4, 4.0); /* another place: the mean counts it */
    add(&samples, 2, OPERATION_COMPUTE, 0, 4, 7.0);
    add(&samples, 1, OPERATION_OUTPUT, 0, 4, 5.0);
    double x[4], y[4];
    assert_int_equal(samples_points(&samples, 64, 1, OPERATION_COMPUTE, x, y, 4), 2);
    assert_true(x[0] == 4 && y[0] == 3.0);
    assert_true(x[1] == 8 && y[1] == 8.0);
    assert_int_equal(samples_points(&samples, 64, 1, OPERATION_COMPUTE, x, y, 1), 1);
    assert_int_equal(samples_points(&samples, 64, 3, OPERATION_COMPUTE, x, y, 4), 0);
    assert_int_equal(samples_points(&samples, 32, 1, OPERATION_COMPUTE, x, y, 4), 0);
    assert_int_equal(samples_points(&samples, 64, -1, OPERATION_OUTPUT, x, y, 4), 1);
    assert_true(y[0] == 5.0);
    samples_release(&samples);
    assert_null(samples.items);
}

static void test_even_median(void **state)
{
    (void)state;
    struct samples samples = {0};
    const double seconds[] = {5, 1, 3, 2};
    for (int i = 0; i < 4; i++)
        add(&samples, 1, OPERATION_SEND, 0, 1, seconds[i]);
    double x[1], y[1];
    assert_int_equal(samples_points(&samples, 64, 1, OPERATION_SEND, x, y, 1), 1);
    assert_true(y[0] == 2.5);
    samples_release(&samples);
}

static void test_print(void **state)
{
    (void)state;
    struct samples samples = {0};
    add(&samples, 2, OPERATION_LINK, 10, 4, 0.25);
    char *text = samples_print(&samples);
    assert_string_equal(text, "block\trank\toperation\tfirst_task\ttasks\trepeats\tseconds\n"
                              "64\t2\tlink\t10\t4\t3\t0.25\n");
    free(text);
    samples_release(&samples);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_points),
        cmocka_unit_test(test_even_median),
        cmocka_unit_test(test_print),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

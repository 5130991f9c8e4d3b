/* Raw timings: medians over blocks, means over places, one point a size. */
#include <math.h>
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
    assert_string_equal(text, "setting\trank\toperation\tfirst_task\ttasks\trepeats\tseconds\n"
                              "64\t2\tlink\t10\t4\t3\t0.25\n");
    free(text);
    samples_release(&samples);
}

/* Two places that cost 1 and 3, each timed twice; at the other size all places are alike. */
static void test_how_unequal_places_are(void **state)
{
    (void)state;
    struct samples samples = {0};
    for (int64_t place = 0; place < 2; place++)
        for (int repeat = 0; repeat < 2; repeat++) {
            const struct sample uneven = {.rank = 1 + repeat,
                                          .operation = OPERATION_COMPUTE,
                                          .first = 10 * place,
                                          .tasks = 4,
                                          .seconds = 1 + 2 * (double)place};
            struct sample even = uneven;
            even.tasks = 1;
            even.seconds = 7;
            assert_true(samples_add(&samples, &uneven));
            assert_true(samples_add(&samples, &even));
        }
    int64_t tasks[4];
    double deviations[4];
    assert_int_equal(samples_spread(&samples, 0, tasks, deviations, 4), 2);
    assert_int_equal(tasks[0], 1);
    assert_int_equal(tasks[1], 4);
    assert_true(deviations[0] == 0);
    assert_true(fabs(deviations[1] - sqrt(2) / 2) < 1e-12);
    assert_int_equal(samples_spread(&samples, 1, tasks, deviations, 4), 0);
    samples_release(&samples);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_how_unequal_places_are),
        cmocka_unit_test(test_points),
        cmocka_unit_test(test_even_median),
        cmocka_unit_test(test_print),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

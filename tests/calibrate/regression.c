/* Affine fits: exact lines, noise, and what must be refused. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "calibrate/regression.h"

static bool near(double a, double b, double relative)
{
    return fabs(a - b) <= relative * fmax(fabs(a), fabs(b));
}

static void test_exact_line(void **state)
{
    (void)state;
    const double x[] = {1, 4, 16, 64, 256};
    double y[5];
    for (int i = 0; i < 5; i++)
        y[i] = 2e-5 + 3e-4 * x[i];
    struct measured_cost cost;
    assert_int_equal(regression_fit(x, y, 5, &cost), REGRESSION_GOOD);
    assert_true(near(cost.cost.latency_s, 2e-5, 1e-9));
    assert_true(near(cost.cost.s_per_task, 3e-4, 1e-12));
    assert_int_equal(cost.fit.n, 5);
    assert_true(cost.fit.r2 > 1 - 1e-12);
    assert_true(cost.fit.stderr_s_per_task < 1e-12);
}

static void test_one_point_goes_through_the_origin(void **state)
{
    (void)state;
    const double x[] = {8}, y[] = {4e-3};
    struct measured_cost cost;
    assert_int_equal(regression_fit(x, y, 1, &cost), REGRESSION_GOOD);
    assert_true(cost.cost.latency_s == 0);
    assert_true(near(cost.cost.s_per_task, 5e-4, 1e-12));
}

static void test_negative_latency_becomes_none(void **state)
{
    (void)state;
    const double x[] = {10, 20, 40}, y[] = {0.9e-3, 1.95e-3, 4.1e-3};
    struct measured_cost cost;
    assert_int_equal(regression_fit(x, y, 3, &cost), REGRESSION_GOOD);
    assert_true(cost.cost.latency_s == 0);
    /* Weighted by 1 / y^2 the rate is sum(x/y) / sum(x^2/y^2). */
    double a = 0, b = 0;
    for (int i = 0; i < 3; i++) {
        a += x[i] / y[i];
        b += x[i] * x[i] / (y[i] * y[i]);
    }
    assert_true(near(cost.cost.s_per_task, a / b, 1e-12));
}

static void test_falling_times_are_constant(void **state)
{
    (void)state;
    const double x[] = {1, 10, 100}, y[] = {3e-6, 2e-6, 2e-6};
    struct measured_cost cost;
    assert_int_equal(regression_fit(x, y, 3, &cost), REGRESSION_CONSTANT);
    assert_true(cost.cost.s_per_task == 0);
    assert_true(cost.cost.latency_s > 2e-6 && cost.cost.latency_s < 3e-6);
}

static void test_refusals_leave_the_cost_alone(void **state)
{
    (void)state;
    const double x[] = {1, 2}, zero[] = {1e-3, 0}, nan_y[] = {1e-3, (double)NAN},
                 inf_y[] = {(double)INFINITY, 1};
    struct measured_cost cost = {.cost = {7, 8}};
    assert_int_equal(regression_fit(x, zero, 2, &cost), REGRESSION_EMPTY);
    assert_int_equal(regression_fit(x, nan_y, 2, &cost), REGRESSION_EMPTY);
    assert_int_equal(regression_fit(x, inf_y, 2, &cost), REGRESSION_EMPTY);
    assert_int_equal(regression_fit(x, zero, 0, &cost), REGRESSION_EMPTY);
    assert_true(cost.cost.latency_s == 7 && cost.cost.s_per_task == 8);
}

/* Uniform in [-1, 1). */
static double noise(uint64_t *state)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return (double)(*state >> 11) / (double)(1ull << 52) - 1;
}

static void test_noise_is_averaged_out(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 200; seed++) {
        uint64_t random = seed;
        double x[12], y[12], latency = 1e-6 * (double)seed, rate = 1e-5;
        for (int i = 0; i < 12; i++) {
            x[i] = (double)(1 << i);
            y[i] = (latency + rate * x[i]) * (1 + 0.02 * noise(&random));
        }
        struct measured_cost cost;
        enum regression_result result = regression_fit(x, y, 12, &cost);
        if (result != REGRESSION_GOOD || !near(cost.cost.s_per_task, rate, 0.03))
            print_error("seed %d: rate %g instead of %g\n", (int)seed, cost.cost.s_per_task, rate);
        assert_int_equal(result, REGRESSION_GOOD);
        assert_true(near(cost.cost.s_per_task, rate, 0.03));
        assert_true(fabs(cost.cost.latency_s - latency) < 0.04 * (latency + rate));
        assert_true(fabs(cost.cost.s_per_task - rate) < 6 * cost.fit.stderr_s_per_task);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_exact_line),
        cmocka_unit_test(test_one_point_goes_through_the_origin),
        cmocka_unit_test(test_negative_latency_becomes_none),
        cmocka_unit_test(test_falling_times_are_constant),
        cmocka_unit_test(test_refusals_leave_the_cost_alone),
        cmocka_unit_test(test_noise_is_averaged_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Costs of exchanges, from samples: latency and seconds per byte, not below 0, with their
 * errors. */
#include <math.h>

#include "calibrate/exchange.h"
#include "tests/checks.h"

enum { SAMPLES = 4 };

static struct exchange fitted(const double *seconds)
{
    struct exchange_sample samples[SAMPLES];
    struct exchange exchange = {0};
    for (int k = 0; k < SAMPLES; k++)
        samples[k] = (struct exchange_sample){
            .bytes = (size_t)8 << 3 * k, .seconds = seconds[k], .deviation_s = seconds[k] / 20};
    assert_true(exchange_fit(samples, SAMPLES, &exchange));
    return exchange;
}

static void a_line_is_found(void **state)
{
    double seconds[SAMPLES];
    (void)state;
    for (int k = 0; k < SAMPLES; k++)
        seconds[k] = 2e-5 + 1e-9 * (8 << 3 * k);
    const struct exchange exchange = fitted(seconds);
    assert_true(fabs(exchange.latency_s - 2e-5) < 1e-12);
    assert_true(fabs(exchange.s_per_byte - 1e-9) < 1e-15);
    assert_true(exchange.stderr_latency_s > 0 && exchange.stderr_s_per_byte > 0);
}

static void nothing_is_below_nothing(void **state)
{
    const double steep[SAMPLES] = {1e-6, 1e-5, 1e-4, 1e-3},
                 falling[SAMPLES] = {4e-5, 3e-5, 2e-5, 1e-5};
    (void)state;
    const struct exchange proportional = fitted(steep), constant = fitted(falling);
    assert_true(proportional.latency_s >= 0 && proportional.s_per_byte > 0);
    assert_true(constant.latency_s > 0 && constant.s_per_byte == 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_line_is_found),
        cmocka_unit_test(nothing_is_below_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

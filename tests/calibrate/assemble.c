/* From samples to a setting of a profile. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "calibrate/assemble.h"

enum { WORKERS = 2 };
static char *const names[WORKERS] = {(char[]){"a:1"}, (char[]){"a:2"}};

static void add_line(struct samples *samples, int rank, enum operation operation, double latency,
                     double rate)
{
    for (int64_t tasks = 1; tasks <= 64; tasks *= 4) {
        struct sample sample = {7, rank, operation, 0, tasks, 1, latency + rate * (double)tasks};
        assert_true(samples_add(samples, &sample));
    }
}

/* A cluster whose compute rate on the second worker is given. */
static struct samples cluster(double second_rate)
{
    struct samples samples = {0};
    add_line(&samples, 0, OPERATION_ENVELOPE, 1e-6, 2e-6);
    for (int rank = 1; rank <= WORKERS; rank++) {
        add_line(&samples, rank, OPERATION_SEND, 3e-6, 0);
        add_line(&samples, rank, OPERATION_LINK, 0, 0);
        add_line(&samples, rank, OPERATION_RECEIVE, 5e-6, 1e-6);
        add_line(&samples, rank, OPERATION_OUTPUT, 0, 2e-5);
    }
    add_line(&samples, 1, OPERATION_COMPUTE, 1e-5, 1e-3);
    add_line(&samples, 2, OPERATION_COMPUTE, 1e-5, second_rate);
    return samples;
}

static void release(struct samples *samples, struct profile_setting *setting)
{
    struct profile profile = {0};
    profile.settings = malloc(sizeof *setting);
    assert_non_null(profile.settings);
    profile.settings[0] = *setting;
    profile.setting_count = 1;
    profile_release(&profile);
    samples_release(samples);
}

static bool near(double a, double b)
{
    return fabs(a - b) <= 1e-9 * fmax(1e-6, fabs(b));
}

static void test_every_cost(void **state)
{
    (void)state;
    struct samples samples = cluster(3e-3);
    struct profile_setting setting;
    struct failure failure = FAILURE_INIT;
    assert_true(assemble_setting(&samples, 7, 64, WORKERS, names, &setting, &failure));
    const struct profile_window *window = &setting.windows[0];
    assert_true(window->least == 1 && window->greatest == 64);
    assert_true(near(window->envelope.cost.s_per_task, 2e-6));
    assert_true(near(window->send.cost.latency_s, 3e-6) && window->send.cost.s_per_task < 1e-15);
    assert_int_equal(window->worker_count, WORKERS);
    const struct profile_worker *second = &window->workers[1];
    assert_string_equal(second->name, "a:2");
    assert_true(near(second->compute.cost.s_per_task, 3e-3));
    assert_true(near(second->receive.cost.latency_s, 5e-6));
    assert_true(near(second->output.cost.s_per_task, 2e-5));
    /* Nothing above the clock's own resolution: no cost at all. */
    assert_true(second->link.cost.latency_s == 0 && second->link.cost.s_per_task == 0);
    release(&samples, &setting);
}

/* Of tasks that need no package, or read it by themselves: a few nanoseconds, whatever they say. */
static void test_envelope_may_be_nothing(void **state)
{
    (void)state;
    for (int k = 0; k < 2; k++) {
        struct samples samples = cluster(3e-3);
        struct profile_setting setting;
        struct failure failure = FAILURE_INIT;
        for (int64_t i = 0; i < samples.count; i++)
            if (samples.items[i].operation == OPERATION_ENVELOPE)
                samples.items[i].seconds = k == 0 ? 3e-8 : 3e-7 - 1e-9 * (double)i;
        assert_true(assemble_setting(&samples, 7, 64, WORKERS, names, &setting, &failure));
        const struct cost envelope = setting.windows[0].envelope.cost;
        assert_true(envelope.s_per_task == 0);
        assert_true(k == 0 ? envelope.latency_s == 0 : fabs(envelope.latency_s - 3e-7) < 1e-8);
        release(&samples, &setting);
    }
}

static void test_compute_must_grow(void **state)
{
    (void)state;
    struct samples samples = cluster(-1e-8);
    struct profile_setting setting;
    struct failure failure = FAILURE_INIT;
    assert_false(assemble_setting(&samples, 7, 64, WORKERS, names, &setting, &failure));
    assert_int_equal(failure.code, FAILURE_FAILED);
    assert_string_equal(failure.text,
                        "the cost of compute (rank 2, setting 7) does not grow with the package: "
                        "calibrate again on a quieter machine, without --quick");
    samples_release(&samples);
}

static void test_missing_probes(void **state)
{
    (void)state;
    struct samples samples = {0};
    struct profile_setting setting;
    struct failure failure = FAILURE_INIT;
    assert_false(assemble_setting(&samples, 7, 64, WORKERS, names, &setting, &failure));
    assert_non_null(strstr(failure.text, "envelope (rank 0, setting 7) was not measured"));
    samples_release(&samples);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_cost),
        cmocka_unit_test(test_envelope_may_be_nothing),
        cmocka_unit_test(test_compute_must_grow),
        cmocka_unit_test(test_missing_probes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Package sizes that there was no time to measure: what is said about them holds. */
#include <math.h>

#include "calibrate/fit/assemble.h"
#include "planner/model/extrapolation.h"
#include "planner/model/plan.h"
#include "planner/schedulers/scheduler.h"
#include "tests/calibrate/synthetic.h"
#include "tests/checks.h"

enum { WORKERS = 2, SHARE = 500, MACHINES = 60 };
static char *const names[WORKERS] = {(char[]){"a:1"}, (char[]){"a:2"}};

/* A program that loads for a long time, timed in packages of these sizes, one of each on every
 * worker, twice. To be released. */
static struct profile_setting measured(const struct machine *compute, const int64_t *sizes,
                                       size_t count, uint64_t seed)
{
    struct generator generator = {seed * 0x9e3779b97f4a7c15u + 1};
    struct samples samples = {0};
    struct profile_setting setting;
    struct failure failure = FAILURE_INIT;
    for (int i = 0; i < 10; i++)
        generator_uniform(&generator);
    for (size_t k = 0; k < count * WORKERS * 2; k++) {
        const int64_t tasks = sizes[k % count];
        const double exact = compute->latency_s + compute->s_per_task * (double)tasks;
        const struct sample sample = {
            .rank = 1 + (int)(k / count % WORKERS),
            .operation = OPERATION_COMPUTE,
            .pass = (int)(k / count / WORKERS),
            .first = (int64_t)(k / count % WORKERS) * SHARE,
            .tasks = tasks,
            .seconds = exact * (1 + compute->noise * generator_normal(&generator))};
        assert_true(samples_add(&samples, &sample));
    }
    assert_true(
        assemble_setting(&samples, 0, sizes[count - 1], WORKERS, names, &setting, &failure));
    assert_true(extrapolation_add(&setting, SHARE, 60, &failure));
    samples_release(&samples);
    return setting;
}

static const struct profile_window *last_window(const struct profile_setting *setting)
{
    return &setting->windows[setting->window_count - 1];
}

static double error_at(const struct measured_cost *cost, double tasks)
{
    const double a = cost->fit.stderr_latency_s, b = cost->fit.stderr_s_per_task * tasks;
    return sqrt(fmax(0, a * a + b * b + 2 * cost->fit.correlation * a * b));
}

/* The time of a worker's share lies within 1.645 standard errors of the extrapolated one in at
 * least 80 % of the cases, because there are few timings; and within 4 in nearly all. */
static void test_errors_are_honest(void **state)
{
    (void)state;
    static const int64_t sizes[] = {1, 2, 8, 32};
    int inside = 0, far = 0;
    for (uint64_t seed = 1; seed <= MACHINES; seed++) {
        const struct machine machine = {
            .latency_s = 4, .s_per_task = 0.002 * (double)(seed % 10 + 1), .noise = 0.005};
        struct profile_setting setting = measured(&machine, sizes, COUNT_OF(sizes), seed);
        const struct profile_window *window = last_window(&setting);
        assert_true(window->least == 33 && window->greatest == SHARE);
        const struct measured_cost *compute = &window->workers[0].compute;
        const double off = fabs(cost_of(compute->cost, SHARE) - 4 - machine.s_per_task * SHARE) /
                           error_at(compute, SHARE);
        inside += off <= 1.645;
        far += off > 4;
        profile_setting_release(&setting);
    }
    print_message("%d of %d within 90 %%, %d far off\n", inside, MACHINES, far);
    assert_true(inside >= 0.8 * MACHINES && far <= 0.05 * MACHINES);
}

/* Any part of a single core task's time may be latency. */
static void test_single_tasks(void **state)
{
    (void)state;
    static const int64_t sizes[] = {1};
    const struct machine machine = {.latency_s = 4, .s_per_task = 0.005, .noise = 0.005};
    struct profile_setting setting = measured(&machine, sizes, 1, 3);
    const struct measured_cost *compute = &last_window(&setting)->workers[0].compute;
    assert_true(last_window(&setting)->least == 2);
    assert_true(fabs(compute->cost.latency_s - compute->cost.s_per_task) < 1e-9);
    const double seconds = cost_of(compute->cost, SHARE), error_s = error_at(compute, SHARE);
    assert_true(seconds - 2 * error_s < 6.5 && seconds + 2 * error_s > 2000);
    profile_setting_release(&setting);
}

/* Two packages, not a thousand. */
static void test_plans_have_them(void **state)
{
    (void)state;
    static const int64_t few[] = {1}, some[] = {1, 2, 8};
    static const struct {
        const int64_t *sizes;
        size_t count;
    } cases[] = {{few, COUNT_OF(few)}, {some, COUNT_OF(some)}};
    const struct machine machine = {.latency_s = 4, .s_per_task = 0.005, .noise = 0.002};
    for (size_t k = 0; k < COUNT_OF(cases); k++) {
        struct profile_setting setting = measured(&machine, cases[k].sizes, cases[k].count, 5);
        struct platform platform;
        struct plan plan = {0};
        struct failure failure = FAILURE_INIT;
        assert_true(platform_init(&platform, &setting, 0, &failure));
        const struct schedule_request request = {.platform = &platform, .tasks = 1000};
        assert_true(schedule_auto(&request, &plan, NULL, &failure));
        assert_int_equal(plan_packages(&plan), 2);
        plan_release(&plan);
        platform_release(&platform);
        profile_setting_release(&setting);
    }
}

/* A rate that noise hides is not less than nothing, and a latency is not taken for a rate. */
static void test_a_hidden_rate(void **state)
{
    (void)state;
    static const int64_t sizes[] = {1, 2, 4};
    for (uint64_t seed = 1; seed <= MACHINES; seed++) {
        const struct machine machine = {.latency_s = 4, .s_per_task = 1e-4, .noise = 0.01};
        struct profile_setting setting = measured(&machine, sizes, COUNT_OF(sizes), seed);
        const struct cost *cost = &setting.windows[0].workers[0].compute.cost;
        assert_true(cost->s_per_task > 0 && cost->s_per_task < 0.2);
        assert_true(fabs(cost_of(*cost, 1) - 4) < 0.3);
        profile_setting_release(&setting);
    }
}

static void test_the_sentence(void **state)
{
    (void)state;
    const struct extrapolation extrapolation = {228, 41.3};
    struct text text = TEXT_INIT;
    extrapolation_describe(&(struct extrapolation){0, 0}, &text);
    assert_null(text.bytes);
    extrapolation_describe(&extrapolation, &text);
    assert_string_equal(text.bytes,
                        "not timed   packages of more than 228 core tasks: what they cost is "
                        "extrapolated; scow calibrate --budget 45s times them\n");
    text_release(&text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_errors_are_honest), cmocka_unit_test(test_single_tasks),
        cmocka_unit_test(test_plans_have_them),   cmocka_unit_test(test_a_hidden_rate),
        cmocka_unit_test(test_the_sentence),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

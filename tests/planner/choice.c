/* Which constraint suits a job (figure 5-1), and where one worker is enough (Theorem 15). */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "planner/schedulers/scheduler.h"
#include "planner/studies/choice.h"
#include "tests/planner/platforms.h"

static const struct cost none = {0, 0};

/* Table 6-7 with its window. */
static struct platform table_6_7(int64_t workers)
{
    struct platform platform = platform_of_equals(workers, 25, 450, (struct cost){2.2e-5, 4.6e-7},
                                                  none, (struct cost){2.0e-5, 1.1e-5});
    platform.windows[0].send = (struct cost){2.2e-5, 3.2e-7};
    platform.windows[0].classes[0].receive = (struct cost){2.3e-5, 3.9e-7};
    return platform;
}

static struct plan plan_of(const struct platform *platform, double tasks)
{
    const struct schedule_request request = {.platform = platform, .tasks = tasks};
    struct plan plan = {.kernel = NULL};
    struct failure failure = FAILURE_INIT;
    if (!schedule_auto(&request, &plan, NULL, &failure) ||
        !choice_find(platform, 0, &plan, &failure))
        fail_msg("%s", failure.text);
    return plan;
}

static void more_workers_than_one_master_uses(void **state)
{
    struct platform platform = table_6_7(64);
    struct plan plan = plan_of(&platform, 2985984);
    (void)state;
    assert_int_equal(plan.choice.workers, 64);
    assert_int_equal(plan.choice.mp_workers, 16);
    assert_true(fabs(plan.choice.mp_makespan_s - 2.623) < 0.001);
    assert_int_equal(plan.choice.pwu_workers, 13);
    assert_true(fabs(plan.choice.pwu_makespan_s - 2.642) < 0.001);
    assert_true(plan.choice.pwu_worker_utilization > 0.999 &&
                plan.choice.mp_worker_utilization < 0.83);
    assert_true(plan.choice.send_s_per_task == 0);
    assert_int_equal(platform.worker_count, 64);
    plan_release(&plan);
    platform_release(&platform);
}

/* The answer for more workers is that of a cluster that has them. Of 15 workers, 14 do as well as
 * all of them, and 16 would be 0.01 % faster. */
static void fewer_workers_than_one_master_could_use(void **state)
{
    static const int64_t few[] = {1, 8, 15}, used[] = {16, 16, 14};
    (void)state;
    for (size_t k = 0; k < sizeof few / sizeof *few; k++) {
        struct platform platform = table_6_7(few[k]);
        struct plan plan = plan_of(&platform, 2985984);
        assert_int_equal(plan.choice.workers, few[k]);
        assert_int_equal(plan.choice.mp_workers, used[k]);
        assert_true(plan.choice.pwu_workers <= few[k]);
        assert_int_equal(platform.worker_count, few[k]);
        assert_int_equal(platform.windows[0].classes[0].count, few[k]);
        plan_release(&plan);
        platform_release(&platform);
    }
}

static void little_effort_leaves_it_open(void **state)
{
    struct platform platform = table_6_7(8);
    struct plan plan = {.tasks = 2985984};
    struct failure failure = FAILURE_INIT;
    (void)state;
    assert_true(choice_find(&platform, 1e-6, &plan, &failure));
    assert_int_equal(plan.choice.mp_workers, 0);
    assert_int_equal(plan.choice.workers, 0);
    platform_release(&platform);
}

/* h = 2x, r + w = x: whatever the number of workers, single core tasks take 21 s, and all in one
 * package 30. */
static void one_worker_is_enough(void **state)
{
    static const int64_t counts[] = {1, 2, 4};
    (void)state;
    for (size_t k = 0; k < sizeof counts / sizeof *counts; k++) {
        struct platform platform =
            platform_of_equals(counts[k], 1, 100, (struct cost){0, 2}, none, (struct cost){0, 1});
        struct plan plan = plan_of(&platform, 10);
        assert_true(choice_serial(&platform));
        assert_true(fabs(plan.predicted.makespan_s - 21) < 1e-9);
        assert_int_equal(plan_workers_used(&plan), 1);
        assert_true(plan.choice.send_s_per_task == 2 && plan.choice.compute_s_per_task == 1);
        assert_int_equal(plan.choice.mp_workers, 0);
        plan_release(&plan);
        platform_release(&platform);
    }
    struct platform once =
        platform_of_equals(1, 10, 10, (struct cost){0, 2}, none, (struct cost){0, 1});
    struct plan plan = plan_of(&once, 10);
    assert_true(fabs(plan.predicted.makespan_s - 30) < 1e-9);
    plan_release(&plan);
    platform_release(&once);
}

/* Both ends of a window count, and every worker. */
static void work_that_takes_longer_is_parallel(void **state)
{
    (void)state;
    struct platform latency =
        platform_of_equals(2, 1, 100, (struct cost){0, 2}, none, (struct cost){3, 1});
    assert_false(choice_serial(&latency));
    platform_release(&latency);
    struct platform rate =
        platform_of_equals(2, 1, 100, (struct cost){5, 1}, none, (struct cost){0, 2});
    assert_false(choice_serial(&rate));
    platform_release(&rate);
    struct platform split = platform_split(2, 3, 2.5);
    assert_false(choice_serial(&split));
    platform_release(&split);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(more_workers_than_one_master_uses),
        cmocka_unit_test(fewer_workers_than_one_master_could_use),
        cmocka_unit_test(little_effort_leaves_it_open),
        cmocka_unit_test(one_worker_is_enough),
        cmocka_unit_test(work_that_takes_longer_is_parallel),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Affine windows: no package lies outside them, and the better window is chosen. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "planner/schedulers/scheduler.h"
#include "tests/planner/platforms.h"

static struct platform platform_plain(int64_t workers, int64_t least, int64_t greatest)
{
    return platform_of_equals(workers, least, greatest, (struct cost){1e-4, 1e-5},
                              (struct cost){1e-4, 1e-5}, (struct cost){1e-3, 1e-3});
}

static struct plan plan_made(const struct platform *platform, double tasks)
{
    const struct schedule_request request = {
        .platform = platform, .tasks = tasks, .real_valued = false};
    struct plan plan = {.kernel = NULL};
    struct failure failure = FAILURE_INIT;
    if (!scheduler_make(scheduler_find("scow-mp"), &request, &plan, &failure))
        fail_msg("%s", failure.text);
    return plan;
}

static double load_least(const struct plan *plan)
{
    double least = HUGE_VAL;
    for (size_t r = 0; r < plan->round_count; r++)
        for (int64_t k = 0; k < plan->worker_count; k++)
            if (plan->rounds[r].loads[k] > 0)
                least = fmin(least, plan->rounds[r].loads[k]);
    return least;
}

static void no_window_fits_says_so(void **state)
{
    (void)state;
    struct platform platform = platform_plain(3, 10, 10);
    const struct schedule_request request = {
        .platform = &platform, .tasks = 25, .real_valued = false};
    size_t count;
    const struct scheduler *list = scheduler_list(&count);
    for (size_t i = 0; i < count; i++) {
        struct plan plan = {.kernel = NULL};
        struct failure failure = FAILURE_INIT;
        assert_false(scheduler_make(&list[i], &request, &plan, &failure));
        assert_int_equal(failure.code, FAILURE_INFEASIBLE);
        assert_non_null(strstr(failure.text, list[i].name));
        assert_null(plan.rounds);
    }
    struct plan plan = {.kernel = NULL};
    struct failure failure = FAILURE_INIT;
    assert_false(schedule_auto(&request, &plan, NULL, &failure));
    assert_int_equal(failure.code, FAILURE_INFEASIBLE);
    assert_true(strlen(failure.text) > 0);
    platform_release(&platform);
}

static void packages_of_one_size_add_up(void **state)
{
    (void)state;
    struct platform platform = platform_plain(3, 10, 10);
    struct plan plan = plan_made(&platform, 250);
    assert_true(load_least(&plan) == 10 && plan_largest_load(&plan) == 10);
    assert_int_equal(plan_packages(&plan), 25);
    plan_release(&plan);
    platform_release(&platform);
}

/* The second window costs a tenth per task: everything should move there, although its packages
 * are larger than the first window's optimum. */
static void the_cheaper_window_wins(void **state)
{
    (void)state;
    struct platform platform = platform_plain(8, 1, 100);
    platform_add_window(&platform, 2000, 20000, 0.1);
    struct plan plan = plan_made(&platform, 1e6);
    assert_true(load_least(&plan) >= 2000);
    plan_release(&plan);
    platform_release(&platform);
}

/* And the other way round. */
static void the_dearer_window_is_left(void **state)
{
    (void)state;
    struct platform platform = platform_plain(8, 1, 100);
    platform_add_window(&platform, 2000, 20000, 10);
    struct plan plan = plan_made(&platform, 1e6);
    assert_true(plan_largest_load(&plan) <= 100);
    plan_release(&plan);
    platform_release(&platform);
}

/* The optimum lies above the window: its upper end is the best there is. */
static void the_windows_end_is_used(void **state)
{
    (void)state;
    struct platform wide = platform_plain(64, 1, 1000000), narrow = platform_plain(64, 1, 40);
    struct plan free_plan = plan_made(&wide, 1e6), held = plan_made(&narrow, 1e6);
    assert_true(plan_largest_load(&free_plan) > 40);
    assert_true(plan_largest_load(&held) == 40);
    assert_true(held.predicted.makespan_s >= free_plan.predicted.makespan_s);
    plan_release(&free_plan);
    plan_release(&held);
    platform_release(&wide);
    platform_release(&narrow);
}

/* Windows that cap every package make latency a price per task: the master, the port or the
 * workers, whoever pays it, then decides the makespan, and the bound knows. */
static void bound_knows_the_greatest_package(void **state)
{
    (void)state;
    const struct cost latency = {1e-2, 1e-4}, none = {0, 0};
    const struct cost work = {1e-2, 1e-2};
    struct platform busy[] = {platform_of_equals(64, 1, 8, latency, none, work),
                              platform_of_equals(64, 1, 8, none, latency, work),
                              platform_of_equals(4, 1, 8, none, none, (struct cost){0.1, 1e-2}),
                              platform_of_equals(64, 1, 8, none, latency, work)};
    platform_add_window(&busy[3], 16, 24, 3); /* as dear per task as the first */
    for (size_t k = 0; k < sizeof busy / sizeof busy[0]; k++) {
        struct plan plan = plan_made(&busy[k], 1e4);
        print_message("case %d: gap %.2f %%\n", (int)k, 100 * plan.predicted.gap);
        assert_true(plan.predicted.gap < 0.02);
        plan_release(&plan);
        platform_release(&busy[k]);
    }
}

/* Neither 23 tens nor 23 threes: only both windows together hold the job. */
static void windows_can_share_a_job(void **state)
{
    (void)state;
    struct platform platform = platform_plain(3, 3, 3);
    platform_add_window(&platform, 10, 10, 1);
    struct plan plan = plan_made(&platform, 23);
    assert_true(load_least(&plan) == 3 && plan_largest_load(&plan) == 10);
    assert_int_equal(plan_packages(&plan), 3); /* 10 + 10 + 3 */
    plan_release(&plan);
    platform_release(&platform);
}

/* Table 6-7 of de la Torre: the fits of the second window have negative latencies, for it begins at
 * 500 tasks. */
static struct platform platform_published(int64_t workers, int64_t first, int64_t second)
{
    struct platform platform = platform_of_equals(workers, 25, first, (struct cost){2.2e-5, 4.6e-7},
                                                  (struct cost){0, 0}, (struct cost){2e-5, 1.1e-5});
    if (second > 0)
        platform_add_window(&platform, 500, second, 1);
    for (int64_t w = 0; w < platform.window_count; w++) {
        struct platform_window *window = &platform.windows[w];
        struct platform_class *class = &window->classes[0];
        if (w > 0)
            window->envelope = (struct cost){5.7e-6, 4.5e-7};
        if (w > 0)
            class->compute = (struct cost){-1.0e-4, 1.1e-5};
        window->send = w > 0 ? (struct cost){-1.1e-3, 4.0e-6} : (struct cost){2.2e-5, 3.2e-7};
        class->receive = w > 0 ? (struct cost){-2.3e-4, 4.1e-6} : (struct cost){2.3e-5, 3.9e-7};
    }
    return platform;
}

/* One worker and 526 tasks: a package of 26 and one of 500, each by the costs of its own window.
 * The smaller first: 64.28 us to send it, 1130.7 us to send the other, 7220 us of work; the other
 * way round 1130.7 us, 7220 us and 339.14 us of work. */
static void negative_latencies_count_in_their_window(void **state)
{
    (void)state;
    struct platform platform = platform_published(1, 26, 500);
    size_t count, applied = 0;
    platform.windows[0].least = 26;
    const struct scheduler *list = scheduler_list(&count);
    for (size_t i = 0; i < count; i++) {
        const struct schedule_request request = {.platform = &platform, .tasks = 526};
        struct plan plan = {.kernel = NULL};
        struct failure failure = FAILURE_INIT;
        if (!scheduler_make(&list[i], &request, &plan, &failure)) {
            assert_int_equal(failure.code, FAILURE_INFEASIBLE);
            continue;
        }
        applied++;
        assert_true(load_least(&plan) == 26 && plan_largest_load(&plan) == 500);
        assert_int_equal(plan_packages(&plan), 2);
        if (fabs(plan.predicted.makespan_s - 8414.98e-6) > 1e-9 &&
            fabs(plan.predicted.makespan_s - 8689.84e-6) > 1e-9)
            fail_msg("%s: %.10g s", list[i].name, plan.predicted.makespan_s);
        assert_true(plan.predicted.lower_bound_s <= plan.predicted.makespan_s * (1 + 1e-9));
        plan_release(&plan);
    }
    assert_true(applied > 0);
    platform_release(&platform);
}

/* Both windows give what the first alone does, and less where the second is the cheaper one: as
 * when its packages need no longer to be sent than by the first one's rate. */
static void published_windows_are_planned_across(void **state)
{
    (void)state;
    const double jobs[] = {15625, 2985984, 34012224};
    for (size_t k = 0; k < sizeof jobs / sizeof jobs[0]; k++) {
        struct platform first = platform_published(64, 450, 0);
        struct platform both = platform_published(64, 450, 2500);
        struct plan alone = plan_made(&first, jobs[k]), across = plan_made(&both, jobs[k]);
        print_message("%.0f tasks: %.6g s, alone %.6g s\n", jobs[k], across.predicted.makespan_s,
                      alone.predicted.makespan_s);
        assert_true(across.predicted.makespan_s <= alone.predicted.makespan_s * (1 + 1e-9));
        assert_true(across.predicted.lower_bound_s <= across.predicted.makespan_s);
        plan_release(&across);
        both.windows[1].send = (struct cost){-1.4e-4, 3.2e-7};
        across = plan_made(&both, jobs[k]);
        if (jobs[k] > 1e6) {
            assert_true(plan_largest_load(&across) >= 500);
            assert_true(across.predicted.makespan_s < 0.9 * alone.predicted.makespan_s);
        }
        plan_release(&across);
        plan_release(&alone);
        platform_release(&first);
        platform_release(&both);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_window_fits_says_so),
        cmocka_unit_test(packages_of_one_size_add_up),
        cmocka_unit_test(the_cheaper_window_wins),
        cmocka_unit_test(the_dearer_window_is_left),
        cmocka_unit_test(the_windows_end_is_used),
        cmocka_unit_test(windows_can_share_a_job),
        cmocka_unit_test(negative_latencies_count_in_their_window),
        cmocka_unit_test(published_windows_are_planned_across),
        cmocka_unit_test(bound_knows_the_greatest_package),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

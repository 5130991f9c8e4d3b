/* Workers some of which are limited by the master and some by their link, and package sizes at
 * which one takes over from the other: no plan is far from the best known one. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "planner/schedulers/optimal/optimal_lp.h"
#include "planner/schedulers/scheduler.h"
#include "tests/cases.h"
#include "tests/planner/platforms.h"

static double makespan_of(const char *scheduler, const struct platform *platform, double tasks)
{
    const struct schedule_request request = {.platform = platform, .tasks = tasks};
    struct plan plan = {.kernel = NULL};
    struct failure failure = FAILURE_INIT;
    if (!scheduler_make(scheduler_find(scheduler), &request, &plan, &failure))
        return HUGE_VAL;
    const double makespan_s = plan.predicted.makespan_s;
    plan_release(&plan);
    return makespan_s;
}

/* `optimal` is not above any other, and near the lower bound. */
static void optimum_is_near_its_bound(const char *what, const struct platform *platform,
                                      double tasks, double gap_most)
{
    const struct schedule_request request = {.platform = platform, .tasks = tasks};
    struct plan plan = {.kernel = NULL};
    struct failure failure = FAILURE_INIT;
    size_t count;
    const struct scheduler *list = scheduler_list(&count);
    if (!scheduler_make(scheduler_find("optimal"), &request, &plan, &failure))
        fail_msg("%s", failure.text);
    print_message("%s: optimal %.2f %% above the bound\n", what, 100 * plan.predicted.gap);
    assert_true(plan.predicted.gap <= gap_most);
    for (size_t i = 0; i < count; i++)
        if (strcmp(list[i].name, "optimal") != 0)
            assert_true(plan.predicted.makespan_s <= makespan_of(list[i].name, platform, tasks));
    plan_release(&plan);
}

/* The least makespan of all but `optimal`, which comes first where it is wanted. */
static double best_of(const struct platform *platform, double tasks, bool with_optimal)
{
    double best_s = HUGE_VAL;
    size_t count;
    const struct scheduler *list = scheduler_list(&count);
    for (size_t i = 0; i < count; i++)
        if (strcmp(list[i].name, "optimal") != 0 || (with_optimal && optimal_lp_available()))
            best_s = fmin(best_s, makespan_of(list[i].name, platform, tasks));
    return best_s;
}

static void three_are_near(const char *what, const struct platform *platform, double tasks,
                           bool with_optimal)
{
    static const char *const near[] = {"scow-mp", "umr-scow", "periodic"};
    const double best_s = best_of(platform, tasks, with_optimal);
    for (size_t k = 0; k < sizeof near / sizeof near[0]; k++) {
        const double ratio = makespan_of(near[k], platform, tasks) / best_s;
        print_message("%s: %s %.4f of the best\n", what, near[k], ratio);
        assert_true(ratio <= 1.05);
    }
}

static void two_and_eight_workers(void **state)
{
    (void)state;
    struct platform two = platform_split(1, 2, 2), eight = platform_split(4, 1.8, 8);
    three_are_near("two workers", &two, 1000, true);
    three_are_near("eight workers", &eight, 1000, true);
    platform_release(&two);
    platform_release(&eight);
}

static void random_workers(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= cases_of(6); seed++) {
        struct dice dice = dice_of(600 + seed);
        struct platform platform = platform_mixed(&dice, dice_between(&dice, 2, 16));
        char what[32];
        snprintf(what, sizeof what, "seed %d", (int)seed);
        three_are_near(what, &platform, floor(dice_scale(&dice, 1000, 1e5)), false);
        platform_release(&platform);
    }
}

/* Short jobs, in which latencies and the start weigh most; the bound was up to half below them. */
static void short_jobs(void **state)
{
    (void)state;
    if (!optimal_lp_available())
        skip();
    struct platform two = platform_split(1, 2, 2), eight = platform_split(4, 1.8, 8);
    optimum_is_near_its_bound("two workers", &two, 1000, 0.03);
    optimum_is_near_its_bound("eight workers", &eight, 1000, 0.03);
    platform_release(&two);
    platform_release(&eight);
    if (!cases_are_many())
        return;
    struct dice dice = dice_of(508); /* of the benchmark's platforms, the one that was furthest */
    struct platform platform = platform_cluster(&dice, dice_between(&dice, 4, 48));
    optimum_is_near_its_bound("cluster", &platform, floor(dice_scale(&dice, 1e3, 1e6)), 0.06);
    platform_release(&platform);
}

/* The master dominates packages of up to 99 tasks, the links larger ones: what is planned does not
 * depend on how far beyond that the window goes. */
static void dominance_is_judged_at_the_package(void **state)
{
    (void)state;
    static const int64_t greatest[] = {60, 100000};
    for (size_t k = 0; k < sizeof greatest / sizeof greatest[0]; k++) {
        struct platform platform =
            platform_of_equals(16, 1, greatest[k], (struct cost){0.5, 0.005},
                               (struct cost){0, 0.02}, (struct cost){0.1, 1});
        platform.windows[0].send = platform.windows[0].envelope;
        platform.windows[0].classes[0].receive = (struct cost){0.1, 0};
        assert_true(makespan_of("scow-mp", &platform, 1000) <= 74.3);
        assert_true(makespan_of("umr-scow", &platform, 1000) <= 74.3);
        platform_release(&platform);
    }
}

/* Links and work of all workers: latencies times that factor. */
static void latencies_scale(struct platform *platform, double factor)
{
    struct platform_window *window = &platform->windows[0];
    for (int64_t k = 0; k < window->class_count; k++) {
        window->classes[k].link.latency_s *= factor;
        window->classes[k].compute.latency_s *= factor;
    }
}

/* A fit may put a latency a little below 0. UMR's closed forms, which are for such that take time,
 * then make no plan, or one half as long again: it does as well as where they are 0. */
static void latencies_below_zero_do_no_harm(void **state)
{
    int applied = 0;
    (void)state;
    for (uint64_t seed = 1; seed <= cases_of(20); seed++) {
        struct dice first = dice_of(seed), again = dice_of(seed);
        struct platform none = platform_cluster(&first, 2 + (int64_t)seed % 7);
        struct platform below = platform_cluster(&again, 2 + (int64_t)seed % 7);
        latencies_scale(&none, 0);
        latencies_scale(&below, -0.01);
        const double none_s = makespan_of("umr", &none, 20000);
        const double below_s = makespan_of("umr", &below, 20000);
        if (below_s > none_s * (1 + 1e-9) && isfinite(none_s))
            fail_msg("seed %d: %.6g s, and %.6g s where latencies are 0", (int)seed, below_s,
                     none_s);
        applied += isfinite(none_s);
        platform_release(&none);
        platform_release(&below);
    }
    assert_true(applied > (int)(cases_of(20) / 2));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(two_and_eight_workers),
        cmocka_unit_test(random_workers),
        cmocka_unit_test(short_jobs),
        cmocka_unit_test(dominance_is_judged_at_the_package),
        cmocka_unit_test(latencies_below_zero_do_no_harm),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Numbers of workers and of rounds: allowing more of either never makes a plan worse. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "planner/schedulers/optimal/optimal_lp.h"
#include "planner/schedulers/scheduler.h"
#include "planner/schedulers/search/fewer.h"
#include "tests/cases.h"
#include "tests/checks.h"
#include "tests/planner/platforms.h"

enum { WORKERS = 12 };

/* HUGE_VAL where the scheduler does not apply. */
static double makespan_of(const struct scheduler *scheduler, const struct platform *platform,
                          double tasks, bool real_valued)
{
    const struct schedule_request request = {
        .platform = platform, .tasks = tasks, .real_valued = real_valued};
    struct plan plan = {.kernel = NULL};
    struct failure failure = FAILURE_INIT;
    if (!scheduler_make(scheduler, &request, &plan, &failure))
        return HUGE_VAL;
    const double makespan_s = plan.predicted.makespan_s;
    plan_release(&plan);
    return makespan_s;
}

/* The platform's first workers. */
static void platform_cut(struct platform *platform, int64_t workers)
{
    platform->worker_count = workers;
    for (int64_t w = 0; w < platform->window_count; w++) {
        struct platform_window *window = &platform->windows[w];
        while (window->classes[window->class_count - 1].first >= workers)
            window->class_count--;
        struct platform_class *last = &window->classes[window->class_count - 1];
        if (last->count > workers - last->first)
            last->count = workers - last->first;
    }
}

static struct platform platform_of_seed(uint64_t seed, int64_t workers, double *tasks)
{
    struct dice dice = dice_of(4000 + seed);
    struct platform platform = seed % 3 == 0   ? platform_cluster(&dice, workers)
                               : seed % 3 == 1 ? platform_mixed(&dice, workers)
                                               : platform_random(&dice, workers);
    *tasks = floor(dice_scale(&dice, 20, 1e5));
    return platform;
}

/* The first `workers` of `all`. */
static void never_worse_on(uint64_t seed, int64_t all, int64_t workers, double *best_s)
{
    double tasks;
    size_t count;
    const struct scheduler *list = scheduler_list(&count);
    struct platform platform = platform_of_seed(seed, all, &tasks);
    if (workers <= platform.worker_count) {
        platform_cut(&platform, workers);
        for (size_t i = 0; i < count; i++) {
            if (strcmp(list[i].name, "optimal") == 0) /* it takes what the others offer */
                continue;
            const double made_s = makespan_of(&list[i], &platform, tasks, seed % 4 == 0);
            if (made_s > best_s[i] * (1 + 1e-12))
                fail_msg("seed %d: %s takes %.9g s with %d workers, %.9g s with fewer", (int)seed,
                         list[i].name, made_s, (int)workers, best_s[i]);
            best_s[i] = fmin(best_s[i], made_s);
        }
    }
    platform_release(&platform);
}

static void more_workers_are_never_worse(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= cases_of(4); seed++) {
        double best_s[SCHEDULERS_MOST];
        for (int i = 0; i < SCHEDULERS_MOST; i++)
            best_s[i] = HUGE_VAL;
        for (int64_t workers = 1; workers <= WORKERS; workers++)
            never_worse_on(seed, WORKERS, workers, best_s);
    }
}

/* Of as many distinct workers as it holds for, not each of the numbers here. */
static void many_distinct_workers_are_never_worse(void **state)
{
    static const int64_t counts[] = {31, 40, 41, 64, 65, FEWER_SURE - 1, FEWER_SURE};
    enum { SEED = 30 }; /* a cluster */
    double best_s[SCHEDULERS_MOST];
    (void)state;
    for (int i = 0; i < SCHEDULERS_MOST; i++)
        best_s[i] = HUGE_VAL;
    if (!cases_are_many())
        skip();
    for (size_t k = cases_percent() > 100 ? 0 : 4; k < COUNT_OF(counts); k++)
        never_worse_on(SEED, FEWER_SURE, counts[k], best_s);
}

/* Which numbers of first workers are asked for must not depend on the workers behind them, and the
 * second of two workers that one port keeps busy is of use, the fourth is not. */
static void workers_beyond_the_port_are_of_no_use(void **state)
{
    struct estimate before = {HUGE_VAL, HUGE_VAL, HUGE_VAL};
    (void)state;
    for (int64_t workers = 1; workers <= 8; workers++) {
        struct platform platform = platform_of_equals(workers, 1, 1000000, (struct cost){0, 0},
                                                      (struct cost){0, 1}, (struct cost){0, 3});
        const struct schedule_request request = {.platform = &platform, .tasks = 1e6};
        struct failure failure = FAILURE_INIT;
        struct estimate estimate;
        assert_true(estimate_make(&request, &estimate, &failure));
        assert_true(estimate_better(&estimate, &before) == (workers <= 3));
        before = estimate;
        platform_release(&platform);
    }
}

/* `optimal` starts from all other plans, whatever number of workers they are for. */
static void optimal_is_above_none(const struct platform *platform, double tasks)
{
    const struct schedule_request request = {.platform = platform, .tasks = tasks};
    struct schedule_set set;
    struct failure failure = FAILURE_INIT;
    double optimal_s = 0;
    assert_true(schedule_set_make(&request, &set, &failure));
    for (size_t i = 0; i < set.count; i++)
        if (strcmp(set.entries[i].scheduler->name, "optimal") == 0) {
            assert_true(set.entries[i].made);
            optimal_s = set.entries[i].plan.predicted.makespan_s;
            assert_true(set.entries[i].plan.predicted.lower_bound_s <= optimal_s);
        }
    for (size_t i = 0; i < set.count; i++)
        if (set.entries[i].made && set.entries[i].plan.predicted.makespan_s < optimal_s)
            fail_msg("%s takes %.9g s, optimal %.9g s", set.entries[i].scheduler->name,
                     set.entries[i].plan.predicted.makespan_s, optimal_s);
    schedule_set_release(&set);
}

/* Distinct workers, and 1,200 in three kinds: more than programs of single workers have room for.
 */
static void optimal_is_never_above(void **state)
{
    (void)state;
    if (!optimal_lp_available())
        skip();
    struct dice dice = dice_of(4100);
    struct platform cluster = platform_cluster(&dice, cases_are_many() ? 24 : 8),
                    mixed = platform_mixed(&dice, cases_are_many() ? 12 : 4);
    struct platform many = platform_cluster(&dice, 3);
    optimal_is_above_none(&cluster, 1e5);
    optimal_is_above_none(&mixed, 2e4);
    if (cases_are_many()) {
        many.worker_count = 1200;
        for (int64_t c = 0; c < 3; c++) {
            many.windows[0].classes[c].first = 400 * c;
            many.windows[0].classes[c].count = 400;
        }
        optimal_is_above_none(&many, 1e6);
    }
    platform_release(&cluster);
    platform_release(&mixed);
    platform_release(&many);
}

/* Tables 6-7 and 6-1, the same workers in growing numbers. */
static void more_equal_workers_are_never_worse(void **state)
{
    (void)state;
    size_t count;
    const struct scheduler *list = scheduler_list(&count);
    for (size_t i = 0; i < count; i++) {
        double best_s = HUGE_VAL;
        if (strcmp(list[i].name, "optimal") == 0)
            continue;
        for (int64_t workers = 1; workers <= 64; workers += 1 + workers / 8) {
            struct platform platform =
                platform_of_equals(workers, 1, 1000000, (struct cost){0, 0},
                                   (struct cost){0.03, 1 / 22.0}, (struct cost){0.03, 1});
            const double made_s = makespan_of(&list[i], &platform, 1000, true);
            if (made_s > best_s * (1 + 1e-12))
                fail_msg("%s takes %.9g s with %d workers, %.9g s with fewer", list[i].name, made_s,
                         (int)workers, best_s);
            best_s = made_s;
            platform_release(&platform);
        }
    }
}

static struct platform table_6_7(int64_t workers)
{
    struct platform platform =
        platform_of_equals(workers, 1, 100000000, (struct cost){2.2e-5, 4.6e-7},
                           (struct cost){0, 0}, (struct cost){2.0e-5, 1.1e-5});
    platform.windows[0].send = (struct cost){2.2e-5, 3.2e-7};
    platform.windows[0].classes[0].receive = (struct cost){2.3e-5, 3.9e-7};
    return platform;
}

/* The recurrence with all 15 workers gives 26.62 and 2.371 s. */
static void every_count_is_climbed_by_itself(void **state)
{
    (void)state;
    struct platform platform = table_6_7(15);
    assert_true(makespan_of(scheduler_find("umr2"), &platform, 34012224, false) <= 26.62);
    assert_true(makespan_of(scheduler_find("umr2"), &platform, 2985984, false) <= 2.371);
    platform_release(&platform);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(more_workers_are_never_worse),
        cmocka_unit_test(many_distinct_workers_are_never_worse),
        cmocka_unit_test(workers_beyond_the_port_are_of_no_use),
        cmocka_unit_test(more_equal_workers_are_never_worse),
        cmocka_unit_test(optimal_is_never_above),
        cmocka_unit_test(every_count_is_climbed_by_itself),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

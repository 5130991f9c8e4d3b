/* Perfect pairs and one period: the values of de la Torre's examples, and every choice against one
 * that tries everything. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "planner/base/limits.h"
#include "planner/schedulers/scow/pairs.h"
#include "planner/schedulers/scow/utilization.h"
#include "planner/schedulers/search/period.h"
#include "planner/studies/one_period.h"
#include "planner/studies/pairs_table.h"
#include "tests/planner/platforms.h"

#define assert_near(value, expected, tolerance)                                                    \
    do {                                                                                           \
        if (!(fabs((value) - (expected)) <= (tolerance)))                                          \
            fail_msg("%s is %.9g, expected %.9g", #value, (double)(value), (double)(expected));    \
    } while (0)

enum { MOST = 8 };
static const struct cost none = {0, 0};

static struct pairs pairs_of(const struct ranking *ranking)
{
    struct pairs pairs = {.items = NULL};
    assert_true(pairs_find(ranking, &pairs));
    return pairs;
}

/* The master's time or the links' is h; the other one is nothing. */
static struct ranking ranking_of(struct ranked_worker *workers, int64_t count, bool equal)
{
    for (int64_t i = 0; i < count; i++) {
        workers[i].id = i;
        workers[i].link = workers[i].feed;
    }
    return (struct ranking){.least = 1,
                            .greatest = 1e6,
                            .real_valued = true,
                            .workers = workers,
                            .count = count,
                            .equal = equal};
}

static const struct pair *pair_find(const struct pairs *pairs, int64_t workers)
{
    for (size_t k = 0; k < pairs->count; k++)
        if (pairs->items[k].workers == workers)
            return &pairs->items[k];
    fail_msg("no pair of %lld workers", (long long)workers);
    return NULL;
}

static void is_pair(const struct pairs *pairs, int64_t workers, double period_s, double load,
                    double tolerance)
{
    const struct pair *pair = pair_find(pairs, workers);
    assert_near(pair->period_s, period_s, tolerance * period_s);
    assert_near(pair->least, load, tolerance * load);
    assert_near(pair->tasks, (double)workers * load, tolerance * pair->tasks);
    assert_near(pair->port_utilization, 1, 1e-9);
    assert_near(pair->worker_utilization, 1, 1e-9);
}

/* Table 6-1, N, B = 10, 11: T_i = 0.3 i / (11 - i), and none at lambda = 11. */
static void pairs_of_table_6_1(void **state)
{
    struct ranked_worker workers[] = {{.feed = {0.03, 1.0 / 11}, .work = {0.03, 1}}};
    const struct ranking ranking = ranking_of(workers, 1, true);
    struct pairs pairs = pairs_of(&ranking);
    (void)state;
    assert_int_equal(pairs.count, 9); /* T_1 = RW leaves no time to compute */
    for (int64_t i = 2; i <= 10; i++)
        is_pair(&pairs, i, 0.3 * (double)i / (11 - (double)i),
                0.3 * (double)i / (11 - (double)i) - 0.03, 1e-9);
    is_pair(&pairs, 5, 0.25, 0.22, 1e-9);
    is_pair(&pairs, 9, 1.35, 1.32, 1e-9);
    is_pair(&pairs, 10, 3, 2.97, 1e-9);
    assert_near(pair_find(&pairs, 9)->tasks / 1.35, 8.8, 1e-9);
    assert_near(pair_find(&pairs, 10)->tasks / 3, 9.9, 1e-9);
    assert_false(pair_find(&pairs, 5)->in_window);
    assert_true(pair_find(&pairs, 9)->in_window);
    assert_int_equal(pairs.gap_count, 2);
    assert_true(pairs.gaps[0].any && pairs.gaps[0].first == 1 && pairs.gaps[0].last == 1);
    assert_true(!pairs.gaps[1].any && pairs.gaps[1].first == 11 &&
                pairs.gaps[1].last == LIMIT_WORKERS);
    pairs_release(&pairs);
}

/* Tables 6-7, as printed and as it was before it was rounded to two digits. */
static void pairs_of_table_6_7(void **state)
{
    struct ranked_worker printed[] = {{.feed = {4.4e-5, 7.8e-7}, .work = {4.3e-5, 1.139e-5}}};
    struct ranked_worker unrounded[] = {{.feed = {4.5e-5, 7.8e-7}, .work = {4.4e-5, 1.18049e-5}}};
    const struct ranking as_printed = ranking_of(printed, 1, true);
    const struct ranking as_computed = ranking_of(unrounded, 1, true);
    struct pairs pairs = pairs_of(&as_printed);
    (void)state;
    is_pair(&pairs, 11, 1.83054e-3, 156.94, 1e-5);
    is_pair(&pairs, 12, 2.76426e-3, 238.92, 2e-5);
    is_pair(&pairs, 13, 4.86325e-3, 423.20, 1e-5);
    is_pair(&pairs, 14, 13.9291e-3, 1219.1, 1e-4);
    assert_near(pair_find(&pairs, 13)->tasks / 4.86325e-3, 1.13126e6, 10);
    assert_near(pair_find(&pairs, 14)->tasks / 13.9291e-3, 1.22535e6, 10);
    assert_int_equal(pairs.items[pairs.count - 1].workers, 14);
    pairs_release(&pairs);
    pairs = pairs_of(&as_computed);
    is_pair(&pairs, 15, 71.05e-3, 6015, 1e-4);
    pairs_release(&pairs);
}

/* Where lambda H <= R + W, up to lambda workers are always fed, and more of them in short periods
 * only. */
static void latencies_of_computing_turn_the_pairs_round(void **state)
{
    struct ranked_worker workers[] = {{.feed = {0.1, 1}, .work = {1, 3}}};
    const struct ranking ranking = ranking_of(workers, 1, true);
    struct pairs pairs = pairs_of(&ranking);
    (void)state;
    is_pair(&pairs, 4, 2.8, 0.6, 1e-9);
    is_pair(&pairs, 5, 1.75, 0.25, 1e-9);
    assert_false(pair_find(&pairs, 4)->from);
    assert_true(pairs.gaps[0].any && pairs.gaps[0].first == 1 && pairs.gaps[0].last == 3);
    assert_int_equal(pairs.items[pairs.count - 1].workers, 9); /* i H < R + W */
    pairs_release(&pairs);
}

static void pairs_of_unequal_workers(void **state)
{
    struct ranked_worker workers[] = {{.feed = {2, 0.25}, .work = {1, 2}},
                                      {.feed = {2, 0.5}, .work = {1, 4}},
                                      {.feed = {2, 40}, .work = {1, 4}}};
    const struct ranking ranking = ranking_of(workers, 3, false);
    struct pairs pairs = pairs_of(&ranking);
    (void)state;
    assert_int_equal(pairs.count, 2);
    assert_near(pairs.items[0].period_s, 2.142857, 1e-6);
    assert_near(pairs.items[1].period_s, 5, 1e-9);
    assert_near(pairs.items[1].greatest, 2, 1e-9);
    assert_near(pairs.items[1].least, 1, 1e-9);
    assert_near(pairs.items[1].tasks, 3, 1e-9);
    assert_true(pairs.gap_count == 1 && !pairs.gaps[0].any && pairs.gaps[0].first == 3 &&
                pairs.gaps[0].last == 3);
    pairs_release(&pairs);
}

static void free_feeding_keeps_everybody_busy(void **state)
{
    struct ranked_worker workers[] = {{.feed = {0, 0}, .work = {1, 2}}};
    const struct ranking ranking = ranking_of(workers, 1, true);
    struct pairs pairs = pairs_of(&ranking);
    (void)state;
    assert_true(pairs.count == 0 && pairs.gap_count == 1 && pairs.gaps[0].any &&
                pairs.gaps[0].last == LIMIT_WORKERS);
    pairs_release(&pairs);
}

/* Seconds of the port in which the first i workers get Y_j(T), of the busier row. */
static double port_needed(const struct ranking *ranking, int64_t count, double period_s)
{
    double master_s = 0, links_s = 0;
    for (int64_t i = 0; i < count; i++) {
        const struct ranked_worker *worker = &ranking->workers[i];
        const double load = (period_s - worker->work.latency_s) / worker->work.s_per_task;
        master_s += cost_of(ranking->master, load);
        links_s += cost_of(worker->link, load);
    }
    return fmax(master_s, links_s);
}

/* At T_i the port has no gap; on one side of it, it has one, on the other it does not suffice. */
static void pairs_part_what_can_be_fed(void **state)
{
    (void)state;
    int pairs_seen = 0, turned = 0;
    for (uint64_t seed = 1; seed <= 500; seed++) {
        struct dice dice = dice_of(seed);
        struct ranked_worker workers[MOST];
        const int64_t count = dice_between(&dice, 1, MOST);
        for (int64_t i = 0; i < count; i++)
            workers[i] = (struct ranked_worker){
                .feed = {dice_scale(&dice, 0.001, 1), dice_scale(&dice, 0.01, 1)},
                .work = {dice_scale(&dice, 0.01, 3), dice_scale(&dice, 0.5, 8)}};
        struct ranking ranking = ranking_of(workers, count, false);
        ranking.master = (struct cost){dice_scale(&dice, 0.001, 1), dice_scale(&dice, 0.01, 1)};
        struct pairs pairs = pairs_of(&ranking);
        for (size_t k = 0; k < pairs.count; k++) {
            const struct pair *pair = &pairs.items[k];
            const double step_s = (pair->from ? 1e-3 : -1e-3) * pair->period_s;
            const double inside_s = pair->period_s + step_s, outside_s = pair->period_s - step_s;
            assert_near(port_needed(&ranking, pair->workers, pair->period_s), pair->period_s,
                        1e-9 * pair->period_s);
            if (pair->least > 0.01 * pair->greatest) /* then cost_of is not cut at 0 */
                assert_true(port_needed(&ranking, pair->workers, inside_s) <= inside_s &&
                            port_needed(&ranking, pair->workers, outside_s) >= outside_s);
            pairs_seen++;
            turned += !pair->from;
        }
        pairs_release(&pairs);
    }
    print_message("%d pairs, %d of them the other way round\n", pairs_seen, turned);
    assert_true(pairs_seen > 500 && turned > 10);
}

/* ---- one period ---------------------------------------------------------------------------- */

static struct platform table_6_1(int64_t workers)
{
    return platform_of_equals(workers, 1, 1000000, none, (struct cost){0.03, 1.0 / 11},
                              (struct cost){0.03, 1.0});
}

static struct one_period one_period_of(const struct platform *platform, double period_s)
{
    struct one_period one;
    struct failure failure = FAILURE_INIT;
    if (!one_period_make(platform, period_s, &one, &failure))
        fail_msg("%s", failure.text);
    return one;
}

static void is_used(const struct period_loads *made, double tasks, int64_t used, double utilization)
{
    assert_near(made->utilization.tasks, tasks, 1e-4);
    assert_int_equal(made->utilization.used, used);
    assert_near(made->utilization.port + made->utilization.workers, utilization, 1e-5);
}

/* Theorem 8: the smaller differential decides whether the partial worker takes part. */
static void equal_workers_are_used_best(void **state)
{
    static const double rows[][4] = {/* T, core tasks, workers, U */
                                     {2, 18.7, 10, 1.95},
                                     {2.5, 24.2, 10, 1.98},
                                     {3, 29.7, 10, 2},
                                     {4, 39.7, 10, 1.97727}};
    struct platform platform = table_6_1(64);
    (void)state;
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
        struct one_period one = one_period_of(&platform, rows[k][0]);
        const struct period_window *window = &one.windows[0];
        is_used(&window->balance, rows[k][1], (int64_t)rows[k][2], rows[k][3]);
        assert_int_equal(window->theorem, 4);
        assert_true(window->production.proven && window->greedy.proven && window->balance.proven);
        assert_true(window->production.utilization.tasks >= window->balance.utilization.tasks);
        one_period_release(&one);
    }
    platform_release(&platform);
}

/* Figure 4-3, as Examples 1 and 2 determine it. */
static struct platform figure_4_3(double latency_3)
{
    static const struct cost links[] = {{1, 1.75}, {1, 1.5}, {1, 26.96 / 14}};
    const struct cost works[] = {{2, 3}, {2, 4}, {latency_3, 2}};
    struct platform platform = platform_of_equals(3, 1, 1000000, none, none, none);
    struct platform_window *window = &platform.windows[0];
    free(window->classes);
    window->classes = calloc(3, sizeof *window->classes);
    window->class_count = 3;
    for (int i = 0; i < 3; i++)
        window->classes[i] =
            (struct platform_class){.first = i, .count = 1, .link = links[i], .compute = works[i]};
    return platform;
}

static void example_1_is_planned(void **state)
{
    static const double rows[][5] = {/* T, core tasks in all, and of each worker; -1: any */
                                     {7, 3, 0, 0, 3},
                                     {8, 3.5, -1, -1, -1},
                                     {9, 4.083333, 2.333333, 1.75, 0},
                                     {27, 14.604970, 8.333333, 6.25, 0.021637}};
    struct platform platform = figure_4_3(1);
    (void)state;
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
        struct one_period one = one_period_of(&platform, rows[k][0]);
        const struct period_window *window = &one.windows[0];
        assert_true(window->production.proven);
        assert_near(window->production.utilization.tasks, rows[k][1], 1e-5);
        for (int i = 0; i < 3; i++)
            if (rows[k][2 + i] >= 0)
                assert_near(window->production.loads[i], rows[k][2 + i], 1e-5);
        assert_int_equal(window->theorem, 7);
        assert_true(window->production.utilization.tasks - window->greedy.utilization.tasks <=
                    window->missed);
        one_period_release(&one);
    }
    platform_release(&platform);
}

/* The third worker alone uses port and workers best, and produces less. */
static void example_2_is_planned(void **state)
{
    struct platform platform = figure_4_3(0);
    struct one_period one = one_period_of(&platform, 28);
    const struct period_window *window = &one.windows[0];
    (void)state;
    is_used(&window->balance, 14, 1, 1.99857);
    assert_near(window->balance.loads[2], 14, 1e-9);
    assert_near(28 * (1 - window->balance.utilization.port), 0.04, 1e-9);
    assert_true(window->balance.proven);
    assert_true(window->production.utilization.tasks > 15.16666);
    one_period_release(&one);
    platform_release(&platform);
    /* The first two by themselves. */
    struct ranked_worker pair[] = {{.feed = {1, 1.75}, .work = {2, 3}},
                                   {.feed = {1, 1.5}, .work = {2, 4}}};
    const struct ranking ranking = ranking_of(pair, 2, false);
    const double loads[] = {26.0 / 3, 6.5};
    const struct utilization both = utilization_of(&ranking, 28, loads);
    assert_near(both.tasks, 15.166667, 1e-6);
    assert_near(28 * (1 - both.port), 1.083333, 1e-6);
    assert_near(both.port + both.workers, 1.9613, 1e-4);
}

/* U of a set by what fills the port with what gains most, tried in every set. */
static double best_by_force(const struct ranking *ranking, double period_s, double least_tasks)
{
    double best = 0;
    for (unsigned set = 1; set < 1u << ranking->count; set++) {
        double loads[MOST] = {0}, left_s = period_s, used = 0, tasks = 0;
        bool done[MOST] = {false};
        for (int64_t i = 0; i < ranking->count; i++)
            if ((set >> i & 1u) != 0) {
                left_s -= ranking->workers[i].feed.latency_s;
                used++;
            }
        for (int step = 0; step < (int)used && left_s > 0; step++) {
            int64_t at = -1;
            double most = 0;
            for (int64_t i = 0; i < ranking->count; i++) {
                const struct ranked_worker *worker = &ranking->workers[i];
                const double gain = 1 + worker->work.s_per_task / worker->feed.s_per_task / used;
                if ((set >> i & 1u) != 0 && !done[i] && gain > most) {
                    at = i;
                    most = gain;
                }
            }
            done[at] = true;
            loads[at] = fmin(fmax(period_load(&ranking->workers[at], period_s, 1e9), 0),
                             left_s / ranking->workers[at].feed.s_per_task);
            left_s -= loads[at] * ranking->workers[at].feed.s_per_task;
            tasks += loads[at];
        }
        const struct utilization own = utilization_of(ranking, period_s, loads);
        if (left_s > -1e-9 && own.used == (int64_t)used && tasks >= least_tasks)
            best = fmax(best, own.port + own.workers);
    }
    return best;
}

static void the_best_set_is_found(void **state)
{
    const struct utilization_wish wish = {.tasks = 0, .nodes = 1000000};
    (void)state;
    int above_greedy = 0;
    for (uint64_t seed = 1; seed <= 400; seed++) {
        struct dice dice = dice_of(3000 + seed);
        struct ranked_worker workers[MOST];
        const int64_t count = dice_between(&dice, 1, MOST);
        for (int64_t i = 0; i < count; i++)
            workers[i] = (struct ranked_worker){
                .feed = {dice_scale(&dice, 0.01, 3), dice_scale(&dice, 0.1, 2)},
                .work = {dice_scale(&dice, 0.01, 3), dice_scale(&dice, 0.5, 8)}};
        const struct ranking ranking = ranking_of(workers, count, false);
        const double period_s = dice_scale(&dice, 4, 400);
        double loads[MOST], greedy[MOST];
        bool proven;
        const double produced = period_production(&ranking, period_s, greedy);
        struct utilization_wish own = wish;
        own.tasks = seed % 2 == 0 ? 0.9 * produced : 0;
        const struct utilization best = utilization_best(&ranking, period_s, &own, loads, &proven);
        assert_true(proven);
        assert_true(best.tasks >= own.tasks * (1 - 1e-9));
        /* The greedy's loads always produce enough. */
        const struct utilization before = utilization_of(&ranking, period_s, greedy);
        assert_near(
            best.port + best.workers,
            fmax(best_by_force(&ranking, period_s, own.tasks), before.port + before.workers), 1e-6);
        above_greedy += best.port + best.workers > before.port + before.workers + 1e-6;
    }
    print_message("%d of 400 are used better than by the greedy production\n", above_greedy);
    assert_true(above_greedy > 100);
}

static void too_short_a_period_is_refused(void **state)
{
    struct platform platform = table_6_1(2);
    struct one_period one;
    struct failure failure = FAILURE_INIT;
    (void)state;
    assert_false(one_period_make(&platform, 0.03, &one, &failure));
    assert_int_equal(failure.code, FAILURE_INFEASIBLE);
    platform_release(&platform);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pairs_of_table_6_1),
        cmocka_unit_test(pairs_of_table_6_7),
        cmocka_unit_test(latencies_of_computing_turn_the_pairs_round),
        cmocka_unit_test(pairs_of_unequal_workers),
        cmocka_unit_test(free_feeding_keeps_everybody_busy),
        cmocka_unit_test(pairs_part_what_can_be_fed),
        cmocka_unit_test(equal_workers_are_used_best),
        cmocka_unit_test(example_1_is_planned),
        cmocka_unit_test(example_2_is_planned),
        cmocka_unit_test(the_best_set_is_found),
        cmocka_unit_test(too_short_a_period_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* The mathematics that schedulers share, each part against something slower and simpler. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#include "planner/discretise.h"
#include "planner/last_round.h"
#include "planner/period.h"
#include "planner/scow_exact.h"
#include "tests/planner/platforms.h"

enum { MOST = 40 };

static struct lineup lineup_random(struct dice *dice, struct lineup_worker *workers, int64_t most)
{
    struct lineup lineup = {.least = 1,
                            .greatest = 1e9,
                            .real_valued = true,
                            .workers = workers,
                            .count = dice_between(dice, 1, most)};
    for (int64_t i = 0; i < lineup.count; i++) {
        workers[i].id = i;
        workers[i].feed = (struct cost){dice_scale(dice, 0.01, 3), dice_scale(dice, 0.1, 2)};
        workers[i].link = workers[i].feed;
        workers[i].work = (struct cost){dice_scale(dice, 0.01, 3), dice_scale(dice, 0.5, 8)};
    }
    return lineup;
}

static void loads_are_whole_and_complete(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 2000; seed++) {
        struct dice dice = dice_of(seed);
        const int64_t count = dice_between(&dice, 1, MOST);
        struct lineup lineup = {.least = (double)dice_between(&dice, 1, 9), .count = count};
        lineup.greatest = lineup.least + (double)dice_between(&dice, 0, 40);
        const double total = floor(dice_scale(&dice, 1, 1500));
        double loads[MOST], sum = 0;
        bool possible = false;
        for (int64_t i = 0; i < count; i++)
            loads[i] = dice_roll(&dice) < 0.2 ? 0 : dice_scale(&dice, 0.1, 60);
        for (int64_t k = 1; k <= count; k++)
            possible = possible ||
                       ((double)k * lineup.least <= total && total <= (double)k * lineup.greatest);
        assert_int_equal(discretise(&lineup, loads, count, total), possible);
        for (int64_t i = 0; possible && i < count; i++) {
            assert_true(loads[i] == floor(loads[i]));
            assert_true(loads[i] == 0 || (loads[i] >= lineup.least && loads[i] <= lineup.greatest));
            sum += loads[i];
        }
        assert_true(!possible || sum == total);
    }
}

static void largest_remainders_decide(void **state)
{
    (void)state;
    const struct lineup lineup = {.least = 1, .greatest = 1000};
    double loads[] = {10.2, 5.9, 3.4, 0.5};
    assert_true(discretise(&lineup, loads, 4, 20));
    const double expected[] = {10, 6, 3, 1};
    for (int i = 0; i < 4; i++)
        assert_true(loads[i] == expected[i]);
}

/* All end together, K apart: the ends follow from the starts and the loads. */
static void last_round_ends_in_step(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 300; seed++) {
        struct dice dice = dice_of(seed);
        struct lineup_worker workers[MOST];
        struct lineup lineup = lineup_random(&dice, workers, MOST);
        double loads[MOST], delays[MOST], round[MOST], auxiliary[MOST];
        double total = 0, sum = 0, start_s = 0, end_s = 0;
        for (int64_t i = 0; i < lineup.count; i++) {
            loads[i] = dice_scale(&dice, 100, 120);
            delays[i] = dice_scale(&dice, 0.1, 1);
            total += loads[i];
        }
        const double result_s = seed % 2 == 0 ? 0 : 0.05;
        const struct last_round last = {loads, delays, total, result_s};
        assert_true(last_round_make(&lineup, &last, round, auxiliary));
        for (int64_t i = 0; i < lineup.count; i++) {
            start_s += i > 0 ? delays[i] - result_s : 0;
            const double mine_s = start_s + cost_of(workers[i].work, round[i]) +
                                  cost_of(workers[i].work, auxiliary[i]);
            end_s = i == 0 ? mine_s : end_s;
            assert_true(fabs(mine_s - end_s) <= 1e-6 * end_s);
            assert_true(round[i] >= 0 && auxiliary[i] >= 0);
            sum += round[i] + auxiliary[i];
        }
        assert_true(fabs(sum - total) <= 1e-9 * total);
    }
}

/* All subsets, each filled cheapest port first. */
static double production_by_force(const struct lineup *lineup, double period_s)
{
    double best = 0;
    for (unsigned set = 1; set < 1u << lineup->count; set++) {
        double left_s = period_s, made = 0;
        bool done[MOST] = {false};
        for (int64_t i = 0; i < lineup->count; i++)
            if (set >> i & 1)
                left_s -= lineup->workers[i].feed.latency_s;
        for (int64_t round = 0; round < lineup->count && left_s > 0; round++) {
            int64_t cheapest = -1;
            for (int64_t i = 0; i < lineup->count; i++)
                if ((set >> i & 1) && !done[i] &&
                    (cheapest < 0 || lineup->workers[i].feed.s_per_task <
                                         lineup->workers[cheapest].feed.s_per_task))
                    cheapest = i;
            if (cheapest < 0)
                break;
            const struct lineup_worker *worker = &lineup->workers[cheapest];
            const double load =
                fmin(fmax(period_load(worker, period_s, 1e9), 0), left_s / worker->feed.s_per_task);
            done[cheapest] = true;
            made += load;
            left_s -= load * worker->feed.s_per_task;
        }
        best = fmax(best, made);
    }
    return best;
}

static int by_feed_rate(const void *a, const void *b)
{
    const struct lineup_worker *x = a, *y = b;
    return (x->feed.s_per_task > y->feed.s_per_task) - (x->feed.s_per_task < y->feed.s_per_task);
}

/* The exact program against all subsets, and the greedy within its bound (4.30) below it, with the
 * partial worker's own latency counted. */
static void exact_production_is_exact(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 400; seed++) {
        struct dice dice = dice_of(seed);
        struct lineup_worker workers[MOST];
        struct lineup lineup = lineup_random(&dice, workers, 8);
        qsort(workers, (size_t)lineup.count, sizeof workers[0], by_feed_rate);
        const double period_s = dice_scale(&dice, 4, 400);
        double loads[MOST], latency_s = 0;
        bool proven = false;
        const double greedy = period_production(&lineup, period_s, loads);
        int64_t partial = 0;
        while (partial < lineup.count &&
               loads[partial] >= 0.999999 * period_load(&workers[partial], period_s, 1e9) &&
               loads[partial] > 0)
            latency_s += workers[partial++].feed.latency_s;
        const double made = scow_exact_production(&lineup, period_s, loads, &proven);
        assert_true(proven);
        assert_true(fabs(made - production_by_force(&lineup, period_s)) <= 1e-6 * (made + 1));
        assert_true(greedy <= made * (1 + 1e-9));
        if (partial < lineup.count && period_load(&workers[partial], period_s, 1e9) > 0)
            assert_true(made - greedy <= (latency_s + workers[partial].feed.latency_s) /
                                                 workers[partial].feed.s_per_task +
                                             1e-6);
    }
}

/* Theorem 9: with T_i = i (lambda H - RW) / (lambda - i), i workers fill the port exactly. */
static void perfect_period_fills_the_port(void **state)
{
    (void)state;
    struct lineup_worker workers[8];
    for (int i = 0; i < 8; i++)
        workers[i] = (struct lineup_worker){.id = i, .feed = {0.03, 1.0 / 11}, .work = {0.03, 1}};
    const struct lineup lineup = {
        .least = 1, .greatest = 1e9, .real_valued = true, .workers = workers, .count = 8};
    for (int64_t i = 1; i <= 8; i++) {
        const double lambda = 11,
                     period_s = (double)i * (lambda * 0.03 - 0.03) / (lambda - (double)i);
        const double tasks = (double)i * (period_s - 0.03);
        double loads[8], made_s = 0;
        if (period_s <= 0.03)
            continue;
        assert_true(period_for_perfect(&lineup, i, tasks, &made_s, loads));
        assert_true(fabs(made_s - period_s) <= 1e-9);
        double feed_s = 0;
        for (int64_t k = 0; k < i; k++)
            feed_s += cost_of(workers[k].feed, loads[k]);
        assert_true(fabs(feed_s - period_s) <= 1e-9);
        assert_false(period_for_perfect(&lineup, i, 0.9 * tasks, &made_s, loads));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(loads_are_whole_and_complete),
        cmocka_unit_test(largest_remainders_decide),
        cmocka_unit_test(last_round_ends_in_step),
        cmocka_unit_test(exact_production_is_exact),
        cmocka_unit_test(perfect_period_fills_the_port),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

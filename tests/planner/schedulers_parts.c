/* The mathematics that schedulers share, each part against something slower and simpler. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#include "planner/schedulers/rounds/ramp_down.h"
#include "planner/schedulers/scow/last_round.h"
#include "planner/schedulers/scow/scow.h"
#include "planner/schedulers/scow/scow_exact.h"
#include "planner/schedulers/search/discretise.h"
#include "planner/schedulers/search/level.h"
#include "planner/schedulers/search/period.h"
#include "tests/planner/platforms.h"

static const struct exact_wish all = {.gain = 0, .nodes = 20000};

enum { MOST = 40 };

static struct ranking ranking_random(struct dice *dice, struct ranked_worker *workers, int64_t most)
{
    struct ranking ranking = {.least = 1,
                              .greatest = 1e9,
                              .real_valued = true,
                              .workers = workers,
                              .count = dice_between(dice, 1, most)};
    for (int64_t i = 0; i < ranking.count; i++) {
        workers[i].id = i;
        workers[i].feed = (struct cost){dice_scale(dice, 0.01, 3), dice_scale(dice, 0.1, 2)};
        workers[i].link = workers[i].feed;
        workers[i].work = (struct cost){dice_scale(dice, 0.01, 3), dice_scale(dice, 0.5, 8)};
    }
    return ranking;
}

static void loads_are_whole_and_complete(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 2000; seed++) {
        struct dice dice = dice_of(seed);
        const int64_t count = dice_between(&dice, 1, MOST);
        struct ranking ranking = {.least = (double)dice_between(&dice, 1, 9), .count = count};
        ranking.greatest = ranking.least + (double)dice_between(&dice, 0, 40);
        const double total = floor(dice_scale(&dice, 1, 1500));
        double loads[MOST], sum = 0;
        bool possible = false;
        for (int64_t i = 0; i < count; i++)
            loads[i] = dice_roll(&dice) < 0.2 ? 0 : dice_scale(&dice, 0.1, 60);
        for (int64_t k = 1; k <= count; k++)
            possible = possible || ((double)k * ranking.least <= total &&
                                    total <= (double)k * ranking.greatest);
        bool out_of_memory = false;
        assert_int_equal(discretise(&ranking, loads, count, total, &out_of_memory), possible);
        assert_false(out_of_memory);
        for (int64_t i = 0; possible && i < count; i++) {
            assert_true(loads[i] == floor(loads[i]));
            assert_true(loads[i] == 0 ||
                        (loads[i] >= ranking.least && loads[i] <= ranking.greatest));
            sum += loads[i];
        }
        assert_true(!possible || sum == total);
    }
}

static void largest_remainders_decide(void **state)
{
    (void)state;
    const struct ranking ranking = {.least = 1, .greatest = 1000};
    double loads[] = {10.2, 5.9, 3.4, 0.5};
    bool out_of_memory = false;
    assert_true(discretise(&ranking, loads, 4, 20, &out_of_memory));
    const double expected[] = {10, 6, 3, 1};
    for (int i = 0; i < 4; i++)
        assert_true(loads[i] == expected[i]);
}

/* All end together, K apart: the ends follow from the starts and the loads. Where K depends on the
 * loads, results come back without a gap and without waiting, but for what two steps leave. */
static void last_round_ends_in_step(void **state)
{
    enum { ROUNDS = 3 };
    (void)state;
    for (uint64_t seed = 1; seed <= 300; seed++) {
        struct dice dice = dice_of(seed);
        struct ranked_worker workers[MOST];
        struct ranking ranking = ranking_random(&dice, workers, MOST);
        double loads[MOST], delays[MOST], round[MOST], auxiliary[MOST];
        double total = 0, sum = 0, start_s = 0, end_s = 0;
        for (int64_t i = 0; i < ranking.count; i++) {
            loads[i] = dice_scale(&dice, 100, 120);
            delays[i] = dice_scale(&dice, 0.1, 1);
            total += loads[i];
        }
        const struct cost result = {seed % 3 > 0 ? 0.05 : 0, seed % 3 > 1 ? 0.002 : 0};
        const struct last_round last = {loads, delays, total, ROUNDS, LAST_ROUND_STEPS, INT64_MAX};
        ranking.results = seed % 2 == 0 ? RESULTS_PACKAGE : RESULTS_END;
        for (int64_t i = 0; i < ranking.count; i++)
            workers[i].result = result;
        bool out_of_memory = false;
        assert_true(last_round_make(&ranking, &last, round, auxiliary, &out_of_memory));
        assert_false(out_of_memory);
        for (int64_t i = 0; i < ranking.count; i++) {
            const double done = round[i] + auxiliary[i];
            const double least = auxiliary[i] > 0 ? auxiliary[i] : round[i];
            start_s += i > 0 ? delays[i] : 0;
            const double mine_s = start_s + cost_of(workers[i].work, round[i]) +
                                  cost_of(workers[i].work, auxiliary[i]);
            end_s = i == 0 ? mine_s : end_s;
            const double off_s = fabs(mine_s - end_s);
            if (off_s > (result.s_per_task > 0 ? 1e-3 : 1e-6) * end_s)
                fail_msg("seed %d, worker %d: %.9g s, not %.9g s", (int)seed, (int)i, mine_s,
                         end_s);
            assert_true(round[i] >= 0 && auxiliary[i] >= 0);
            end_s +=
                cost_of(result, ranking.results == RESULTS_END ? ROUNDS * loads[i] + done : least);
            sum += done;
        }
        assert_true(fabs(sum - total) <= 1e-9 * total);
    }
}

/* Three workers of x that begin a second apart, 6 core tasks in an ordinary round, results of K s
 * (5.16 to 5.20): Z, who has one beside its ordinary load, and the ends. */
static void last_rounds_as_computed_before(void **state)
{
    static const struct {
        double result_s, z[3], ends[3];
        int64_t twice;
    } cases[] = {{0, {1, 0, 5}, {7, 7, 7}, 2},
                 {0.5, {0.5, 0, 5.5}, {6.5, 7, 7.5}, 2},
                 {1, {0, 0, 0}, {6, 7, 8}, 3}};
    static const double loads[] = {6, 6, 6}, delays[] = {0, 1, 1};
    (void)state;
    for (size_t c = 0; c < sizeof cases / sizeof cases[0]; c++) {
        struct ranked_worker workers[3];
        const struct ranking ranking = {.least = 1,
                                        .greatest = 1e9,
                                        .real_valued = true,
                                        .results = RESULTS_END,
                                        .workers = workers,
                                        .count = 3};
        const struct last_round last = {loads, delays, 18, 0, 0, INT64_MAX};
        double round[3], auxiliary[3];
        bool out_of_memory = false;
        for (int i = 0; i < 3; i++)
            workers[i] =
                (struct ranked_worker){.id = i, .work = {0, 1}, .result = {cases[c].result_s, 0}};
        assert_true(last_round_make(&ranking, &last, round, auxiliary, &out_of_memory));
        for (int i = 0; i < 3; i++) {
            const bool twice = i < cases[c].twice;
            assert_true(fabs((twice ? auxiliary[i] : round[i]) - cases[c].z[i]) < 1e-12);
            assert_true(fabs((twice ? round[i] : 6) - 6) < 1e-12);
            assert_true(fabs(i + round[i] + auxiliary[i] - cases[c].ends[i]) < 1e-12);
        }
    }
}

/* Two workers of 1 + 2 x that begin 1.5 s apart, with 2.5 core tasks in an ordinary round: without
 * auxiliary packages both end at 6.75 s, with one for the first at 7.25 s. */
static void fewer_auxiliary_packages_end_earlier(void **state)
{
    static const double loads[] = {2.5, 2.5}, delays[] = {0, 1.5};
    static const double wanted[2][5] = {/* round, auxiliary, end */
                                        {2.875, 2.125, 0, 0, 6.75},
                                        {2.5, 2.375, 0.125, 0, 7.25}};
    struct ranked_worker workers[] = {{.id = 0, .work = {1, 2}}, {.id = 1, .work = {1, 2}}};
    const struct ranking ranking = {
        .least = 1, .greatest = 1e9, .real_valued = true, .workers = workers, .count = 2};
    (void)state;
    for (int64_t most = 0; most < 2; most++) {
        const struct last_round last = {loads, delays, 5, 0, 0, most};
        const double *row = wanted[most];
        double round[2], auxiliary[2];
        bool out_of_memory = false;
        assert_true(last_round_make(&ranking, &last, round, auxiliary, &out_of_memory));
        for (int i = 0; i < 2; i++) {
            const double end_s = (i == 0 ? 0 : delays[1]) + cost_of(workers[i].work, round[i]) +
                                 cost_of(workers[i].work, auxiliary[i]);
            assert_true(fabs(round[i] - row[i]) < 1e-12);
            assert_true(fabs(auxiliary[i] - row[2 + i]) < 1e-12);
            assert_true(fabs(end_s - row[4]) < 1e-12);
        }
    }
}

/* All subsets, each filled cheapest port first, no further than the master allows. */
static double production_by_force(const struct ranking *ranking, double period_s)
{
    double best = 0;
    for (unsigned set = 1; set < 1u << ranking->count; set++) {
        double left_s = period_s, master_s = period_s, made = 0;
        bool done[MOST] = {false};
        for (int64_t i = 0; i < ranking->count; i++)
            if (set >> i & 1) {
                left_s -= ranking->workers[i].feed.latency_s;
                master_s -= ranking->master.latency_s;
            }
        for (int64_t round = 0; round < ranking->count && left_s > 0; round++) {
            int64_t cheapest = -1;
            for (int64_t i = 0; i < ranking->count; i++)
                if ((set >> i & 1) && !done[i] &&
                    (cheapest < 0 || ranking->workers[i].feed.s_per_task <
                                         ranking->workers[cheapest].feed.s_per_task))
                    cheapest = i;
            if (cheapest < 0)
                break;
            const struct ranked_worker *worker = &ranking->workers[cheapest];
            const double load =
                fmin(fmax(period_load(worker, period_s, 1e9), 0), left_s / worker->feed.s_per_task);
            done[cheapest] = true;
            made += load;
            left_s -= load * worker->feed.s_per_task;
        }
        if (ranking->two_rows)
            made = fmin(made, fmax(master_s, 0) / ranking->master.s_per_task);
        best = fmax(best, made);
    }
    return best;
}

static int by_feed_rate(const void *a, const void *b)
{
    const struct ranked_worker *x = a, *y = b;
    return (x->feed.s_per_task > y->feed.s_per_task) - (x->feed.s_per_task < y->feed.s_per_task);
}

/* Workers 1..q that the greedy's loads fill, by order of increasing h; q. */
static int64_t full_count(const struct ranking *ranking, double period_s, const double *loads)
{
    int64_t full = 0;
    while (full < ranking->count && loads[full] > 0 &&
           loads[full] >= 0.999999 * period_load(&ranking->workers[full], period_s, 1e9))
        full++;
    return full;
}

/* The exact program against all subsets. */
static void exact_production_is_exact(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 400; seed++) {
        struct dice dice = dice_of(seed);
        struct ranked_worker workers[MOST];
        struct ranking ranking = ranking_random(&dice, workers, 8);
        const double period_s = dice_scale(&dice, 4, 400);
        double loads[MOST];
        bool proven = false, out_of_memory = false;
        const double made =
            scow_exact_production(&ranking, period_s, &all, loads, &proven, &out_of_memory);
        assert_true(proven);
        assert_true(fabs(made - production_by_force(&ranking, period_s)) <= 1e-6 * (made + 1));
    }
}

/* Both rows, the example of the model's page and random ones. */
static void exact_production_has_two_rows(void **state)
{
    (void)state;
    struct ranked_worker pair[] = {
        {.id = 0, .feed = {0.1, 0.1}, .link = {0.1, 0.1}, .work = {0.2, 2}},
        {.id = 1, .feed = {0.1, 2}, .link = {0.1, 2}, .work = {0.2, 2}}};
    const struct ranking two = {.least = 1,
                                .greatest = 1e9,
                                .real_valued = true,
                                .master = {0.2, 1},
                                .workers = pair,
                                .count = 2,
                                .two_rows = true};
    double loads[MOST];
    assert_true(fabs(period_production(&two, 10, loads) - 9.555) < 1e-9);
    for (uint64_t seed = 1; seed <= 400; seed++) {
        struct dice dice = dice_of(11000 + seed);
        struct ranked_worker workers[MOST];
        struct ranking ranking = ranking_random(&dice, workers, 8);
        const double period_s = dice_scale(&dice, 4, 400);
        bool proven = false, out_of_memory = false;
        ranking.two_rows = true;
        ranking.master = (struct cost){dice_scale(&dice, 0.01, 1), dice_scale(&dice, 0.1, 1)};
        ranking.least = 1e-6; /* no package is left out for being small */
        const double made =
            scow_exact_production(&ranking, period_s, &all, loads, &proven, &out_of_memory);
        assert_true(proven);
        assert_true(fabs(made - production_by_force(&ranking, period_s)) <= 1e-6 * (made + 1));
        double master_s = 0, port_s = 0;
        for (int64_t i = 0; i < ranking.count; i++) {
            master_s += cost_of(ranking.master, loads[i]);
            port_s += cost_of(workers[i].link, loads[i]);
        }
        assert_true(fmax(master_s, port_s) <= period_s * (1 + 1e-9));
    }
}

/* (4.30): the greedy by increasing h, with q full workers, is less than the optimum by no more than
 * sum_{i <= q + 1} H_i / h_{q+1}.
 *
 * Proof: without any H the optimum U is a fractional knapsack that fills the port in the same
 * order. The greedy has sent the same tasks but for those in the last sum_{i <= q} H_i +
 * min(H_{q+1}, T_eps) seconds, and each of these costs the port at least h_{q+1}.
 *
 * The print's sum ends at q. Without the partial worker's own latency the bound is false: H_1 = 3,
 * h_1 = 1 and H_2 = 0, h_2 = 1.1 give 1 task instead of 3.64 in T = 4, though q = 0. */
static void greedy_keeps_its_bound(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 400; seed++) {
        struct dice dice = dice_of(seed);
        struct ranked_worker workers[MOST];
        struct ranking ranking = ranking_random(&dice, workers, 8);
        qsort(workers, (size_t)ranking.count, sizeof workers[0], by_feed_rate);
        const double period_s = dice_scale(&dice, 4, 400);
        double loads[MOST], latency_s = 0;
        bool proven = false, out_of_memory = false;
        const double greedy = period_production(&ranking, period_s, loads);
        const int64_t full = full_count(&ranking, period_s, loads);
        for (int64_t i = 0; i <= full && i < ranking.count; i++)
            latency_s += workers[i].feed.latency_s;
        const double lost =
            full < ranking.count ? latency_s / workers[full].feed.s_per_task : 0; /* all are full */
        const double made =
            scow_exact_production(&ranking, period_s, &all, loads, &proven, &out_of_memory);
        assert_true(proven);
        assert_true(greedy <= made * (1 + 1e-9));
        assert_true(made - greedy <= lost + 1e-6 * (made + 1));
    }
}

static void the_printed_bound_is_too_small(void **state)
{
    (void)state;
    struct ranked_worker workers[] = {{.id = 0, .feed = {3, 1}, .work = {0, 0.1}},
                                      {.id = 1, .feed = {0, 1.1}, .work = {0, 0.1}}};
    const struct ranking ranking = {
        .least = 1, .greatest = 1e9, .real_valued = true, .workers = workers, .count = 2};
    double loads[2];
    bool proven = false, out_of_memory = false;
    assert_true(fabs(period_production(&ranking, 4, loads) - 1) < 1e-9);
    assert_int_equal(full_count(&ranking, 4, loads), 0);
    assert_true(fabs(scow_exact_production(&ranking, 4, &all, loads, &proven, &out_of_memory) -
                     4 / 1.1) < 1e-9);
}

/* What no choice without worker `left_out` can exceed: the knapsack that pays no H at all. */
static double production_without(const struct ranking *ranking, double period_s, int64_t left_out)
{
    double left_s = period_s, made = 0;
    for (int64_t i = 0; i < ranking->count; i++) {
        const struct ranked_worker *worker = &ranking->workers[i];
        if (i == left_out)
            continue;
        const double load =
            fmin(period_load(worker, period_s, 1e9), left_s / worker->feed.s_per_task);
        made += load;
        left_s -= load * worker->feed.s_per_task;
    }
    return made;
}

/* T is large enough once a choice without any of the first q workers is worse than the greedy. */
static bool period_is_large(const struct ranking *ranking, double period_s, double greedy,
                            int64_t full)
{
    for (int64_t i = 0; i < full; i++)
        if (production_without(ranking, period_s, i) >= greedy)
            return false;
    return true;
}

/* (4.31): for large T the greedy loses no more than H_{q+1} / h_{q+1}.
 *
 * The print leaves open which T is large. It holds for every T at which an optimal choice has all
 * of the first q workers: both then pay their H, the others' best in the T_eps that remain is T_eps
 * / h_{q+1} (a knapsack by increasing h again), and the greedy gets max(0, T_eps - H_{q+1}) /
 * h_{q+1} of it. What is tested is the sufficient condition of period_is_large. */
static void greedy_is_near_in_long_periods(void **state)
{
    enum { DOUBLINGS = 12 };
    (void)state;
    int large = 0;
    for (uint64_t seed = 1; seed <= 200; seed++) {
        struct dice dice = dice_of(5000 + seed);
        struct ranked_worker workers[MOST];
        struct ranking ranking = ranking_random(&dice, workers, 8);
        qsort(workers, (size_t)ranking.count, sizeof workers[0], by_feed_rate);
        double period_s = dice_scale(&dice, 4, 40);
        for (int step = 0; step < DOUBLINGS; step++, period_s *= 2) {
            double loads[MOST];
            bool proven = false, out_of_memory = false;
            const double greedy = period_production(&ranking, period_s, loads);
            const int64_t full = full_count(&ranking, period_s, loads);
            if (!period_is_large(&ranking, period_s, greedy, full))
                continue;
            const struct cost next =
                full < ranking.count ? workers[full].feed : (struct cost){0, 1};
            const double made =
                scow_exact_production(&ranking, period_s, &all, loads, &proven, &out_of_memory);
            assert_true(proven);
            assert_true(made - greedy <= next.latency_s / next.s_per_task + 1e-6 * (made + 1));
            large++;
        }
    }
    print_message("%d periods are large\n", large);
    assert_true(large > 1000);
}

/* Theorem 9: with T_i = i (lambda H - RW) / (lambda - i), i workers fill the port exactly. */
static void perfect_period_fills_the_port(void **state)
{
    (void)state;
    struct ranked_worker workers[8];
    for (int i = 0; i < 8; i++)
        workers[i] = (struct ranked_worker){.id = i, .feed = {0.03, 1.0 / 11}, .work = {0.03, 1}};
    const struct ranking ranking = {
        .least = 1, .greatest = 1e9, .real_valued = true, .workers = workers, .count = 8};
    for (int64_t i = 1; i <= 8; i++) {
        const double lambda = 11,
                     period_s = (double)i * (lambda * 0.03 - 0.03) / (lambda - (double)i);
        const double tasks = (double)i * (period_s - 0.03);
        double loads[8], made_s = 0;
        if (period_s <= 0.03)
            continue;
        assert_true(period_for_perfect(&ranking, i, tasks, &made_s, loads));
        assert_true(fabs(made_s - period_s) <= 1e-9);
        double feed_s = 0;
        for (int64_t k = 0; k < i; k++)
            feed_s += cost_of(workers[k].feed, loads[k]);
        assert_true(fabs(feed_s - period_s) <= 1e-9);
        assert_false(period_for_perfect(&ranking, i, 0.9 * tasks, &made_s, loads));
    }
}

/* A fitted latency may be below 0 (cost.h), which makes nobody unlike himself. */
static void equal_workers_are_homogeneous(void **state)
{
    (void)state;
    struct ranked_worker workers[2];
    for (int i = 0; i < 2; i++)
        workers[i] = (struct ranked_worker){.id = i, .feed = {-1e-3, 4e-6}, .work = {-3e-4, 1e-5}};
    const struct ranking ranking = {.workers = workers, .count = 2};
    assert_true(ranking_homogeneous(&ranking, 0.05));
    workers[1].work.latency_s = -2e-4;
    assert_false(ranking_homogeneous(&ranking, 0.05));
}

static bool search_and_level(struct search *search, struct ranking *ranking, void *context)
{
    (void)context;
    scow_search(search, ranking, PERIOD_PRODUCTION);
    search_level(search, ranking);
    return true;
}

static bool ramp_down(struct search *search, struct ranking *ranking, void *context)
{
    (void)context;
    search_ramp_down(search, ranking);
    return true;
}

/* A plan with a ramp down is offered, whole, and kept only where it is better; on some platforms it
 * is. */
static void ramps_down_never_lose(void **state)
{
    (void)state;
    int better = 0;
    for (uint64_t seed = 1; seed <= 60; seed++) {
        struct dice dice = dice_of(7000 + seed);
        struct platform platform = platform_cluster(&dice, dice_between(&dice, 1, 12));
        const struct schedule_request request = {.platform = &platform,
                                                 .tasks = floor(dice_scale(&dice, 50, 5000)),
                                                 .real_valued = seed % 4 == 0};
        struct search search;
        struct plan plan = {.kernel = NULL};
        struct failure failure = FAILURE_INIT;
        double sum = 0;
        assert_true(search_init(&search, &request, &failure));
        search_visit(&search, 1u << RANKING_BY_FEED, search_and_level, NULL);
        const double before_s = search.best_s;
        search_visit(&search, 1u << RANKING_BY_FEED, ramp_down, NULL);
        assert_true(search.best_s <= before_s);
        better += search.best_s < before_s;
        assert_true(search_finish(&search, "", &plan, &failure));
        for (size_t r = 0; r < plan.round_count; r++)
            for (int64_t i = 0; i < plan.worker_count; i++)
                sum += (double)plan.rounds[r].repeat * plan.rounds[r].loads[i];
        assert_true(fabs(sum - request.tasks) <= (request.real_valued ? 1e-6 * sum : 0));
        plan_release(&plan);
        platform_release(&platform);
    }
    print_message("%d of 60 plans end better with a ramp down\n", better);
    assert_true(better > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(loads_are_whole_and_complete),
        cmocka_unit_test(largest_remainders_decide),
        cmocka_unit_test(last_round_ends_in_step),
        cmocka_unit_test(last_rounds_as_computed_before),
        cmocka_unit_test(fewer_auxiliary_packages_end_earlier),
        cmocka_unit_test(exact_production_is_exact),
        cmocka_unit_test(exact_production_has_two_rows),
        cmocka_unit_test(greedy_keeps_its_bound),
        cmocka_unit_test(the_printed_bound_is_too_small),
        cmocka_unit_test(greedy_is_near_in_long_periods),
        cmocka_unit_test(perfect_period_fills_the_port),
        cmocka_unit_test(equal_workers_are_homogeneous),
        cmocka_unit_test(ramps_down_never_lose),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

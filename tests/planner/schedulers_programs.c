/* The linear programs against the simulation that they model. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "planner/schedulers/optimal/optimal_lp.h"
#include "planner/simulate/star.h"
#include "tests/planner/platforms.h"

/* The packages of a program, one after the other, as the simulation sends them; what happens beside
 * the work is written behind. *waits: until other results are written. */
static double star_makespan(const struct optimal_lp *lp, const double *loads, bool *waits)
{
    const struct platform like = {.buffers = lp->buffers, .write_behind = true};
    struct star star;
    struct star_times times;
    double makespan_s = 0;
    *waits = false;
    assert_true(star_init(&star, &like, lp->count));
    for (int64_t package = 0; package < lp->count * lp->rounds; package++) {
        const struct ranked_worker *worker = &lp->ranking->workers[package % lp->count];
        const struct star_cost cost = {.envelope_s = cost_of(lp->ranking->master, loads[package]),
                                       .link_s = cost_of(worker->link, loads[package]),
                                       .compute_s = cost_of(worker->work, loads[package]),
                                       .output_s = cost_of(worker->beside, loads[package])};
        if (!(loads[package] > 0))
            continue;
        star_send(&star, package % lp->count, &cost, &times);
        makespan_s = fmax(makespan_s, times.end_s);
        *waits = *waits || times.handed_s > times.computed_s;
    }
    star_release(&star);
    return makespan_s;
}

/* The rows of the program say what star_step does: its value is the makespan of its loads, and
 * where it leaves a package empty, which the program pays the latency of, at least that. Of results
 * written behind it does not say that they wait until others are written, nor, of a worker whose
 * last package is empty, that those of the one before are written last: its value may then be less.
 */
static void program_has_the_semantics_of_the_star(void **state)
{
    int full = 0, tied = 0;
    (void)state;
    if (!optimal_lp_available())
        skip();
    for (uint64_t seed = 1; seed <= 300; seed++) {
        struct dice dice = dice_of(9000 + seed);
        struct platform platform = platform_cluster(&dice, dice_between(&dice, 1, 6));
        struct ranking ranking;
        double loads[64], value_s = 0;
        bool out_of_memory = false, empty = false, waits;
        if (seed > 150)
            platform_write_behind(&dice, &platform, 0.9);
        assert_true(ranking_init(&ranking, &platform, &platform.windows[0], true, RANKING_BY_FEED));
        const struct optimal_lp lp = {.ranking = &ranking,
                                      .count = ranking.count,
                                      .rounds = dice_between(&dice, 1, 8),
                                      .buffers = (int)dice_between(&dice, 1, 3),
                                      .tasks = floor(dice_scale(&dice, 50, 5000))};
        /* Packages that are nearly equal on unequal workers wait for buffers. */
        ranking.greatest = lp.tasks / (double)(lp.count * lp.rounds) * dice_scale(&dice, 1.001, 4);
        assert_true(optimal_lp_solve(&lp, loads, &value_s, &out_of_memory));
        for (int64_t package = 0; package < lp.count * lp.rounds; package++)
            empty = empty || !(loads[package] > 1e-6);
        const double makespan_s = star_makespan(&lp, loads, &waits);
        if (seed <= 150 || !(waits || empty))
            assert_true(makespan_s <= value_s * (1 + 1e-6));
        assert_true(empty || makespan_s >= value_s * (1 - 1e-6));
        full += !empty && seed <= 150;
        tied += !empty && !waits && seed > 150;
        ranking_release(&ranking);
        platform_release(&platform);
    }
    print_message("%d of 150 programs leave no package empty; of as many that write behind, and "
                  "wait for nothing that is written, %d\n",
                  full, tied);
    assert_true(full > 50);
    assert_true(tied > 30);
}

/* A group of one worker is that worker. */
static void groups_of_one_change_nothing(void **state)
{
    (void)state;
    if (!optimal_lp_available())
        skip();
    for (uint64_t seed = 1; seed <= 40; seed++) {
        struct dice dice = dice_of(9500 + seed);
        struct platform platform = platform_cluster(&dice, dice_between(&dice, 1, 6));
        struct ranking ranking;
        struct groups groups;
        double loads[64], grouped[64], value_s = 0, grouped_s = 0;
        bool out_of_memory = false;
        assert_true(ranking_init(&ranking, &platform, &platform.windows[0], true, RANKING_BY_FEED));
        assert_true(groups_init(&groups, &ranking, ranking.count));
        assert_int_equal(groups.count, ranking.count);
        struct optimal_lp lp = {.ranking = &ranking,
                                .count = ranking.count,
                                .rounds = dice_between(&dice, 1, 8),
                                .buffers = (int)dice_between(&dice, 1, 3),
                                .tasks = floor(dice_scale(&dice, 50, 5000))};
        assert_true(optimal_lp_solve(&lp, loads, &value_s, &out_of_memory));
        lp.groups = &groups;
        assert_true(optimal_lp_solve(&lp, grouped, &grouped_s, &out_of_memory));
        assert_true(fabs(grouped_s - value_s) <= 1e-6 * value_s);
        groups_release(&groups);
        ranking_release(&ranking);
        platform_release(&platform);
    }
}

/* The effort of a program that begins with a basis, of which no package is like one of its own. */
static double effort_of(struct optimal_lp lp, const struct optimal_basis *from)
{
    struct effort effort = {.left = 1e12};
    double loads[64], value_s;
    int64_t like[64];
    bool out_of_memory = false;
    for (int64_t package = 0; package < lp.count * lp.rounds; package++)
        like[package] = -1;
    lp.from = from;
    lp.like = like;
    lp.effort = &effort;
    assert_true(optimal_lp_solve(&lp, loads, &value_s, &out_of_memory));
    return 1e12 - effort.left;
}

/* Groups of one have columns that no row has, for a first member beside the last and for results.
 * Solving takes as many steps as without groups: a step counts three times for groups. */
static void columns_without_rows_cost_no_steps(void **state)
{
    double plain = 0, grouped = 0;
    (void)state;
    if (!optimal_lp_available())
        skip();
    for (uint64_t seed = 1; seed <= 40; seed++) {
        struct dice dice = dice_of(9600 + seed);
        struct platform platform = platform_cluster(&dice, dice_between(&dice, 2, 6));
        struct ranking ranking;
        struct groups groups;
        struct optimal_basis basis = {NULL, 0};
        double loads[64], value_s = 0;
        bool out_of_memory = false;
        assert_true(ranking_init(&ranking, &platform, &platform.windows[0], true, RANKING_BY_FEED));
        assert_true(groups_init(&groups, &ranking, ranking.count));
        struct optimal_lp lp = {
            .ranking = &ranking, .count = ranking.count, .rounds = 8, .buffers = 2, .tasks = 5000};
        lp.to = &basis;
        assert_true(optimal_lp_solve(&lp, loads, &value_s, &out_of_memory));
        lp.to = NULL;
        plain += effort_of(lp, &basis);
        lp.groups = &groups;
        grouped += effort_of(lp, &basis) / 3;
        optimal_basis_release(&basis);
        groups_release(&groups);
        ranking_release(&ranking);
        platform_release(&platform);
    }
    print_message("%.0f units without groups, %.0f with groups of one\n", plain, grouped);
    assert_true(grouped <= 1.05 * plain);
}

/* A few kinds of equal workers, in runs. */
static struct platform platform_of_runs(struct dice *dice)
{
    const int64_t kinds = dice_between(dice, 1, 4);
    struct platform platform = platform_cluster(dice, kinds);
    struct platform_window *window = &platform.windows[0];
    platform.worker_count = 0;
    for (int64_t c = 0; c < kinds; c++) {
        window->classes[c].first = platform.worker_count;
        window->classes[c].count = dice_between(dice, 1, 30);
        platform.worker_count += window->classes[c].count;
    }
    return platform;
}

/* The groups share out all workers in order, and none mixes kinds where there are few. */
static void groups_cover(const struct groups *groups)
{
    const struct ranked_worker *workers = groups->ranking->workers;
    int64_t next = 0;
    for (int64_t g = 0; g < groups->count; g++) {
        const struct group *group = &groups->items[g];
        assert_int_equal(group->first, next);
        assert_true(group->count >= 1);
        next += group->count;
        for (int64_t i = group->first; i < next; i++)
            assert_true(workers[i].work.s_per_task == workers[group->first].work.s_per_task);
        assert_int_equal(groups_workers(groups, g + 1), next);
        assert_int_equal(groups_with(groups, next), g + 1);
    }
    assert_int_equal(next, groups->ranking->count);
}

/* The program of groups of equal workers says no less than what their packages take. */
static void groups_are_sent_in_time(void **state)
{
    enum { GROUPS = 8, ROUNDS = 6, WORKERS = 120 };
    double nearest = 0;
    (void)state;
    if (!optimal_lp_available())
        skip();
    for (uint64_t seed = 1; seed <= 60; seed++) {
        struct dice dice = dice_of(9700 + seed);
        struct platform platform = platform_of_runs(&dice);
        struct ranking ranking;
        struct groups groups;
        double loads[2 * GROUPS * ROUNDS], expanded[WORKERS * ROUNDS], value_s = 0, sum = 0;
        bool out_of_memory = false, waits;
        assert_true(ranking_init(&ranking, &platform, &platform.windows[0], true, RANKING_BY_FEED));
        assert_true(groups_init(&groups, &ranking, GROUPS));
        groups_cover(&groups);
        struct optimal_lp lp = {.ranking = &ranking,
                                .groups = &groups,
                                .count = groups.count,
                                .rounds = dice_between(&dice, 1, ROUNDS),
                                .buffers = (int)dice_between(&dice, 1, 3),
                                .tasks = floor(dice_scale(&dice, 500, 50000))};
        assert_true(optimal_lp_solve(&lp, loads, &value_s, &out_of_memory));
        groups_expand(&groups, lp.count, lp.rounds, loads, expanded);
        lp.groups = NULL;
        lp.count = ranking.count;
        for (int64_t package = 0; package < lp.count * lp.rounds; package++)
            sum += expanded[package];
        assert_true(fabs(sum - lp.tasks) <= 1e-6 * lp.tasks);
        const double makespan_s = star_makespan(&lp, expanded, &waits);
        assert_true(makespan_s <= value_s * (1 + 1e-6));
        nearest = fmax(nearest, makespan_s / value_s);
        groups_release(&groups);
        ranking_release(&ranking);
        platform_release(&platform);
    }
    print_message("at most %.4f of the program's value\n", nearest);
    assert_true(nearest > 0.99);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(program_has_the_semantics_of_the_star),
        cmocka_unit_test(groups_of_one_change_nothing),
        cmocka_unit_test(columns_without_rows_cost_no_steps),
        cmocka_unit_test(groups_are_sent_in_time),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

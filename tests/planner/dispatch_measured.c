/* Rules that use the times of every worker's packages: each package has the size that follows from
 * the plain formulas over all workers, whichever workers are lost or join. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "planner/dispatch/dispatch.h"
#include "tests/cases.h"
#include "tests/checks.h"
#include "tests/planner/samples.h"

enum { WORKERS_MOST = 24, AHEAD = 2, TASKS = 20000 };

/* What the formulas must know of a worker. */
struct known {
    bool lost;
    int64_t packages;
    double tasks, mean_s, squares_s2;
    double weighted_s, weighted_tasks;
    double weight;
    double sent_s[AHEAD], ended_s;
    int64_t sent;
};

struct game {
    struct dispatch *dispatch;
    struct dice dice;
    int64_t workers, left;
    struct known known[WORKERS_MOST];
    struct package out[WORKERS_MOST * AHEAD];
    size_t out_count;
    double now_s;
    bool totals;
};

static bool all_reported(const struct game *game, int64_t packages)
{
    for (int64_t k = 0; k < game->workers; k++)
        if (!game->known[k].lost && game->known[k].packages < packages)
            return false;
    return true;
}

/* AWF: pi_i = sum_k k t_ik / sum_k k n_ik, weight_i = p (1 / pi_i) / sum_j (1 / pi_j). */
static double awf_size(struct game *game, int64_t worker)
{
    double speeds = 0;
    bool measured = all_reported(game, 1);
    for (int64_t k = 0; measured && k < game->workers; k++) {
        const struct known *known = &game->known[k];
        if (known->lost)
            continue;
        measured = known->weighted_s > 0;
        if (measured)
            speeds += known->weighted_tasks / known->weighted_s;
    }
    for (int64_t k = 0; measured && k < game->workers; k++) {
        struct known *known = &game->known[k];
        if (!known->lost)
            known->weight =
                (double)game->workers * (known->weighted_tasks / known->weighted_s) / speeds;
    }
    const double equal = (double)game->left / (2 * (double)game->workers);
    return fmax(round(equal * game->known[worker].weight), 1);
}

/* AF: D = sum_j sigma_j^2 / mu_j, E = 1 / sum_j (1 / mu_j). */
static double af_size(struct game *game, int64_t worker)
{
    const double r = (double)game->left, p = (double)game->workers;
    double d = 0, speeds = 0;
    if (!all_reported(game, 2))
        return ceil(r / (8 * p));
    for (int64_t k = 0; k < game->workers; k++) {
        const struct known *known = &game->known[k];
        if (known->lost)
            continue;
        if (!(known->mean_s > 0))
            return ceil(r / (2 * p));
        d += known->squares_s2 / (double)(known->packages - 1) / known->mean_s;
        speeds += 1 / known->mean_s;
    }
    const double e = 1 / speeds;
    const double share_s = (d + 2 * e * r - sqrt(d * d + 4 * d * e * r)) / 2;
    return fmax(round(share_s / game->known[worker].mean_s), 1);
}

static void package_learn(struct game *game, const struct package *package, double start_s,
                          double end_s)
{
    struct known *known = &game->known[package->worker];
    const double tasks = (double)package->count, per_task_s = (end_s - start_s) / tasks;
    const double before_s = per_task_s - known->mean_s;
    const double could_s = known->sent_s[known->packages % AHEAD];
    known->packages++;
    known->tasks += tasks;
    known->mean_s += before_s * tasks / known->tasks;
    known->squares_s2 += tasks * before_s * (per_task_s - known->mean_s);
    known->weighted_s += (double)known->packages *
                         (game->totals ? end_s - fmax(could_s, known->ended_s) : end_s - start_s);
    known->weighted_tasks += (double)known->packages * tasks;
    known->ended_s = end_s;
}

static void package_report(struct game *game)
{
    const size_t at = (size_t)dice_whole(&game->dice, 0, (int64_t)game->out_count - 1);
    size_t first = at;
    for (size_t k = 0; k < game->out_count; k++) /* of its worker the one that was sent first */
        if (game->out[k].worker == game->out[at].worker &&
            game->out[k].index < game->out[first].index)
            first = k;
    const struct package package = game->out[first];
    const bool quick = dice_whole(&game->dice, 0, 9) == 0;
    const double start_s = game->now_s;
    game->out[first] = game->out[--game->out_count];
    game->now_s += quick ? 0
                         : (double)package.count * dice_scale(&game->dice, 0.1, 1) *
                               (double)(1 + package.worker % 3);
    package_learn(game, &package, start_s, game->now_s);
    dispatch_done(game->dispatch, &package, start_s, game->now_s);
}

static void worker_lose(struct game *game, int64_t worker)
{
    size_t kept = 0;
    for (size_t k = 0; k < game->out_count; k++)
        if (game->out[k].worker != worker)
            game->out[kept++] = game->out[k];
    game->out_count = kept;
    game->known[worker].lost = true;
    dispatch_lost(game->dispatch, worker);
}

/* Workers from `first` on were not there at the beginning. */
static void workers_change(struct game *game, int64_t first)
{
    const int64_t worker = dice_whole(&game->dice, 1, game->workers - 1);
    struct known *known = &game->known[worker];
    if (worker >= first && known->lost && known->packages == 0) {
        known->lost = false;
        dispatch_joined(game->dispatch, worker, worker, game->now_s);
    } else if (!known->lost && dice_whole(&game->dice, 0, 3) == 0) {
        worker_lose(game, worker);
    }
}

static void package_take(struct game *game, const struct package *package, double size,
                         const char *rule, uint64_t seed)
{
    const int64_t expected = size < (double)game->left ? (int64_t)size : game->left;
    struct known *known = &game->known[package->worker];
    if (package->count != expected)
        fail_msg("%s, seed %" PRIu64 ": %" PRId64 " core tasks, not %" PRId64, rule, seed,
                 package->count, expected);
    game->left -= package->count;
    game->out[game->out_count++] = *package;
    known->sent_s[known->sent++ % AHEAD] = game->now_s;
}

static int game_simulate(struct game *game, const char *rule, uint64_t seed,
                         double (*size)(struct game *game, int64_t worker))
{
    struct package package;
    enum dispatch_answer answer;
    const int64_t first = game->workers / 2 + 1;
    int packages = 0;
    for (int64_t k = first; k < game->workers; k++)
        worker_lose(game, k);
    while ((answer = dispatch_next(game->dispatch, game->now_s, &package)) != DISPATCH_FINISHED) {
        if (answer == DISPATCH_SEND) {
            package_take(game, &package, size(game, package.worker), rule, seed);
            packages++;
        } else {
            package_report(game);
        }
        if (game->workers > 1 && dice_whole(&game->dice, 0, 15) == 0)
            workers_change(game, first);
    }
    return packages;
}

static void sizes_follow_from_what_all_workers_took(void **state)
{
    static const struct {
        const char *name;
        double (*size)(struct game *game, int64_t worker);
        bool totals;
    } rules[] = {{"awf-c", awf_size, false}, {"awf-e", awf_size, true}, {"af", af_size, false}};
    const uint64_t seeds = cases_of(400);
    (void)state;
    for (size_t k = 0; k < COUNT_OF(rules); k++) {
        int packages = 0;
        for (uint64_t seed = 1; seed <= seeds; seed++) {
            struct failure failure = FAILURE_INIT;
            struct game game = {.dice = {seed}, .left = TASKS, .totals = rules[k].totals};
            game.workers = dice_whole(&game.dice, 1, WORKERS_MOST);
            const struct dispatch_setup setup = {.rule = rules[k].name,
                                                 .tasks = TASKS,
                                                 .workers = game.workers,
                                                 .ahead = AHEAD,
                                                 .least = 1,
                                                 .most = TASKS};
            game.dispatch = dispatch_new_rule(&setup, &failure);
            assert_non_null(game.dispatch);
            for (int64_t w = 0; w < game.workers; w++)
                game.known[w].weight = 1;
            packages += game_simulate(&game, rules[k].name, seed, rules[k].size);
            dispatch_free(&game.dispatch);
        }
        print_message("%s: %d packages\n", rules[k].name, packages);
        assert_true(packages > 20 * (int)seeds);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sizes_follow_from_what_all_workers_took),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

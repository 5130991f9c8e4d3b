#include "planner/schedulers/search/local_search.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A plan that is being changed: every round is an entry of its own, with an empty one before and
 * after it, so that packages can be divided and moved to where there was none. */
struct local_search {
    struct search *search;
    struct plan plan;
    double *ends;   /* owned, scratch */
    double *work_s; /* owned; of all packages of a slot together */
    double best_s;
};

enum { PACKAGES_MOST = 2000, SWAP_WORKERS_MOST = 24 };

static void round_append(struct local_search *local, const double *loads)
{
    struct plan *plan = &local->plan;
    double *copy = malloc((size_t)plan->worker_count * sizeof *copy);
    if (copy == NULL) {
        local->search->out_of_memory = true;
        return;
    }
    memcpy(copy, loads, (size_t)plan->worker_count * sizeof *copy);
    plan->rounds[plan->round_count++] = (struct plan_round){.repeat = 1, .loads = copy};
}

static double package_work(const struct local_search *local, int64_t place, double load)
{
    return evaluator_work(local->search->evaluator, local->plan.workers[place], load);
}

static void work_sum(struct local_search *local)
{
    for (int64_t k = 0; k < local->plan.worker_count; k++) {
        local->work_s[k] = 0;
        for (size_t r = 0; r < local->plan.round_count; r++)
            local->work_s[k] += package_work(local, k, local->plan.rounds[r].loads[k]);
    }
}

/* False: the plan is too large, or out of memory. */
static bool local_search_init(struct local_search *local, struct search *search)
{
    const struct plan *best = &search->best;
    const double rounds = (double)plan_rounds_total(best);
    if (rounds * (double)best->worker_count > PACKAGES_MOST)
        return false;
    const size_t places = (size_t)best->worker_count;
    *local = (struct local_search){.search = search, .best_s = search->best_s};
    local->plan = (struct plan){.tasks = best->tasks, .worker_count = best->worker_count};
    local->plan.rounds = malloc(((size_t)rounds + 2) * sizeof *local->plan.rounds);
    local->plan.workers = malloc(places * sizeof *local->plan.workers);
    local->ends = calloc(places, sizeof *local->ends);
    local->work_s = calloc(places, sizeof *local->work_s);
    if (local->plan.rounds == NULL || local->plan.workers == NULL || local->ends == NULL ||
        local->work_s == NULL) {
        search->out_of_memory = true;
        return false;
    }
    memcpy(local->plan.workers, best->workers, places * sizeof *best->workers);
    round_append(local, local->ends);
    for (size_t r = 0; r < best->round_count; r++)
        for (int64_t k = 0; k < best->rounds[r].repeat; k++)
            round_append(local, best->rounds[r].loads);
    round_append(local, local->ends);
    if (search->out_of_memory)
        return false;
    work_sum(local);
    return true;
}

/* Is the changed plan better? Then it is kept. */
static bool local_search_accept(struct local_search *local)
{
    if (search_exhausted(local->search))
        return false;
    const double made_s =
        search_evaluate_below(local->search, &local->plan, local->work_s, local->best_s);
    if (!(made_s < local->best_s * (1 - 1e-12)))
        return false;
    local->best_s = made_s;
    return true;
}

/* A package of that plan. */
struct spot {
    int64_t place;
    double *load;
};

static void spot_set(struct local_search *local, struct spot spot, double load)
{
    local->work_s[spot.place] +=
        package_work(local, spot.place, load) - package_work(local, spot.place, *spot.load);
    *spot.load = load;
}

/* Moves `tasks` core tasks from one package to another; undone where it does not help. */
static bool move_try(struct local_search *local, struct spot from, struct spot to, double tasks)
{
    if (*from.load < tasks || from.load == to.load)
        return false;
    const double before_from = *from.load, before_to = *to.load;
    const double before_from_s = local->work_s[from.place], before_to_s = local->work_s[to.place];
    spot_set(local, from, before_from - tasks);
    spot_set(local, to, before_to + tasks);
    if (local_search_accept(local))
        return true;
    *from.load = before_from;
    *to.load = before_to;
    local->work_s[from.place] = before_from_s;
    local->work_s[to.place] = before_to_s;
    return false;
}

/* Tries to remove load from one package: all of it, half, or one core task. */
static bool package_relieve(struct local_search *local, struct spot from)
{
    bool moved = false;
    for (size_t r = 0; r < local->plan.round_count; r++)
        for (int64_t k = 0; k < local->plan.worker_count; k++) {
            const struct spot to = {k, &local->plan.rounds[r].loads[k]};
            const double *load = from.load;
            moved = move_try(local, from, to, 1) || moved;
            moved = (*load >= 4 && move_try(local, from, to, floor(*load / 2))) || moved;
            moved = (*load >= 2 && move_try(local, from, to, *load)) || moved;
            if (search_exhausted(local->search))
                return moved;
        }
    return moved;
}

/* Relieves the packages of the slot that ends last, then those sent before them. */
static bool pass_moves(struct local_search *local)
{
    struct plan *plan = &local->plan;
    int64_t last = 0;
    bool moved = false;
    search_evaluate(local->search, plan, local->ends);
    for (int64_t k = 1; k < plan->worker_count; k++)
        if (local->ends[k] > local->ends[last])
            last = k;
    for (int64_t step = 0; step < plan->worker_count && !moved; step++) {
        const int64_t place = (last + plan->worker_count - step) % plan->worker_count;
        for (size_t r = 0; r < plan->round_count; r++)
            if (plan->rounds[r].loads[place] > 0)
                moved =
                    package_relieve(local, (struct spot){place, &plan->rounds[r].loads[place]}) ||
                    moved;
    }
    return moved;
}

/* Tries other workers in a slot: packages keep their places in the order. */
static bool pass_swaps(struct local_search *local)
{
    int64_t *workers = local->plan.workers;
    bool moved = false;
    if (local->plan.worker_count > SWAP_WORKERS_MOST)
        return false;
    for (int64_t a = 0; a < local->plan.worker_count; a++)
        for (int64_t b = a + 1; b < local->plan.worker_count; b++) {
            const int64_t first = workers[a];
            workers[a] = workers[b];
            workers[b] = first;
            work_sum(local);
            if (local_search_accept(local)) {
                moved = true;
                continue;
            }
            workers[b] = workers[a];
            workers[a] = first;
            work_sum(local);
        }
    return moved;
}

void search_improve(struct search *search)
{
    struct local_search local = {.search = search};
    if (search->out_of_memory || search->best.worker_count == 0 || search->best.real_valued)
        return;
    if (local_search_init(&local, search)) {
        bool moved = true;
        while (moved && !search_exhausted(search)) {
            moved = pass_moves(&local);
            moved = pass_swaps(&local) || moved;
        }
        if (local.best_s < search->best_s)
            search_take(search, &local.plan, local.best_s);
    }
    plan_release(&local.plan);
    free(local.ends);
    free(local.work_s);
}

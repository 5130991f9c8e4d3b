#include "planner/schedulers/local_search.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A plan at work: every round stands alone, with an empty one before and after, so that packages
 * can also be split and moved to where there was none. */
struct local_search {
    struct search *search;
    struct plan plan;
    double *ends; /* owned, scratch */
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

/* False where the plan is too large, or memory ended. */
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
    if (local->plan.rounds == NULL || local->plan.workers == NULL || local->ends == NULL) {
        search->out_of_memory = true;
        return false;
    }
    memcpy(local->plan.workers, best->workers, places * sizeof *best->workers);
    round_append(local, local->ends);
    for (size_t r = 0; r < best->round_count; r++)
        for (int64_t k = 0; k < best->rounds[r].repeat; k++)
            round_append(local, best->rounds[r].loads);
    round_append(local, local->ends);
    return !search->out_of_memory;
}

/* Whether the plan as it stands is better; then it stays so. */
static bool local_search_accept(struct local_search *local)
{
    if (search_exhausted(local->search))
        return false;
    const double made_s = search_evaluate(local->search, &local->plan, NULL);
    if (!(made_s < local->best_s * (1 - 1e-12)))
        return false;
    local->best_s = made_s;
    return true;
}

/* Move `tasks` from one package to another; undone where it does not help. */
static bool move_try(struct local_search *local, double *from, double *to, double tasks)
{
    if (*from < tasks || from == to)
        return false;
    const double before_from = *from, before_to = *to;
    *from -= tasks;
    *to += tasks;
    if (local_search_accept(local))
        return true;
    *from = before_from;
    *to = before_to;
    return false;
}

/* All ways of taking load off one package, whole, half, or one task. */
static bool package_relieve(struct local_search *local, double *from)
{
    bool moved = false;
    for (size_t r = 0; r < local->plan.round_count; r++)
        for (int64_t k = 0; k < local->plan.worker_count; k++) {
            double *to = &local->plan.rounds[r].loads[k];
            moved = move_try(local, from, to, 1) || moved;
            moved = (*from >= 4 && move_try(local, from, to, floor(*from / 2))) || moved;
            moved = (*from >= 2 && move_try(local, from, to, *from)) || moved;
            if (search_exhausted(local->search))
                return moved;
        }
    return moved;
}

/* The place that ends last decides; relieve its packages, then those before it in the queue. */
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
                moved = package_relieve(local, &plan->rounds[r].loads[place]) || moved;
    }
    return moved;
}

/* Another worker in the same place of the order: its packages stay where they are. */
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
            if (local_search_accept(local)) {
                moved = true;
                continue;
            }
            workers[b] = workers[a];
            workers[a] = first;
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
}

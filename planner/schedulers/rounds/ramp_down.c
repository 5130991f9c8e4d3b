#include "planner/schedulers/rounds/ramp_down.h"

#include <stdlib.h>

#include "planner/schedulers/rounds/umr2.h"
#include "planner/schedulers/search/discretise.h"

enum { REPLACED_MOST = 3, ADDED_MOST = 3 };

static bool incumbent_follows(const struct search *search, const struct ranking *ranking)
{
    const struct plan *best = &search->best;
    if (best->worker_count < 1 || best->worker_count > ranking->count)
        return false;
    for (int64_t i = 0; i < best->worker_count; i++)
        if (best->workers[i] != ranking->workers[i].id)
            return false;
    return true;
}

/* How many repetitions of entry `at` stay when the plan's last `rounds` rounds are removed. */
static int64_t repeat_kept(const struct plan *plan, size_t at, int64_t rounds)
{
    for (size_t r = plan->round_count - 1; r > at && rounds > 0; r--)
        rounds -= plan->rounds[r].repeat;
    if (rounds <= 0)
        return plan->rounds[at].repeat;
    return plan->rounds[at].repeat > rounds ? plan->rounds[at].repeat - rounds : 0;
}

/* Copies the incumbent without its last `rounds` rounds; returns how many core tasks these have. */
static double head_copy(struct search *search, struct plan *copy, int64_t rounds)
{
    const struct plan *best = &search->best;
    double tasks = 0;
    for (size_t r = 0; r < best->round_count; r++) {
        const int64_t kept = repeat_kept(best, r, rounds);
        candidate_round(search, copy, kept, best->rounds[r].loads);
        tasks += (double)(best->rounds[r].repeat - kept) *
                 loads_sum(best->rounds[r].loads, best->worker_count);
    }
    return tasks;
}

/* Appends the ramp's rounds, the larger end first: rounds of UMR2 grow where the port has time
 * left. */
static void ramp_append(struct search *search, struct plan *copy, const double *loads,
                        int64_t rounds)
{
    const int64_t count = copy->worker_count;
    const bool grows = loads_sum(loads, count) < loads_sum(loads + (rounds - 1) * count, count);
    for (int64_t r = 0; r < rounds; r++)
        candidate_round(search, copy, 1, loads + (grows ? rounds - 1 - r : r) * count);
}

/* Tries `rounds` rounds in place of the incumbent's last `replaced` ones. */
static void ramp_try(struct search *search, const struct ranking *ranking, int64_t replaced,
                     int64_t rounds)
{
    const int64_t count = search->best.worker_count;
    struct plan copy;
    double *loads = malloc((size_t)(rounds * count) * sizeof *loads);
    candidate_open(search, &copy, ranking, count);
    search->out_of_memory = search->out_of_memory || loads == NULL;
    const double tasks = search->out_of_memory ? 0 : head_copy(search, &copy, replaced);
    if (tasks > 0 && umr2_fill(ranking, count, rounds, tasks, loads) &&
        discretise(ranking, loads, rounds * count, tasks, &search->out_of_memory)) {
        ramp_append(search, &copy, loads, rounds);
        search_offer(search, &copy);
    }
    plan_release(&copy);
    free(loads);
}

void search_ramp_down(struct search *search, const struct ranking *ranking)
{
    for (int64_t replaced = 1; replaced <= REPLACED_MOST; replaced++)
        for (int64_t rounds = replaced; rounds <= replaced + ADDED_MOST; rounds++)
            if (!search_exhausted(search) && incumbent_follows(search, ranking))
                ramp_try(search, ranking, replaced, rounds);
}

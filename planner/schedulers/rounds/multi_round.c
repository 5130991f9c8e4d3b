#include "planner/schedulers/rounds/multi_round.h"

#include <math.h>
#include <stdlib.h>

#include "planner/schedulers/search/discretise.h"
#include "planner/schedulers/search/level.h"

/* How many loads a candidate may have: rounds times workers. All of them may differ, and with more
 * of them a plan's file would exceed a megabyte. */
enum { LOADS_MOST = 80000 };
/* Units of effort to find and round one load. */
enum { LOAD_EFFORT = 2 };

struct pair_search {
    struct search *search;
    const struct ranking *ranking;
    const struct multi_round *family;
};

/* How many workers of the ranking the port can keep busy forever: the greatest i with sum_{j <= i}
 * h_j / (r + w)_j <= 1, at least 1. */
static int64_t workers_fed(const struct ranking *ranking)
{
    double share = 0;
    int64_t fed = 0;
    while (fed < ranking->count) {
        const struct ranked_worker *worker = &ranking->workers[fed];
        share += worker->feed.s_per_task / rate_of(worker->work);
        if (share > 1 + 1e-12)
            break;
        fed++;
    }
    return fed > 0 ? fed : 1;
}

/* Can so many packages contain the core tasks, and is there effort left to try them? */
static bool pair_fits(const struct pair_search *pairs, int64_t count, int64_t rounds)
{
    const double packages = (double)rounds * (double)count;
    return rounds >= 1 && rounds <= pairs->family->rounds_most && packages <= LOADS_MOST &&
           packages * pairs->ranking->greatest >= pairs->search->request->tasks &&
           !search_exhausted(pairs->search);
}

/* Tries one pair of workers and rounds; true: it becomes the incumbent. */
static bool pair_try(const struct pair_search *pairs, int64_t count, int64_t rounds)
{
    const double tasks = pairs->search->request->tasks;
    struct plan candidate;
    bool accepted = false;
    if (!pair_fits(pairs, count, rounds))
        return false;
    effort_use(pairs->search->request->effort, LOAD_EFFORT * (double)(rounds * count));
    double *loads = malloc((size_t)(rounds * count) * sizeof *loads);
    if (loads == NULL) {
        pairs->search->out_of_memory = true;
        return false;
    }
    if (pairs->family->fill(pairs->ranking, count, rounds, tasks, loads) &&
        discretise(pairs->ranking, loads, rounds * count, tasks, &pairs->search->out_of_memory)) {
        candidate_open(pairs->search, &candidate, pairs->ranking, count);
        for (int64_t r = 0; r < rounds; r++)
            candidate_round(pairs->search, &candidate, 1, loads + r * count);
        accepted = search_offer(pairs->search, &candidate);
    }
    free(loads);
    return accepted;
}

/* Goes on from the guess as long as it helps, in steps that are halved. */
static void rounds_climb(const struct pair_search *pairs, int64_t count)
{
    const double most = (double)pairs->family->rounds_most;
    const double tasks = pairs->search->request->tasks;
    const double fewest = ceil(tasks / ((double)count * pairs->ranking->greatest));
    const double guess = pairs->family->guess(pairs->ranking, count, tasks);
    int64_t best = (int64_t)fmin(fmax(floor(guess), fewest), most);
    pair_try(pairs, count, best);
    if (pair_try(pairs, count, best + 1))
        best++;
    for (int64_t step = best / 2 > 1 ? best / 2 : 1; step >= 1; step /= 2) {
        while (pair_try(pairs, count, best + step))
            best += step;
        while (pair_try(pairs, count, best - step))
            best -= step;
    }
}

/* Can so few workers be better than the incumbent at all? */
static bool count_promises(const struct search *search, const struct ranking *ranking,
                           int64_t count)
{
    double speed = 0;
    for (int64_t i = 0; i < count; i++)
        speed += 1 / rate_of(ranking->workers[i].work);
    return search->request->tasks / speed < search->best_s;
}

/* Searches with the ranking's first workers, and levels the result. */
static void count_try(const struct pair_search *pairs, int64_t count)
{
    struct search *search = pairs->search;
    if (!count_promises(search, pairs->ranking, count) || search_exhausted(search))
        return;
    struct search fork = search_fork(search);
    const struct pair_search own = {&fork, pairs->ranking, pairs->family};
    rounds_climb(&own, count);
    search_level(&fork, pairs->ranking);
    search_join(search, &fork);
}

/* Tries every number up to EVERY_MOST, and beyond it numbers that do not depend on how many workers
 * there are, so that more workers only add candidates. */
static void counts_try(const struct pair_search *pairs)
{
    enum { EVERY_MOST = 64 };
    const int64_t all = pairs->ranking->count < LOADS_MOST ? pairs->ranking->count : LOADS_MOST;
    const int64_t fed = workers_fed(pairs->ranking) < all ? workers_fed(pairs->ranking) : all;
    const int64_t most = pairs->family->fed_only ? fed : all;
    count_try(pairs, most);
    if (pairs->family->rounds_most == 1)
        return;
    count_try(pairs, fed);
    if (fed + 1 <= most)
        count_try(pairs, fed + 1);
    for (int64_t count = 1; count < most; count += 1 + count / EVERY_MOST)
        count_try(pairs, count);
}

static bool visit_ranking(struct search *search, struct ranking *ranking, void *context)
{
    const struct multi_round *const *family = context;
    counts_try(&(struct pair_search){search, ranking, *family});
    return false;
}

bool multi_round_make(const struct schedule_request *request, const struct multi_round *family,
                      struct plan *plan, struct failure *failure)
{
    struct search search;
    if (!search_init(&search, request, failure))
        return false;
    search_visit(&search, family->orders, visit_ranking, &family);
    return search_finish(&search, family->reason, plan, failure);
}

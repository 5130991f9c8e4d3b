#include "planner/schedulers/scow/steady.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "planner/schedulers/scow/last_round.h"
#include "planner/schedulers/search/discretise.h"
#include "planner/schedulers/search/period.h"

bool steady_open(struct steady *steady, struct search *search, const struct ranking *ranking)
{
    const size_t count = (size_t)ranking->count;
    double *block = calloc(7 * count, sizeof *block);
    if (block == NULL) {
        search->out_of_memory = true;
        return false;
    }
    *steady = (struct steady){.search = search,
                              .ranking = ranking,
                              .tasks = search->request->tasks,
                              .loads = block,
                              .plain = block + count,
                              .delays = block + 2 * count,
                              .round = block + 3 * count,
                              .auxiliary = block + 4 * count,
                              .won = {.plain = block + 5 * count, .delays = block + 6 * count}};
    return true;
}

void steady_close(struct steady *steady)
{
    free(steady->loads);
    steady->loads = NULL;
}

static bool place_used(const struct steady *steady, int64_t place)
{
    bool used =
        steady->plain[place] > 0 || steady->round[place] > 0 || steady->auxiliary[place] > 0;
    for (int64_t r = 0; r < steady->ramp_rounds && !used; r++)
        used = steady->ramp[r * steady->ranking->count + place] > 0;
    return used;
}

/* The number of slots of a candidate: all up to the last one that gets core tasks. */
static int64_t places_used(const struct steady *steady)
{
    int64_t used = steady->ranking->count;
    while (used > 1 && !place_used(steady, used - 1))
        used--;
    return used;
}

/* Notes how the incumbent's last round was made. */
static void won_keep(struct steady *steady, const struct last_round *last, size_t before)
{
    struct steady_won *won = &steady->won;
    const int64_t count = steady->ranking->count;
    memcpy(won->plain, steady->plain, (size_t)count * sizeof *won->plain);
    memcpy(won->delays, steady->delays, (size_t)count * sizeof *won->delays);
    won->makespan_s = steady->search->best_s;
    won->total = last->total;
    won->rounds = last->rounds;
    won->steps = last->steps;
    won->before = before;
    won->twice = 0;
    for (int64_t i = 0; i < count; i++)
        won->twice = steady->auxiliary[i] > 0 ? i + 1 : won->twice;
}

/* Tries the incumbent with another last round; true: that becomes the incumbent. */
static bool offer_last_round(struct steady *steady, int64_t twice)
{
    struct search *search = steady->search;
    const struct plan *best = &search->best;
    const struct last_round last = {.loads = steady->won.plain,
                                    .delays = steady->won.delays,
                                    .total = steady->won.total,
                                    .rounds = steady->won.rounds,
                                    .steps = steady->won.steps,
                                    .most = twice};
    struct plan candidate;
    if (search_exhausted(search) || !last_round_make(steady->ranking, &last, steady->round,
                                                     steady->auxiliary, &search->out_of_memory))
        return false;
    for (int64_t i = best->worker_count; i < steady->ranking->count; i++)
        if (steady->round[i] > 0)
            return false;
    candidate_open(search, &candidate, steady->ranking, best->worker_count);
    for (size_t r = 0; r < steady->won.before; r++)
        candidate_round(search, &candidate, best->rounds[r].repeat, best->rounds[r].loads);
    candidate_round(search, &candidate, 1, steady->round);
    candidate_round(search, &candidate, 1, steady->auxiliary);
    return search_offer(search, &candidate);
}

void steady_offer_last_rounds(struct steady *steady)
{
    enum { STEPS = 32 };
    const int64_t most = steady->won.twice;
    int64_t step = most / STEPS + 1, best = most;
    if (!(steady->won.makespan_s > 0) || steady->won.makespan_s > steady->search->best_s)
        return;
    for (int64_t twice = most; twice > 0;) {
        twice = twice > step ? twice - step : 0;
        if (offer_last_round(steady, twice))
            best = twice;
    }
    for (step /= 2; step >= 1; step /= 2) {
        const int64_t middle = best;
        if (middle >= step && offer_last_round(steady, middle - step))
            best = middle - step;
        if (middle + step < most && offer_last_round(steady, middle + step))
            best = middle + step;
    }
}

/* Offers `rounds` rounds of steady->plain, and the last round with what remains. */
static void offer_spaced(struct steady *steady, double rounds, double sum, int steps)
{
    const struct last_round last = {.loads = steady->plain,
                                    .delays = steady->delays,
                                    .total = steady->tasks - rounds * sum,
                                    .rounds = rounds,
                                    .steps = steps,
                                    .most = INT64_MAX};
    struct plan candidate;
    if (!(last.total > 0) || !last_round_make(steady->ranking, &last, steady->round,
                                              steady->auxiliary, &steady->search->out_of_memory))
        return;
    candidate_open(steady->search, &candidate, steady->ranking, places_used(steady));
    for (int64_t r = 0; r < steady->ramp_rounds; r++)
        candidate_round(steady->search, &candidate, 1, steady->ramp + r * steady->ranking->count);
    candidate_round(steady->search, &candidate, (int64_t)rounds, steady->plain);
    const size_t before = candidate.round_count;
    candidate_round(steady->search, &candidate, 1, steady->round);
    candidate_round(steady->search, &candidate, 1, steady->auxiliary);
    if (search_offer(steady->search, &candidate))
        won_keep(steady, &last, before);
}

/* Do the times of returning results depend on loads? */
static bool returns_by_load(const struct ranking *ranking)
{
    bool by_load = false;
    for (int64_t i = 0; i < ranking->count; i++)
        by_load = by_load || ranking->workers[i].result.s_per_task > 0;
    return results_return(ranking->results) && by_load;
}

/* Offers plans with last rounds by the results of ordinary loads, and by those of the last
 * packages. */
static void offer_rounds(struct steady *steady, double rounds, double sum)
{
    offer_spaced(steady, rounds, sum, 0);
    if (returns_by_load(steady->ranking))
        offer_spaced(steady, rounds, sum, LAST_ROUND_STEPS);
}

/* D_i = h_i(Y_i); in the published tables a partial worker counts like a full one (5.16). */
static void delays_fill(struct steady *steady, double period_s)
{
    for (int64_t i = 0; i < steady->ranking->count; i++) {
        const struct ranked_worker *worker = &steady->ranking->workers[i];
        const double load = steady->ranking->real_valued && steady->plain[i] > 0
                                ? period_load(worker, period_s, steady->ranking->greatest)
                                : steady->plain[i];
        steady->delays[i] = cost_of(worker->feed, load);
    }
}

void steady_offer_whole(struct steady *steady, double period_s)
{
    const double sum = loads_sum(steady->plain, steady->ranking->count);
    if (!(sum > 0))
        return;
    delays_fill(steady, period_s);
    const double most = floor(steady->tasks / sum);
    if (most >= 1)
        offer_rounds(steady, most - 1, sum);
    offer_rounds(steady, most, sum);
}

void steady_offer(struct steady *steady, double period_s, double rounds)
{
    const bool real_valued = steady->ranking->real_valued;
    const double real = steady->tasks / rounds;
    const double sum = real_valued ? real : fmax(round(real), steady->ranking->least);
    memcpy(steady->plain, steady->loads, (size_t)steady->ranking->count * sizeof *steady->loads);
    if (!discretise(steady->ranking, steady->plain, steady->ranking->count, sum,
                    &steady->search->out_of_memory))
        return;
    if (!real_valued) {
        steady_offer_whole(steady, period_s);
        return;
    }
    delays_fill(steady, period_s);
    offer_rounds(steady, rounds - 1, sum);
}

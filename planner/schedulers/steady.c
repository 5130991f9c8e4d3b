#include "planner/schedulers/steady.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "planner/schedulers/discretise.h"
#include "planner/schedulers/last_round.h"
#include "planner/schedulers/period.h"

bool steady_open(struct steady *steady, struct contest *contest, const struct lineup *lineup)
{
    const size_t count = (size_t)lineup->count;
    double *block = calloc(5 * count, sizeof *block);
    if (block == NULL) {
        contest->starved = true;
        return false;
    }
    *steady = (struct steady){.contest = contest,
                              .lineup = lineup,
                              .tasks = contest->request->tasks,
                              .loads = block,
                              .plain = block + count,
                              .delays = block + 2 * count,
                              .round = block + 3 * count,
                              .auxiliary = block + 4 * count};
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
        used = steady->ramp[r * steady->lineup->count + place] > 0;
    return used;
}

/* Workers that a candidate names: all up to the last one that gets anything. */
static int64_t places_used(const struct steady *steady)
{
    int64_t used = steady->lineup->count;
    while (used > 1 && !place_used(steady, used - 1))
        used--;
    return used;
}

/* `rounds` rounds of steady->plain, then the last one with what remains. */
static bool offer_rounds(struct steady *steady, double rounds, double sum)
{
    const struct last_round last = {
        .loads = steady->plain, .delays = steady->delays, .total = steady->tasks - rounds * sum};
    struct plan candidate;
    if (!(last.total > 0) || !last_round_make(steady->lineup, &last, steady->round,
                                              steady->auxiliary, &steady->contest->starved))
        return false;
    candidate_open(steady->contest, &candidate, steady->lineup, places_used(steady));
    for (int64_t r = 0; r < steady->ramp_rounds; r++)
        candidate_round(steady->contest, &candidate, 1, steady->ramp + r * steady->lineup->count);
    candidate_round(steady->contest, &candidate, (int64_t)rounds, steady->plain);
    candidate_round(steady->contest, &candidate, 1, steady->round);
    candidate_round(steady->contest, &candidate, 1, steady->auxiliary);
    return contest_offer(steady->contest, &candidate);
}

/* D_i = h_i(Y_i); in the published tables a partial worker counts as a full one (5.16). */
static void delays_fill(struct steady *steady, double period_s)
{
    for (int64_t i = 0; i < steady->lineup->count; i++) {
        const struct lineup_worker *worker = &steady->lineup->workers[i];
        const double load = steady->lineup->real_valued && steady->plain[i] > 0
                                ? period_load(worker, period_s, steady->lineup->greatest)
                                : steady->plain[i];
        steady->delays[i] = cost_of(worker->feed, load);
    }
}

void steady_offer_whole(struct steady *steady, double period_s)
{
    const double sum = loads_sum(steady->plain, steady->lineup->count);
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
    const bool real_valued = steady->lineup->real_valued;
    const double real = steady->tasks / rounds;
    const double sum = real_valued ? real : fmax(round(real), steady->lineup->least);
    memcpy(steady->plain, steady->loads, (size_t)steady->lineup->count * sizeof *steady->loads);
    if (!discretise(steady->lineup, steady->plain, steady->lineup->count, sum,
                    &steady->contest->starved))
        return;
    if (!real_valued) {
        steady_offer_whole(steady, period_s);
        return;
    }
    delays_fill(steady, period_s);
    offer_rounds(steady, rounds - 1, sum);
}

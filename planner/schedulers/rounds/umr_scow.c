/*
 * UMR-SCOW: a ramp of uniform multi-round chunks until a round lasts one SCOW period, then SCOW
 * with its last round. De la Torre, section 6.4, leaves the switch-over open: here every length of
 * the ramp and several periods are evaluated. At the end, a ramp down of UMR2 takes the place of
 * the last rounds where that is better.
 *
 * The ramp runs backwards from the period's tasks R: R_{j-1} = (R_j - mu) / theta (umr.h).
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "planner/schedulers/rounds/ramp_down.h"
#include "planner/schedulers/rounds/rounds_schedulers.h"
#include "planner/schedulers/rounds/umr.h"
#include "planner/schedulers/scow/scow.h"
#include "planner/schedulers/scow/steady.h"
#include "planner/schedulers/search/discretise.h"
#include "planner/schedulers/search/level.h"

enum { RAMP_MOST = 12, PERIODS = 3 };

struct ramp {
    double *loads; /* owned; RAMP_MOST x workers, the first round last: filled backwards */
    int64_t rounds;
    double tasks;
};

/* Adds a round before the ramp; false: it does not fit. `tasks` stay whole numbers. */
static bool ramp_extend(struct ramp *ramp, const struct umr *umr, double round_tasks,
                        bool *out_of_memory)
{
    const struct ranking *ranking = umr->ranking;
    double *loads = ramp->loads + (RAMP_MOST - 1 - ramp->rounds) * ranking->count;
    if (ramp->rounds == RAMP_MOST || !(round_tasks > 0))
        return false;
    memset(loads, 0, (size_t)ranking->count * sizeof *loads);
    for (int64_t i = 0; i < umr->count; i++) {
        loads[i] = umr_load(umr, i, round_tasks);
        if (loads[i] < ranking_least(ranking) || loads[i] > ranking->greatest)
            return false;
    }
    const double sum = ranking->real_valued ? round_tasks : round(round_tasks);
    if (!discretise(ranking, loads, umr->count, sum, out_of_memory))
        return false;
    ramp->rounds++;
    ramp->tasks += sum;
    return true;
}

/* Offers plans with one period and ramps of every length. */
static void ramps_offer(struct steady *steady, struct ramp *ramp, double period_s)
{
    const struct ranking *ranking = steady->ranking;
    const double all = steady->search->request->tasks;
    struct umr umr;
    const double period_tasks = loads_sum(steady->loads, ranking->count);
    double full_tasks = 0;
    int64_t full = 0;
    while (full < ranking->count && steady->loads[full] > 0 &&
           cost_of(ranking->workers[full].work, steady->loads[full]) >= 0.999 * period_s)
        full_tasks += steady->loads[full++];
    if (full == 0)
        return;
    umr_init(&umr, ranking, full);
    ramp->rounds = 0;
    ramp->tasks = 0;
    double round_tasks = full_tasks;
    do {
        steady->ramp = ramp->loads + (RAMP_MOST - ramp->rounds) * ranking->count;
        steady->ramp_rounds = ramp->rounds;
        steady->tasks = all - ramp->tasks;
        if (!(steady->tasks > 0) || search_exhausted(steady->search))
            break;
        steady_offer(steady, period_s, fmax(round(steady->tasks / period_tasks), 1));
        round_tasks = (round_tasks - umr.mu) / umr.theta;
    } while (round_tasks < full_tasks &&
             ramp_extend(ramp, &umr, round_tasks, &steady->search->out_of_memory));
    steady->ramp_rounds = 0;
    steady->tasks = all;
}

/* Tries the periods that SCOW alone would use, and longer and shorter ones, because a ramp changes
 * what a long first round costs. */
static void ranking_search(struct search *search, const struct ranking *ranking)
{
    static const double factors[] = {1, 0.5, 0.75, 1.5, 2};
    struct steady steady;
    struct period best[PERIODS];
    scow_search(search, ranking, PERIOD_PRODUCTION); /* a ramp of no rounds */
    if (search->out_of_memory || !steady_open(&steady, search, ranking))
        return;
    struct ramp ramp = {.loads = malloc(RAMP_MOST * (size_t)ranking->count * sizeof *ramp.loads)};
    search->out_of_memory = search->out_of_memory || ramp.loads == NULL;
    const int count = period_list(ranking, steady.tasks, PERIOD_PRODUCTION, best, PERIODS);
    for (size_t f = 0; f < sizeof factors / sizeof factors[0]; f++)
        for (int k = 0; k < count && !search_exhausted(search); k++) {
            const double rounds = fmax(round(best[k].rounds * factors[f]), 1);
            double period_s;
            if (period_for_production(ranking, steady.tasks / rounds, &period_s, steady.loads))
                ramps_offer(&steady, &ramp, period_s);
        }
    steady_offer_last_rounds(&steady);
    search_level(search, ranking);
    free(ramp.loads);
    steady_close(&steady);
}

static bool visit_ranking(struct search *search, struct ranking *ranking, void *context)
{
    struct search fork = search_fork(search);
    (void)context;
    ranking_search(&fork, ranking);
    search_join(search, &fork);
    return false;
}

static bool visit_incumbent(struct search *search, struct ranking *ranking, void *context)
{
    (void)context;
    search_ramp_down(search, ranking);
    return false;
}

bool umr_scow_make(const struct schedule_request *request, struct plan *plan,
                   struct failure *failure)
{
    struct search search;
    if (!search_init(&search, request, failure))
        return false;
    search_visit(&search, RANKING_EVERY_ORDER, visit_ranking, NULL);
    /* Only with the incumbent that is found at the end, so that the effort of ramps down cannot
     * cost a better plan. */
    search_visit(&search, RANKING_EVERY_ORDER, visit_incumbent, NULL);
    return search_finish(
        &search, "packages within the profile's windows cannot add up to the tasks", plan, failure);
}

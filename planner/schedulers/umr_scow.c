/*
 * UMR-SCOW: a ramp of uniform multi-round chunks until a round lasts one SCOW period, then SCOW
 * with its last round. De la Torre, section 6.4, leaves the switch-over open: here every length of
 * the ramp and several periods are rehearsed. At the end, a ramp down of UMR2 takes the place of
 * the last rounds where that is rehearsed to be better.
 *
 * The ramp runs backwards from the period's tasks R: R_{j-1} = (R_j - mu) / theta (umr.h).
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "planner/schedulers/discretise.h"
#include "planner/schedulers/level.h"
#include "planner/schedulers/ramp_down.h"
#include "planner/schedulers/schedulers.h"
#include "planner/schedulers/scow.h"
#include "planner/schedulers/steady.h"
#include "planner/schedulers/umr.h"

enum { RAMP_MOST = 12, PERIODS = 3 };

struct ramp {
    double *loads; /* owned; RAMP_MOST x workers, the first round last: filled backwards */
    int64_t rounds;
    double tasks;
};

/* Whether one more round before fits; the ramp keeps `tasks` whole. */
static bool ramp_extend(struct ramp *ramp, const struct umr *umr, double round_tasks, bool *starved)
{
    const struct lineup *lineup = umr->lineup;
    double *loads = ramp->loads + (RAMP_MOST - 1 - ramp->rounds) * lineup->count;
    if (ramp->rounds == RAMP_MOST || !(round_tasks > 0))
        return false;
    memset(loads, 0, (size_t)lineup->count * sizeof *loads);
    for (int64_t i = 0; i < umr->count; i++) {
        loads[i] = umr_load(umr, i, round_tasks);
        if (loads[i] < lineup_least(lineup) || loads[i] > lineup->greatest)
            return false;
    }
    const double sum = lineup->real_valued ? round_tasks : round(round_tasks);
    if (!discretise(lineup, loads, umr->count, sum, starved))
        return false;
    ramp->rounds++;
    ramp->tasks += sum;
    return true;
}

/* One period with ramps of every length. */
static void ramps_offer(struct steady *steady, struct ramp *ramp, double period_s)
{
    const struct lineup *lineup = steady->lineup;
    const double all = steady->contest->request->tasks;
    struct umr umr;
    const double period_tasks = loads_sum(steady->loads, lineup->count);
    double full_tasks = 0;
    int64_t full = 0;
    while (full < lineup->count && steady->loads[full] > 0 &&
           cost_of(lineup->workers[full].work, steady->loads[full]) >= 0.999 * period_s)
        full_tasks += steady->loads[full++];
    if (full == 0)
        return;
    umr_init(&umr, lineup, full);
    ramp->rounds = 0;
    ramp->tasks = 0;
    double round_tasks = full_tasks;
    do {
        steady->ramp = ramp->loads + (RAMP_MOST - ramp->rounds) * lineup->count;
        steady->ramp_rounds = ramp->rounds;
        steady->tasks = all - ramp->tasks;
        if (!(steady->tasks > 0) || contest_over(steady->contest))
            break;
        steady_offer(steady, period_s, fmax(round(steady->tasks / period_tasks), 1));
        round_tasks = (round_tasks - umr.mu) / umr.theta;
    } while (round_tasks < full_tasks &&
             ramp_extend(ramp, &umr, round_tasks, &steady->contest->starved));
    steady->ramp_rounds = 0;
    steady->tasks = all;
}

/* The periods that SCOW alone would take, and longer and shorter ones: a ramp changes what a long
 * first round costs. */
static bool visit_lineup(struct contest *contest, struct lineup *lineup, void *context)
{
    static const double factors[] = {1, 0.5, 0.75, 1.5, 2};
    struct steady steady;
    struct period best[PERIODS];
    (void)context;
    scow_search(contest, lineup, PERIOD_PRODUCTION); /* a ramp of no rounds */
    if (contest->starved || !steady_open(&steady, contest, lineup))
        return true;
    struct ramp ramp = {.loads = malloc(RAMP_MOST * (size_t)lineup->count * sizeof *ramp.loads)};
    contest->starved = contest->starved || ramp.loads == NULL;
    const int count = period_list(lineup, steady.tasks, PERIOD_PRODUCTION, best, PERIODS);
    for (size_t f = 0; f < sizeof factors / sizeof factors[0]; f++)
        for (int k = 0; k < count && !contest_over(contest); k++) {
            const double rounds = fmax(round(best[k].rounds * factors[f]), 1);
            double period_s;
            if (period_for_production(lineup, steady.tasks / rounds, &period_s, steady.loads))
                ramps_offer(&steady, &ramp, period_s);
        }
    contest_level(contest, lineup);
    free(ramp.loads);
    steady_close(&steady);
    return false;
}

static bool visit_leader(struct contest *contest, struct lineup *lineup, void *context)
{
    (void)context;
    contest_ramp_down(contest, lineup);
    return false;
}

bool umr_scow_make(const struct schedule_request *request, struct plan *plan,
                   struct failure *failure)
{
    struct contest contest;
    if (!contest_init(&contest, request, failure))
        return false;
    contest_visit(&contest, LINEUP_EVERY_ORDER, visit_lineup, NULL);
    /* Only once the leader is known: so what a ramp down costs can never cost a better plan. */
    contest_visit(&contest, LINEUP_EVERY_ORDER, visit_leader, NULL);
    return contest_finish(&contest, "umr-scow",
                          "no package size of the profile's windows adds up to the tasks", plan,
                          failure);
}

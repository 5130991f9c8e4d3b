#include "planner/schedulers/scow.h"

#include <math.h>

#include "planner/schedulers/cover.h"
#include "planner/schedulers/level.h"
#include "planner/schedulers/scow_exact.h"
#include "planner/schedulers/steady.h"

/* One lineup's search. */
struct search {
    struct steady steady;
    enum period_goal goal;
};

/* Y^E: every full load down or up to the next whole one, the partial one by what the port has
 * left (5.58 to 5.62). Beyond a few hundred tasks the difference is lost in the noise. */
static void offer_steps(struct search *search)
{
    enum { LOAD_MOST = 256 };
    const struct lineup *lineup = search->steady.lineup;
    if (search->steady.loads[0] > LOAD_MOST)
        return;
    for (int up = 0; up < 2; up++) {
        const double load = floor(search->steady.loads[0]) + up;
        if (load < lineup->least || load > lineup->greatest)
            continue;
        const double period_s = cost_of(lineup->workers[0].work, load) * (1 + 1e-12);
        period_production(lineup, period_s, search->steady.plain);
        for (int64_t i = 0; i < lineup->count; i++) {
            search->steady.plain[i] = floor(search->steady.plain[i]);
            if (search->steady.plain[i] < lineup->least ||
                (search->goal == PERIOD_UTILIZATION && !(search->steady.loads[i] > 0)))
                search->steady.plain[i] = 0;
        }
        steady_offer_whole(&search->steady, period_s);
    }
}

/* The loads of one period for X / N tasks; false where there are none. */
static bool loads_make(struct search *search, const struct period *period, double *period_s)
{
    const double tasks = search->steady.tasks / period->rounds;
    return search->goal == PERIOD_PRODUCTION
               ? period_for_production(search->steady.lineup, tasks, period_s, search->steady.loads)
               : period_for_perfect(search->steady.lineup, period->full, tasks, period_s,
                                    search->steady.loads);
}

/* All candidates of N rounds; whether one of them leads. */
static bool try_period(struct search *search, const struct period *period)
{
    const double before_s = search->steady.contest->best_s;
    double period_s;
    if (contest_over(search->steady.contest) || !loads_make(search, period, &period_s))
        return false;
    steady_offer(&search->steady, period_s, period->rounds);
    if (!search->steady.lineup->real_valued)
        offer_steps(search);
    return search->steady.contest->best_s < before_s;
}

/* Another choice of workers may produce more in the same period than the greedy one does, above
 * all in short periods (14 % on some platforms). */
static void try_exact(struct search *search, const struct period *period)
{
    enum { WORKERS_MOST = 128 };
    struct steady *steady = &search->steady;
    double period_s;
    bool proven;
    if (steady->lineup->equal || steady->lineup->count > WORKERS_MOST ||
        search->goal != PERIOD_PRODUCTION || contest_over(steady->contest) ||
        !loads_make(search, period, &period_s))
        return;
    const double greedy = steady->tasks / period->rounds;
    const double made = scow_exact_production(steady->lineup, period_s, steady->loads, &proven);
    if (made < 0)
        steady->contest->starved = true;
    if (made > greedy * (1 + 1e-6))
        steady_offer(steady, period_s, fmax(round(steady->tasks / made), 1));
}

/* Walk N up and down from the leader's as long as that wins, in ever smaller steps: the continuous
 * model leaves out what buffers, whole tasks and the last round do to N. */
static void climb_rounds(struct search *search, struct period best)
{
    for (int64_t step = (int64_t)fmax(best.rounds / 4, 1); step >= 1; step /= 2)
        for (int sign = -1; sign <= 1; sign += 2) {
            struct period next = best;
            for (;;) {
                next.rounds = fmax(best.rounds + (double)(sign * step), 1);
                if (next.rounds >= best.rounds && sign < 0) /* there is no fewer than one */
                    break;
                if (next.rounds > search->steady.tasks || !try_period(search, &next))
                    break;
                best = next;
            }
        }
}

/* Periods in which some worker just works off the window's greatest package: where that is less
 * than the loads of the formulas, the best period is among them. */
static void try_caps(struct search *search, double period_s, struct period *leader)
{
    enum { CAPS = 6 };
    const struct lineup *lineup = search->steady.lineup;
    for (int64_t k = 0; k < CAPS; k++) {
        const struct cost work = lineup->workers[k * (lineup->count - 1) / (CAPS - 1)].work;
        const double cap_s = cost_of(work, lineup->greatest);
        const double made =
            cap_s < period_s ? period_production(lineup, cap_s, search->steady.loads) : 0;
        if (!(made > 0))
            continue;
        const struct period capped = {.full = lineup->count,
                                      .rounds = ceil(search->steady.tasks / made)};
        if (try_period(search, &capped))
            *leader = capped;
        if (lineup->equal)
            return;
    }
}

void scow_search(struct contest *contest, const struct lineup *lineup, enum period_goal goal)
{
    enum { PERIODS = 6 };
    struct period best[PERIODS], leader = {.rounds = 0};
    struct search search = {.goal = goal};
    if (!steady_open(&search.steady, contest, lineup))
        return;
    const int count = period_list(lineup, contest->request->tasks, goal, best, PERIODS);
    for (int k = 0; k < count; k++) {
        if (try_period(&search, &best[k]))
            leader = best[k];
        try_exact(&search, &best[k]);
        if (k == 0)
            try_caps(&search, best[k].period_s, &leader);
    }
    /* Too little work for a steady state is done in one round. */
    const struct period once = {.full = lineup->count, .rounds = 1};
    if (try_period(&search, &once))
        leader = once;
    if (leader.rounds > 0 && !lineup->real_valued)
        climb_rounds(&search, leader);
    steady_close(&search.steady);
}

/* A homogeneous lineup is planned with its mean mapping, and then its order does not matter. */
static bool visit_lineup(struct contest *contest, struct lineup *lineup, void *context)
{
    const enum period_goal *goal = context;
    const double asked = contest->request->tolerance;
    const bool homogeneous = lineup_homogeneous(lineup, asked > 0 ? asked : 0.05);
    if (homogeneous && !lineup->equal)
        lineup_average(lineup);
    scow_search(contest, lineup, *goal);
    if (!contest->request->real_valued)
        contest_level(contest, lineup);
    return homogeneous;
}

bool scow_make(const struct schedule_request *request, enum period_goal goal, const char *name,
               struct plan *plan, struct failure *failure)
{
    struct contest contest;
    if (!contest_init(&contest, request, failure))
        return false;
    contest_visit(&contest, LINEUP_EVERY_ORDER, visit_lineup, &goal);
    if (goal == PERIOD_PRODUCTION)
        contest_cover(&contest);
    return contest_finish(&contest, name,
                          goal == PERIOD_PRODUCTION
                              ? "no package size of the profile's windows adds up to the tasks"
                              : "no number of workers can be kept busy without a gap within the "
                                "profile's windows",
                          plan, failure);
}

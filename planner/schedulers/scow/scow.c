#include "planner/schedulers/scow/scow.h"

#include <math.h>

#include "planner/schedulers/scow/scow_exact.h"
#include "planner/schedulers/scow/steady.h"
#include "planner/schedulers/scow/utilization.h"
#include "planner/schedulers/search/cover.h"
#include "planner/schedulers/search/level.h"

/* The search for periods of one ranking. */
struct period_search {
    struct steady steady;
    enum period_goal goal;
};

/* Y^E: every full load rounded down or up, the partial one by what the port has left (5.58 to
 * 5.62). Beyond a few hundred core tasks the difference does not matter. */
static void offer_steps(struct period_search *periods)
{
    enum { LOAD_MOST = 256 };
    const struct ranking *ranking = periods->steady.ranking;
    if (periods->steady.loads[0] > LOAD_MOST)
        return;
    for (int up = 0; up < 2; up++) {
        const double load = floor(periods->steady.loads[0]) + up;
        if (load < ranking->least || load > ranking->greatest)
            continue;
        const double period_s = cost_of(ranking->workers[0].work, load) * (1 + 1e-12);
        period_production(ranking, period_s, periods->steady.plain);
        for (int64_t i = 0; i < ranking->count; i++) {
            periods->steady.plain[i] = floor(periods->steady.plain[i]);
            if (periods->steady.plain[i] < ranking->least ||
                (periods->goal != PERIOD_PRODUCTION && !(periods->steady.loads[i] > 0)))
                periods->steady.plain[i] = 0;
        }
        steady_offer_whole(&periods->steady, period_s);
    }
}

/* Of a period that produces `tasks` core tasks: the loads that use port and workers best and
 * produce at least the wanted share of them. */
static void balance_make(struct period_search *periods, double tasks, double period_s)
{
    enum { NODES = 5000 };
    const double asked = periods->steady.search->request->production;
    const double share = asked > 0 ? asked : SCHEDULE_PRODUCTION;
    const struct utilization_wish wish = {share * tasks, NODES};
    bool proven;
    utilization_best(periods->steady.ranking, period_s, &wish, periods->steady.loads, &proven);
}

/* Makes the loads of one period for X / N core tasks; false: there are none. */
static bool loads_make(struct period_search *periods, const struct period *period, double *period_s)
{
    enum { PRODUCTION_EFFORT = 40 }; /* units for finding a period, per worker */
    const double tasks = periods->steady.tasks / period->rounds;
    effort_use(periods->steady.search->request->effort,
               PRODUCTION_EFFORT * (double)periods->steady.ranking->count);
    if (periods->goal == PERIOD_UTILIZATION)
        return period_for_perfect(periods->steady.ranking, period->full, tasks, period_s,
                                  periods->steady.loads);
    const bool made =
        period_for_production(periods->steady.ranking, tasks, period_s, periods->steady.loads);
    if (made && periods->goal == PERIOD_BALANCE)
        balance_make(periods, tasks, *period_s);
    return made;
}

/* How many rounds of the loads there are: N, or more where balanced loads have less than all that
 * could be produced. */
static double loads_rounds(const struct period_search *periods, const struct period *period)
{
    if (periods->goal != PERIOD_BALANCE)
        return period->rounds;
    const double made = loads_sum(periods->steady.loads, periods->steady.ranking->count);
    return fmax(round(periods->steady.tasks / made), 1);
}

/* Tries all candidates of N rounds; true: one of them becomes the incumbent. */
static bool try_period(struct period_search *periods, const struct period *period)
{
    const double before_s = periods->steady.search->best_s;
    double period_s;
    if (search_exhausted(periods->steady.search) || !loads_make(periods, period, &period_s))
        return false;
    steady_offer(&periods->steady, period_s, loads_rounds(periods, period));
    if (!periods->steady.ranking->real_valued)
        offer_steps(periods);
    return periods->steady.search->best_s < before_s;
}

/* Another choice of workers may produce more in the same period than the greedy one, mostly in
 * short periods (14 % on some platforms). */
static void try_exact(struct period_search *periods, const struct period *period, bool first)
{
    enum { WORKERS_MOST = 128, FEW = 32, NODES = 20000, NODES_LATER = 2000 };
    const bool few = periods->steady.ranking->count <= FEW;
    const struct exact_wish wish = {few ? 1e-6 : 1e-3, few || first ? NODES : NODES_LATER};
    struct steady *steady = &periods->steady;
    double period_s;
    bool proven;
    if (steady->ranking->equal || steady->ranking->count > WORKERS_MOST ||
        periods->goal != PERIOD_PRODUCTION || search_exhausted(steady->search) ||
        !loads_make(periods, period, &period_s))
        return;
    const double greedy = steady->tasks / period->rounds;
    const double made = scow_exact_production(steady->ranking, period_s, &wish, steady->loads,
                                              &proven, &steady->search->out_of_memory);
    if (made > greedy * (1 + 1e-6))
        steady_offer(steady, period_s, fmax(round(steady->tasks / made), 1));
}

/* Tries more and fewer rounds than the incumbent's as long as that helps, in smaller and smaller
 * steps: the continuous model does not know how buffers, whole core tasks and the last round change
 * N. */
static void climb_rounds(struct period_search *periods, struct period best)
{
    for (int64_t step = (int64_t)fmax(best.rounds / 4, 1); step >= 1; step /= 2)
        for (int sign = -1; sign <= 1; sign += 2) {
            struct period next = best;
            for (;;) {
                next.rounds = fmax(best.rounds + (double)(sign * step), 1);
                if (next.rounds >= best.rounds && sign < 0) /* there is at least one round */
                    break;
                if (next.rounds > periods->steady.tasks || !try_period(periods, &next))
                    break;
                best = next;
            }
        }
}

/* Tries periods in which some worker just does the window's greatest package. Where that package is
 * smaller than the loads of the formulas, the best period is among these. */
static void try_caps(struct period_search *periods, double period_s, struct period *incumbent)
{
    enum { CAPS = 6 };
    const struct ranking *ranking = periods->steady.ranking;
    for (int64_t k = 0; k < CAPS; k++) {
        const struct cost work = ranking->workers[k * (ranking->count - 1) / (CAPS - 1)].work;
        const double cap_s = cost_of(work, ranking->greatest);
        const double made =
            cap_s < period_s ? period_production(ranking, cap_s, periods->steady.loads) : 0;
        if (!(made > 0))
            continue;
        const struct period capped = {.full = ranking->count,
                                      .rounds = ceil(periods->steady.tasks / made)};
        if (try_period(periods, &capped))
            *incumbent = capped;
        if (ranking->equal)
            return;
    }
}

void scow_search(struct search *search, const struct ranking *ranking, enum period_goal goal)
{
    enum { PERIODS = 6 };
    struct period best[PERIODS], incumbent = {.rounds = 0};
    struct period_search periods = {.goal = goal};
    if (!steady_open(&periods.steady, search, ranking))
        return;
    const int count = period_list(ranking, search->request->tasks, goal, best, PERIODS);
    for (int k = 0; k < count; k++) {
        if (try_period(&periods, &best[k]))
            incumbent = best[k];
        try_exact(&periods, &best[k], k == 0);
        if (k == 0)
            try_caps(&periods, best[k].period_s, &incumbent);
    }
    /* Too few core tasks for a steady state are done in one round. */
    const struct period once = {.full = ranking->count, .rounds = 1};
    if (try_period(&periods, &once))
        incumbent = once;
    if (incumbent.rounds > 0 && !ranking->real_valued)
        climb_rounds(&periods, incumbent);
    steady_offer_last_rounds(&periods.steady);
    steady_close(&periods.steady);
}

/* A homogeneous ranking is planned with the mean of its costs, so that its order does not
 * matter. */
static bool visit_ranking(struct search *search, struct ranking *ranking, void *context)
{
    const enum period_goal *goal = context;
    static const double TOLERANCE = 0.05; /* Definitions 5 and 6, relative */
    const bool homogeneous = ranking_homogeneous(ranking, TOLERANCE);
    struct search fork = search_fork(search);
    if (homogeneous && !ranking->equal)
        ranking_average(ranking);
    scow_search(&fork, ranking, *goal);
    if (!search->request->real_valued)
        search_level(&fork, ranking);
    search_join(search, &fork);
    return homogeneous;
}

bool scow_make(const struct schedule_request *request, enum period_goal goal, struct plan *plan,
               struct failure *failure)
{
    struct search search;
    if (!search_init(&search, request, failure))
        return false;
    search_visit(&search, RANKING_EVERY_ORDER, visit_ranking, &goal);
    if (goal != PERIOD_UTILIZATION)
        search_cover(&search);
    return search_finish(&search,
                         goal != PERIOD_UTILIZATION
                             ? "packages within the profile's windows cannot add up to the tasks"
                             : "no number of workers can be kept busy without a gap within the "
                               "profile's windows",
                         plan, failure);
}

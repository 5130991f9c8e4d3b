#include "planner/scow.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "planner/discretise.h"
#include "planner/last_round.h"
#include "planner/level.h"

/* One lineup's search: what its candidates share. */
struct search {
    struct contest *contest;
    const struct lineup *lineup;
    enum period_goal goal;
    double tasks;
    double *loads;                              /* of the period, real */
    double *plain, *delays, *round, *auxiliary; /* scratch, lineup->count each, with loads */
};

static bool search_open(struct search *search)
{
    const size_t count = (size_t)search->lineup->count;
    double *block = malloc(5 * count * sizeof *block);
    if (block == NULL) {
        search->contest->starved = true;
        return false;
    }
    search->loads = block;
    search->plain = block + count;
    search->delays = block + 2 * count;
    search->round = block + 3 * count;
    search->auxiliary = block + 4 * count;
    return true;
}

/* Workers that a candidate names: all up to the last one that gets anything. */
static int64_t places_used(const struct search *search)
{
    int64_t used = search->lineup->count;
    while (used > 1 && !(search->plain[used - 1] > 0) && !(search->round[used - 1] > 0) &&
           !(search->auxiliary[used - 1] > 0))
        used--;
    return used;
}

/* `rounds` rounds of search->plain, then the last one with what remains. */
static bool offer_rounds(struct search *search, double rounds, double sum)
{
    const struct last_round last = {
        .loads = search->plain, .delays = search->delays, .total = search->tasks - rounds * sum};
    struct plan candidate;
    if (!(last.total > 0) ||
        !last_round_make(search->lineup, &last, search->round, search->auxiliary))
        return false;
    candidate_open(search->contest, &candidate, search->lineup, places_used(search));
    candidate_round(search->contest, &candidate, (int64_t)rounds, search->plain);
    candidate_round(search->contest, &candidate, 1, search->round);
    candidate_round(search->contest, &candidate, 1, search->auxiliary);
    return contest_offer(search->contest, &candidate);
}

/* D_i = h_i(Y_i); in the published tables a partial worker counts as a full one (5.16). */
static void delays_fill(struct search *search, double period_s)
{
    for (int64_t i = 0; i < search->lineup->count; i++) {
        const struct lineup_worker *worker = &search->lineup->workers[i];
        const double load = search->lineup->real_valued && search->plain[i] > 0
                                ? period_load(worker, period_s, search->lineup->greatest)
                                : search->plain[i];
        search->delays[i] = cost_of(worker->feed, load);
    }
}

/* Whole loads of one round are in search->plain: as many rounds as fit, and one fewer. */
static void offer_whole(struct search *search, double period_s)
{
    double sum = 0;
    for (int64_t i = 0; i < search->lineup->count; i++)
        sum += search->plain[i];
    if (!(sum > 0))
        return;
    delays_fill(search, period_s);
    const double most = floor(search->tasks / sum);
    if (most >= 1)
        offer_rounds(search, most - 1, sum);
    offer_rounds(search, most, sum);
}

/* Y^E: every full load down or up to the next whole one, the partial one by what the port has
 * left (5.58 to 5.62). Beyond a few hundred tasks the difference is lost in the noise. */
static void offer_steps(struct search *search)
{
    enum { LOAD_MOST = 256 };
    const struct lineup *lineup = search->lineup;
    if (search->loads[0] > LOAD_MOST)
        return;
    for (int up = 0; up < 2; up++) {
        const double load = floor(search->loads[0]) + up;
        if (load < lineup->least || load > lineup->greatest)
            continue;
        const double period_s = cost_of(lineup->workers[0].work, load) * (1 + 1e-12);
        period_production(lineup, period_s, search->plain);
        for (int64_t i = 0; i < lineup->count; i++) {
            search->plain[i] = floor(search->plain[i]);
            if (search->plain[i] < lineup->least ||
                (search->goal == PERIOD_UTILIZATION && !(search->loads[i] > 0)))
                search->plain[i] = 0;
        }
        offer_whole(search, period_s);
    }
}

/* The loads of one period for X / N tasks; false where there are none. */
static bool loads_make(struct search *search, const struct period *period, double *period_s)
{
    const double tasks = search->tasks / period->rounds;
    return search->goal == PERIOD_PRODUCTION
               ? period_for_production(search->lineup, tasks, period_s, search->loads)
               : period_for_perfect(search->lineup, period->full, tasks, period_s, search->loads);
}

/* All candidates of N rounds; whether one of them leads. */
static bool try_period(struct search *search, const struct period *period)
{
    const double before_s = search->contest->best_s;
    const size_t size = (size_t)search->lineup->count * sizeof *search->loads;
    double period_s;
    if (contest_over(search->contest) || !loads_make(search, period, &period_s))
        return false;
    memcpy(search->plain, search->loads, size);
    const double real = search->tasks / period->rounds;
    const double sum =
        search->lineup->real_valued ? real : fmax(round(real), search->lineup->least);
    if (discretise(search->lineup, search->plain, search->lineup->count, sum)) {
        if (search->lineup->real_valued) {
            delays_fill(search, period_s);
            offer_rounds(search, period->rounds - 1, sum);
        } else {
            offer_whole(search, period_s);
        }
    }
    if (!search->lineup->real_valued)
        offer_steps(search);
    return search->contest->best_s < before_s;
}

/* Walk N up and down from the leader's as long as that wins, in ever smaller steps: the continuous
 * model leaves out what buffers, whole tasks and the last round do to N. */
static void climb_rounds(struct search *search, struct period best)
{
    for (double step = fmax(floor(best.rounds / 4), 1); step >= 1; step = floor(step / 2)) {
        for (int sign = -1; sign <= 1; sign += 2) {
            struct period next = best;
            next.rounds = fmin(fmax(best.rounds + sign * step, 1), search->tasks);
            while (next.rounds != best.rounds && try_period(search, &next)) {
                best = next;
                next.rounds = fmin(fmax(best.rounds + sign * step, 1), search->tasks);
            }
        }
    }
}

void scow_search(struct contest *contest, const struct lineup *lineup, enum period_goal goal)
{
    enum { PERIODS = 6 };
    struct period best[PERIODS], leader = {.rounds = 0};
    struct search search = {
        .contest = contest, .lineup = lineup, .goal = goal, .tasks = contest->request->tasks};
    if (!search_open(&search))
        return;
    const int count = period_list(lineup, search.tasks, goal, best, PERIODS);
    for (int k = 0; k < count; k++)
        if (try_period(&search, &best[k]))
            leader = best[k];
    /* Too little work for a steady state is done in one round. */
    const struct period once = {.full = lineup->count, .rounds = 1};
    if (try_period(&search, &once))
        leader = once;
    if (leader.rounds > 0 && !lineup->real_valued)
        climb_rounds(&search, leader);
    free(search.loads);
}

/* All orders of one window; a homogeneous lineup has one, with its mean mapping. */
static void search_window(struct contest *contest, const struct platform_window *window,
                          enum period_goal goal)
{
    const struct schedule_request *request = contest->request;
    const double tolerance = request->tolerance > 0 ? request->tolerance : 0.05;
    for (int order = 0; order < LINEUP_ORDERS; order++) {
        struct lineup lineup;
        if (!lineup_init(&lineup, request->platform, window, request->real_valued,
                         (enum lineup_order)order)) {
            contest->starved = true;
            return;
        }
        const bool one_order = lineup.equal || lineup_homogeneous(&lineup, tolerance);
        if (one_order && !lineup.equal)
            lineup_average(&lineup);
        scow_search(contest, &lineup, goal);
        if (!request->real_valued)
            contest_level(contest, &lineup);
        lineup_release(&lineup);
        if (one_order)
            return;
    }
}

bool scow_make(const struct schedule_request *request, enum period_goal goal, const char *name,
               struct plan *plan, struct failure *failure)
{
    struct contest contest;
    if (!contest_init(&contest, request, failure))
        return false;
    for (int64_t w = 0; w < request->platform->window_count; w++)
        search_window(&contest, &request->platform->windows[w], goal);
    return contest_finish(&contest, name,
                          goal == PERIOD_PRODUCTION
                              ? "no package size of the profile's windows adds up to the tasks"
                              : "no number of workers can be kept busy without a gap within the "
                                "profile's windows",
                          plan, failure);
}

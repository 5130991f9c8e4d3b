/*
 * The optimal plan for a given order, worker set and number of rounds, by linear programming, and a
 * search over the three. Ours; the program is in optimal_lp.c.
 *
 * The search starts from the best periodic plan and walks to better neighbours; whole loads come
 * from largest remainders over all packages and from local improvement. What it may cost is
 * counted in sizes of programs, not in seconds, so that the same request gives the same plan.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "planner/contest.h"
#include "planner/discretise.h"
#include "planner/level.h"
#include "planner/optimal_lp.h"
#include "planner/polish.h"
#include "planner/schedulers.h"
#include "planner/scow.h"

/* One point of the search. */
struct point {
    int64_t count, rounds;
    double makespan_s; /* the program's value; HUGE_VAL where it has none */
};

struct walk {
    struct contest *contest;
    const struct lineup *lineup;
    double effort; /* sum of squared packages still to be spent; the solver's time grows so */
    struct point tried[256];
    size_t tried_count;
};

enum { PACKAGES_MOST = 900, WALK_EFFORT = 650000 };

/* The program's loads as a candidate. */
static void offer_loads(struct walk *walk, const struct point *point, double *loads)
{
    struct plan candidate;
    if (!discretise(walk->lineup, loads, point->count * point->rounds,
                    walk->contest->request->tasks))
        return;
    candidate_open(walk->contest, &candidate, walk->lineup, point->count);
    for (int64_t r = 0; r < point->rounds; r++)
        candidate_round(walk->contest, &candidate, 1, loads + r * point->count);
    contest_offer(walk->contest, &candidate);
}

static void point_solve(struct walk *walk, struct point *point)
{
    const struct schedule_request *request = walk->contest->request;
    const double packages = (double)(point->count * point->rounds);
    const struct optimal_lp lp = {.lineup = walk->lineup,
                                  .count = point->count,
                                  .rounds = point->rounds,
                                  .buffers = request->platform->buffers,
                                  .tasks = request->tasks};
    point->makespan_s = HUGE_VAL;
    /* Programs of a few packages are not free either. */
    walk->effort -= packages * packages + 1000;
    double *loads = malloc((size_t)packages * sizeof *loads);
    if (loads == NULL)
        walk->contest->starved = true;
    else if (optimal_lp_solve(&lp, loads, &point->makespan_s))
        offer_loads(walk, point, loads);
    free(loads);
}

/* The value at a point, from memory where it has been tried. */
static struct point walk_try(struct walk *walk, int64_t count, int64_t rounds)
{
    struct point point = {count, rounds, HUGE_VAL};
    for (size_t k = 0; k < walk->tried_count; k++)
        if (walk->tried[k].count == count && walk->tried[k].rounds == rounds)
            return walk->tried[k];
    const double packages = (double)count * (double)rounds;
    const bool fits = count >= 1 && count <= walk->lineup->count && rounds >= 1 &&
                      packages <= PACKAGES_MOST && packages * packages <= walk->effort &&
                      packages * walk->lineup->greatest >= walk->contest->request->tasks;
    if (!fits || walk->contest->starved ||
        walk->tried_count == sizeof walk->tried / sizeof walk->tried[0])
        return point;
    point_solve(walk, &point);
    walk->tried[walk->tried_count++] = point;
    return point;
}

/* Go on in one direction as long as it wins. */
static struct point walk_along(struct walk *walk, struct point best, int64_t count, int64_t rounds)
{
    for (;;) {
        const struct point next = walk_try(walk, best.count + count, best.rounds + rounds);
        if (!(next.makespan_s < best.makespan_s))
            return best;
        best = next;
    }
}

static int64_t step_of(int64_t value, int64_t part)
{
    return value / part > 1 ? value / part : 1;
}

/* Coarse steps first, then single ones in all eight directions. */
static void walk_from(struct walk *walk, int64_t count, int64_t rounds)
{
    struct point best = walk_try(walk, count, rounds), before;
    for (int64_t part = 4; part <= 64; part *= 4)
        do {
            const int64_t far = step_of(best.count, 2 * part), long_ = step_of(best.rounds, part);
            before = best;
            best = walk_along(walk, best, 0, long_);
            best = walk_along(walk, best, 0, -long_);
            best = walk_along(walk, best, far, 0);
            best = walk_along(walk, best, -far, 0);
            best = walk_along(walk, best, far, -long_);
            best = walk_along(walk, best, -far, long_);
        } while (best.makespan_s < before.makespan_s);
}

/* The workers and rounds of the leader, within what a program may be. */
static void search_lineup(struct contest *contest, const struct lineup *lineup, double effort)
{
    struct walk walk = {.contest = contest, .lineup = lineup, .effort = effort};
    scow_search(contest, lineup, PERIOD_PRODUCTION);
    if (!contest->request->real_valued)
        contest_level(contest, lineup);
    int64_t count = contest->best_s < HUGE_VAL ? contest->best.worker_count : 1, rounds = 0;
    for (size_t r = 0; r < contest->best.round_count; r++)
        rounds += contest->best.rounds[r].repeat;
    if (count > PACKAGES_MOST)
        count = PACKAGES_MOST;
    if (count * rounds > PACKAGES_MOST)
        rounds = PACKAGES_MOST / count;
    walk_from(&walk, count, rounds > 0 ? rounds : 1);
}

static void search_window(struct contest *contest, const struct platform_window *window,
                          double effort)
{
    for (int order = 0; order < LINEUP_ORDERS; order++) {
        struct lineup lineup;
        if (contest->starved ||
            !lineup_init(&lineup, contest->request->platform, window, contest->request->real_valued,
                         (enum lineup_order)order)) {
            contest->starved = true;
            return;
        }
        const bool one_order = lineup.equal;
        search_lineup(contest, &lineup, one_order ? effort : effort / LINEUP_ORDERS);
        lineup_release(&lineup);
        if (one_order)
            return;
    }
}

bool optimal_make(const struct schedule_request *request, struct plan *plan,
                  struct failure *failure)
{
    struct contest contest;
    if (!optimal_lp_available())
        return failure_set(failure, FAILURE_INFEASIBLE,
                           "optimal does not apply: this build has no linear programming, install "
                           "coinor-libclp-dev and build again");
    if (!contest_init(&contest, request, failure))
        return false;
    const double windows = (double)request->platform->window_count;
    for (int64_t w = 0; w < request->platform->window_count; w++)
        search_window(&contest, &request->platform->windows[w], WALK_EFFORT / windows);
    contest_polish(&contest);
    return contest_finish(&contest, "optimal",
                          "no package size of the profile's windows adds up to the tasks", plan,
                          failure);
}

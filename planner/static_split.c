/*
 * Static scheduling (SC): one package per worker, proportional to its speed 1 / (r + w). The plain
 * alternative to which everything else is compared.
 */
#include <math.h>
#include <stdlib.h>

#include "planner/contest.h"
#include "planner/discretise.h"
#include "planner/schedulers.h"

/* Speeds as wanted loads; workers without measurable cost per task count as very fast ones. */
static void split_offer(struct contest *contest, const struct lineup *lineup, double *loads)
{
    double speed = 0;
    for (int64_t i = 0; i < lineup->count; i++) {
        loads[i] = 1 / fmax(lineup->workers[i].work.s_per_task, 1e-15);
        speed += loads[i];
    }
    for (int64_t i = 0; i < lineup->count; i++)
        loads[i] *= contest->request->tasks / speed;
    if (!discretise(lineup, loads, lineup->count, contest->request->tasks))
        return;
    struct plan candidate;
    candidate_open(contest, &candidate, lineup, lineup->count);
    candidate_round(contest, &candidate, 1, loads);
    contest_offer(contest, &candidate);
}

bool static_split_make(const struct schedule_request *request, struct plan *plan,
                       struct failure *failure)
{
    struct contest contest;
    if (!contest_init(&contest, request, failure))
        return false;
    const struct platform *platform = request->platform;
    double *loads = malloc((size_t)platform->worker_count * sizeof *loads);
    for (int64_t w = 0; w < platform->window_count; w++) {
        struct lineup lineup;
        contest.starved = contest.starved || loads == NULL ||
                          !lineup_init(&lineup, platform, &platform->windows[w],
                                       request->real_valued, LINEUP_BY_WORK);
        if (contest.starved)
            break;
        split_offer(&contest, &lineup, loads);
        lineup_release(&lineup);
    }
    free(loads);
    return contest_finish(&contest, "static",
                          "one package per worker does not fit the profile's windows", plan,
                          failure);
}

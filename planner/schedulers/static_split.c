/*
 * Static scheduling (SC): one package per worker, proportional to its speed 1 / (r + w). The plain
 * alternative to which everything else is compared.
 */
#include <stdlib.h>

#include "planner/schedulers/contest.h"
#include "planner/schedulers/discretise.h"
#include "planner/schedulers/schedulers.h"

/* Speeds as wanted loads. */
static bool visit_lineup(struct contest *contest, struct lineup *lineup, void *context)
{
    const double tasks = contest->request->tasks;
    double *loads = malloc((size_t)lineup->count * sizeof *loads), speed = 0;
    struct plan candidate;
    (void)context;
    if (loads == NULL) {
        contest->starved = true;
        return true;
    }
    for (int64_t i = 0; i < lineup->count; i++)
        speed += loads[i] = 1 / rate_of(lineup->workers[i].work);
    for (int64_t i = 0; i < lineup->count; i++)
        loads[i] *= tasks / speed;
    if (discretise(lineup, loads, lineup->count, tasks, &contest->starved)) {
        candidate_open(contest, &candidate, lineup, lineup->count);
        candidate_round(contest, &candidate, 1, loads);
        contest_offer(contest, &candidate);
    }
    free(loads);
    return true;
}

bool static_split_make(const struct schedule_request *request, struct plan *plan,
                       struct failure *failure)
{
    struct contest contest;
    if (!contest_init(&contest, request, failure))
        return false;
    contest_visit(&contest, 1u << LINEUP_BY_WORK, visit_lineup, NULL);
    return contest_finish(&contest, "static",
                          "one package per worker does not fit the profile's windows", plan,
                          failure);
}

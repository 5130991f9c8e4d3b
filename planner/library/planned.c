#include "planner/library/planned.h"

#include "planner/library/choice.h"
#include "planner/library/wanted.h"

/* The options that a planning has by itself. */
static struct planning planning_begin(const struct profile *profile,
                                      const struct plan_request *request)
{
    return (struct planning){.profile = profile,
                             .path = request->unnamed ? NULL : request->path,
                             .digest = request->digest,
                             .scheduler = request->scheduler,
                             .workers = request->workers,
                             .buffers = (int)request->buffers,
                             .real_valued = request->real_valued,
                             .tail = plan_request_tail(request)};
}

bool planned_draw(struct planned *planned, struct failure *failure)
{
    const struct planning *planning = &planned->planning;
    const struct interval_request request = {.profile = planning->profile,
                                             .setting = planning->setting,
                                             .plan = &planned->plan,
                                             .workers = planning->workers};
    if (!interval_known(planning->profile, planning->setting))
        return true;
    if (!interval_draw(&request, &planned->interval, failure))
        return false;
    if (planned->interval.without_tail)
        return true;
    planned->plan.predicted.interval_s[0] = ensemble_quantile(&planned->interval.ensemble, 0.05);
    planned->plan.predicted.interval_s[1] = ensemble_quantile(&planned->interval.ensemble, 0.95);
    return true;
}

bool planned_make(struct profile *profile, const struct plan_request *request,
                  struct planned *planned, struct failure *failure)
{
    struct planned made = {.planning = planning_begin(profile, request)};
    if (!plan_request_check(request, failure) ||
        !wanted_workers(profile, request->path, request->workers, request->like, failure) ||
        !choice_make(request, &made.planning, &made.plan, &made.omissions, failure))
        return false;
    made.planning.omissions = &made.omissions;
    const bool good = (!plan_request_tail_open(request) ||
                       planning_tail_unequal(&made.planning, &made.plan, failure)) &&
                      (request->bare || planned_draw(&made, failure));
    made.planning.omissions = NULL;
    if (good)
        *planned = made;
    else
        planned_release(&made);
    return good;
}

struct advice planned_advice(const struct planned *planned, double risk, double pace)
{
    return (struct advice){.plan = &planned->plan,
                           .profile = planned->planning.profile,
                           .setting = planned->planning.setting,
                           .interval =
                               planned->interval.ensemble.count > 0 ? &planned->interval : NULL,
                           .risk = risk,
                           .workers = planned->planning.workers,
                           .remaining = planned->planning.remaining,
                           .pace = pace};
}

void planned_release(struct planned *planned)
{
    plan_release(&planned->plan);
    interval_release(&planned->interval);
    *planned = (struct planned){.planning = {.profile = NULL}};
}

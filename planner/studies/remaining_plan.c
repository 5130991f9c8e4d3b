#include "planner/studies/remaining_plan.h"

#include <math.h>

#include "planner/model/selection.h"
#include "planner/schedulers/scheduler.h"
#include "planner/studies/planning.h"

static bool plan_by(const char *scheduler, const struct remaining_request *request,
                    struct plan *plan)
{
    const struct plan *whole = request->plan;
    struct failure cannot = FAILURE_INIT;
    const struct planning planning = {
        .profile = request->profile,
        .setting = profile_find(request->profile, &whole->parameters, whole->threads),
        .path = whole->profile,
        .digest = whole->profile_sha256,
        .scheduler = scheduler,
        .tasks = (double)request->tasks,
        .workers = request->workers,
        .remaining = true,
    };
    return planning.setting && planning_make(&planning, plan, &cannot);
}

bool remaining_measured(const struct remaining_request *request, struct plan *plan)
{
    const char *scheduler = request->plan->scheduler;
    *plan = (struct plan){.kernel = NULL};
    if (!request->profile ||
        (!(scheduler && scheduler_find(scheduler) && plan_by(scheduler, request, plan)) &&
         !plan_by(SCHEDULER_AUTO, request, plan)))
        return false;
    if (selection_copy(&plan->selected, &request->plan->selected))
        return true;
    plan_release(plan);
    return false;
}

double remaining_pace(const struct plan *plan, const struct run_part *parts, int64_t count)
{
    double measured_s = 0, tasks = 0;
    for (int64_t k = 0; k < count; k++)
        if (parts[k].makespan_s > 0 && parts[k].tasks > 0) {
            measured_s += parts[k].makespan_s;
            tasks += (double)parts[k].tasks;
        }
    if (!plan->predicted.known || !(plan->predicted.makespan_s > 0) || !(tasks > 0))
        return 1;
    return fmax(1, measured_s / (plan->predicted.makespan_s * tasks / plan->tasks));
}

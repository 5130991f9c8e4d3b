#include "planner/studies/remaining_plan.h"

#include <math.h>
#include <string.h>

#include "planner/model/selection.h"
#include "planner/model/shared.h"
#include "planner/schedulers/scheduler.h"
#include "planner/studies/charge.h"
#include "planner/studies/masters.h"
#include "planner/studies/planning.h"
#include "planner/studies/trees.h"

struct task_weights *remaining_weights(const struct remaining_request *request)
{
    const struct task_weights *all = request->plan->weights;
    struct task_weights *made =
        all && request->ranges ? weights_select(all, request->ranges, request->range_count) : NULL;
    if (!made || made->work.tasks == request->tasks)
        return made;
    weights_free(made);
    return NULL;
}

static bool plan_by(const char *scheduler, const struct remaining_request *request,
                    struct plan *plan)
{
    const struct plan *whole = request->plan;
    const bool stars = whole->star_count > 0 && !request->single;
    const bool tree = whole->child_count > 0 && !request->single;
    struct failure cannot = FAILURE_INIT;
    const struct planning planning = {
        .profile = request->profile,
        .setting = profile_find(request->profile, &whole->parameters, whole->threads),
        .path = whole->profile,
        .digest = whole->profile_sha256,
        .scheduler = scheduler,
        .production = whole->production,
        .tasks = (double)request->tasks,
        .workers = request->workers,
        .remaining = true,
        .master_computes = whole->own.tasks > 0,
        .effort_s = stars || tree ? PLANNING_EFFORT_S : 0,
    };
    if (!planning.setting)
        return false;
    return stars  ? masters_make(&planning, MASTERS_AUTO, plan, &cannot)
           : tree ? trees_make(&planning, TREE_AUTO, plan, &cannot)
                  : planning_make(&planning, plan, &cannot);
}

/* Keeps what the whole job was planned for, and which workers it has. */
static bool wish_keep(const struct remaining_request *request, struct plan *plan)
{
    const struct plan *whole = request->plan;
    const struct profile_setting *setting =
        profile_find(request->profile, &whole->parameters, whole->threads);
    if (whole->objective && !(plan->objective = strdup(whole->objective)))
        return false;
    plan->deadline_s = whole->deadline_s;
    plan->budget = whole->budget;
    charge_predict_remaining(request->profile, setting, whole, plan);
    return shared_copy(plan, whole) && selection_copy(&plan->selected, &whole->selected);
}

bool remaining_measured(const struct remaining_request *request, struct plan *plan)
{
    const char *scheduler = request->plan->scheduler;
    *plan = (struct plan){.kernel = NULL};
    if (!request->profile ||
        (!(scheduler && scheduler_find(scheduler) && plan_by(scheduler, request, plan)) &&
         !plan_by(SCHEDULER_AUTO, request, plan)))
        return false;
    if (wish_keep(request, plan))
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

#include "planner/studies/planning.h"

#include <math.h>

#include "planner/model/selection.h"
#include "planner/replan/stars_decided.h"

bool planning_is_placeless(const struct planning *planning)
{
    return planning->remaining && !profile_setting_weighed(planning->setting);
}

size_t planning_regions(const struct planning *planning)
{
    const struct work *bytes = profile_setting_bytes(planning->setting);
    const size_t regions = profile_setting_regions(planning->setting);
    if (planning_is_placeless(planning))
        return 0;
    return bytes && bytes->region_count > regions ? bytes->region_count : regions;
}

bool planning_platform(const struct planning *planning, struct platform *platform,
                       struct failure *failure)
{
    if (!platform_init(platform, planning->setting, planning->workers, failure))
        return false;
    if (planning->buffers > 0)
        platform->buffers = planning->buffers;
    return true;
}

bool planning_platform_placed(const struct planning *planning, struct platform *platform,
                              struct failure *failure)
{
    if (!planning_platform(planning, platform, failure))
        return false;
    if (planning_is_placeless(planning) ||
        platform_map(platform, planning->setting, planning->tasks, failure))
        return true;
    platform_release(platform);
    return false;
}

bool planning_chosen(const struct planning *planning, const struct plan_selection *selection,
                     struct platform *platform, struct failure *failure)
{
    struct profile_setting setting;
    struct planning own = *planning;
    if (!selection_setting(planning->setting, selection, &setting))
        return failure_memory(failure, "planning for a part of the workers");
    own.setting = &setting;
    own.workers = 0;
    const bool good = planning_platform(&own, platform, failure);
    selection_setting_release(&setting);
    return good;
}

bool planning_neighbours(const struct planning *planning, int64_t first, int64_t last,
                         struct platform *platform, struct failure *failure)
{
    struct plan_run run = {first, last};
    return planning_chosen(planning, &(const struct plan_selection){&run, 1}, platform, failure);
}

struct watching_request planning_watching(const struct planning *planning, const char *tail,
                                          const struct plan *plan)
{
    return (struct watching_request){.plan = plan,
                                     .setting = planning->setting,
                                     .workers = planning->workers,
                                     .tail = tail,
                                     .ahead = WATCHING_AHEAD};
}

bool planning_simulate(const struct planning *planning, const struct plan *plan,
                       struct trace *trace, struct simulation *simulation, struct failure *failure)
{
    const struct stars_request request = {.watching =
                                              planning_watching(planning, plan->tail, plan)};
    struct platform platform;
    if (plan->tail)
        return plan_is_several(plan)
                   ? stars_expect(&request, trace, simulation, failure)
                   : watching_simulate(&request.watching, trace, simulation, failure);
    if (!planning_platform(planning, &platform, failure))
        return false;
    const bool good = (planning_is_placeless(planning) ||
                       platform_map(&platform, planning->setting, plan->tasks, failure)) &&
                      simulate_plan(&platform, plan, trace, simulation, failure);
    platform_release(&platform);
    return good;
}

/* Predicts by simulation, where the end is assigned on request or core tasks differ along the job.
 * The periods that the scheduler found stay. */
void planning_predict(const struct simulation *simulation, struct plan_prediction *predicted)
{
    const double makespan_s = simulation->makespan_s;
    const double network_s = fmax(simulation->port_busy_s, simulation->master_busy_s);
    const double workers_s = makespan_s * (double)simulation->workers_used;
    predicted->makespan_s = makespan_s;
    predicted->worker_busy_share = workers_s > 0 ? simulation->worker_busy_s / workers_s : 0;
    predicted->network_utilization = makespan_s > 0 ? fmin(network_s / makespan_s, 1) : 0;
    predicted->gap = predicted->lower_bound_s > 0 ? makespan_s / predicted->lower_bound_s - 1 : 0;
    predicted->output_s = simulation->output_s;
}

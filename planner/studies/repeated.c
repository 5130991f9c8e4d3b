#include "planner/studies/repeated.h"

#include "planner/replan/stars_decided.h"

static bool watched_draw(const struct watching_request *request, const struct scenario *scenario,
                         int64_t runs, struct ensemble *ensemble, struct failure *failure)
{
    struct watching watching;
    if (!watching_init(&watching, request, failure))
        return false;
    const struct ensemble_setup setup = {.platform = &watching.platform,
                                         .decision = &watching.decision,
                                         .scenario = scenario,
                                         .runs = runs};
    const bool good = ensemble_simulate(&setup, ensemble, failure);
    watching_release(&watching);
    return good;
}

/* For masters side by side or in a tree. */
static bool several_draw(const struct planning *planning, const struct stars_request *request,
                         const struct scenario *scenario, int64_t runs, struct ensemble *ensemble,
                         struct failure *failure)
{
    const struct plan *plan = request->watching.plan;
    const struct decision follows = {.plan = plan};
    struct stars_decided decided = {.stars = NULL};
    struct platform platform;
    if (!planning_platform(planning, &platform, failure))
        return false;
    platform.buffers = plan_buffers(plan);
    const bool good =
        (planning->remaining || platform_map(&platform, planning->setting, plan->tasks, failure)) &&
        (!stars_decide(request) || stars_decided_init(&decided, request, failure)) &&
        ensemble_simulate(&(const struct ensemble_setup){.platform = &platform,
                                                         .decision = &follows,
                                                         .decisions = decided.decisions,
                                                         .scenario = scenario,
                                                         .runs = runs},
                          ensemble, failure);
    stars_decided_release(&decided);
    platform_release(&platform);
    return good;
}

bool repeated_draw(const struct planning *planning, const struct plan *plan, const char *tail,
                   const struct scenario *scenario, int64_t runs, struct ensemble *ensemble,
                   struct failure *failure)
{
    const struct stars_request request = {.watching = planning_watching(planning, tail, plan)};
    return plan->star_count > 0 || plan->child_count > 0
               ? several_draw(planning, &request, scenario, runs, ensemble, failure)
               : watched_draw(&request.watching, scenario, runs, ensemble, failure);
}

bool repeated_study(const struct planning *planning, const struct plan *plan,
                    const struct scenario *scenario, int64_t runs, struct ensemble_summary *summary,
                    struct failure *failure)
{
    struct ensemble ensemble = {.runs = NULL};
    const bool good = repeated_draw(planning, plan, plan->tail, scenario, runs, &ensemble, failure);
    if (good)
        *summary = ensemble_sum(&ensemble);
    ensemble_release(&ensemble);
    return good;
}

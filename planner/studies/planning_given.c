#include "planner/studies/planning.h"

#include "planner/base/limits.h"
#include "planner/schedulers/bounds/bound.h"
#include "planner/schedulers/bounds/bound_unequal.h"
#include "planner/schedulers/search/cut.h"
#include "planner/studies/master_bound.h"

/* Are differences between core tasks larger than what is known of them may be off, or do the bytes
 * differ that are sent of them? */
static bool work_known(const struct planning *planning)
{
    const struct profile_setting *setting = planning->setting;
    const double error = profile_setting_weighed(setting) ? 0 : setting->map.error;
    const struct task_weights *bytes = setting->weights ? setting->weights->bytes : NULL;
    return profile_setting_known(setting) > error || (bytes && bytes->deviation > 0);
}

bool planning_is_weighed(const struct planning *planning)
{
    return planning->setting->weights && !planning_is_placeless(planning) && work_known(planning);
}

/* Makes the packages of the plan's rounds equal in weight in place of number, where that takes less
 * time; `platform` has the work. */
static bool plan_cut(const struct planning *planning, const struct platform *platform,
                     struct plan *plan, struct simulation *simulation, struct failure *failure)
{
    static const double SHARE = 0.03;
    const double second = planning->effort_s > 0 ? planning->effort_s : PLANNING_EFFORT_S;
    struct effort effort = {SHARE * second * EFFORT_SECOND};
    struct simulation weighed;
    struct plan cut;
    bool possible = false;
    if (!work_known(planning))
        return true;
    if (!packages_cut(platform, plan, &cut, &possible, failure))
        return false;
    if (!possible)
        return true;
    const bool good = packages_improve(platform, &cut, &effort, failure) &&
                      simulate_plan(platform, &cut, NULL, &weighed, failure);
    if (good && weighed.makespan_s < simulation->makespan_s) {
        plan_take_rounds(plan, &cut);
        *simulation = weighed;
    }
    plan_release(&cut);
    return good;
}

/* The scheduler planned only what is left to the workers: adds the master's part. */
static void master_note(const struct planning *planning, struct plan *plan)
{
    if (!(planning->master_tasks > 0))
        return;
    plan->tasks += planning->master_tasks;
    plan->own =
        (struct plan_master){planning->master_tasks, profile_setting_master_s(planning->setting)};
}

static bool bound_find(const struct planning *planning, const struct platform *platform,
                       struct plan *plan, struct failure *failure)
{
    const struct master_bound asked = {.bound = planning_regions(planning) > 0 ? bound_unequal
                                                                               : bound_makespan,
                                       .platform = platform,
                                       .tasks = plan->tasks,
                                       .task_s = plan->own.task_s,
                                       .real_valued = plan->real_valued};
    return master_bound(&asked, &plan->predicted.lower_bound_s, failure);
}

bool planning_apply_map(const struct planning *planning, struct plan *plan, struct failure *failure)
{
    struct platform platform;
    struct simulation simulation;
    const bool mapped = planning_regions(planning) > 0;
    master_note(planning, plan);
    if (!mapped && !(plan->own.tasks > 0))
        return true;
    if (!planning_platform(planning, &platform, failure))
        return false;
    const bool good =
        (!mapped || platform_map(&platform, planning->setting, plan->tasks, failure)) &&
        simulate_plan(&platform, plan, NULL, &simulation, failure) &&
        (plan->own.tasks > 0 || plan_cut(planning, &platform, plan, &simulation, failure)) &&
        bound_find(planning, &platform, plan, failure);
    platform_release(&platform);
    if (good)
        planning_predict(&simulation, &plan->predicted);
    return good;
}

bool planning_apply_map_all(const struct planning *planning, struct schedule_set *set,
                            struct failure *failure)
{
    bool good = true;
    for (size_t k = 0; good && k < set->count; k++)
        good =
            !set->entries[k].made || planning_apply_map(planning, &set->entries[k].plan, failure);
    return good;
}

bool planning_check_total(const struct plan *plan, struct failure *failure)
{
    const double makespan_s = plan->predicted.makespan_s;
    return makespan_s <= LIMIT_TOTAL_S ||
           failure_set(failure, FAILURE_INFEASIBLE,
                       "the plan would take %.3g s, and none may take more than %.0e s: check the "
                       "profile's costs and the number of core tasks",
                       makespan_s, LIMIT_TOTAL_S);
}

static double planning_within(const struct planning *planning)
{
    return planning->within > 0 ? planning->within : planning->within < 0 ? 0 : SCHEDULE_WITHIN;
}

/* The best plan of all schedulers, after each is simulated as it would be run. */
static bool best_make(const struct planning *planning, const struct schedule_request *request,
                      struct plan *plan, struct failure *failure)
{
    struct schedule_set set = {.count = 0};
    const bool good =
        schedule_set_make(request, &set, failure) &&
        planning_apply_map_all(planning, &set, failure) &&
        schedule_set_take(&set, planning_within(planning), plan, planning->omissions, failure);
    schedule_set_release(&set);
    return good;
}

bool planning_make_given(const struct planning *planning, struct plan *plan,
                         struct failure *failure)
{
    struct platform platform;
    struct plan made = {0};
    if (!planning_platform(planning, &platform, failure))
        return false;
    const struct scheduler *scheduler = scheduler_find(planning->scheduler);
    const bool limited = planning->effort_s > 0;
    const double second = EFFORT_SECOND * (scheduler ? PLANNING_EFFORT_NAMED : 1);
    struct effort effort = {planning->effort_s * second};
    const struct schedule_request request = {.platform = &platform,
                                             .tasks = planning->tasks - planning->master_tasks,
                                             .production = planning->production,
                                             .real_valued = planning->real_valued,
                                             .effort = limited ? &effort : NULL};
    bool good = scheduler ? scheduler_make(scheduler, &request, &made, failure) &&
                                planning_apply_map(planning, &made, failure)
                          : best_make(planning, &request, &made, failure);
    if (good && scheduler && effort_spent(request.effort))
        planning_omit(planning, scheduler->name, SCHEDULE_CUT_SHORT);
    good = good && planning_check_total(&made, failure) &&
           planning_label(planning, &made, failure) &&
           planning_note_beyond(planning, platform.worker_count, &made, failure) &&
           (planning_note_weights(planning, &made) || failure_memory(failure, "making a plan")) &&
           (!planning->tail || planning_tail(planning, planning->tail, &made, failure));
    if (planning->used_s && limited)
        *planning->used_s += planning->effort_s - effort.left / second;
    platform_release(&platform);
    if (good)
        *plan = made;
    else
        plan_release(&made);
    return good;
}

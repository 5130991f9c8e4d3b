#include "planner/studies/master_share.h"

#include <math.h>

#include "planner/schedulers/scheduler.h"
#include "planner/simulate/own_share.h"
#include "planner/studies/master_bound.h"

/* ---- the share ----------------------------------------------------------------------------- */

/* When workers and master end, for one share of the master. */
struct crossing {
    double workers_s, master_s;
};

/* Where too few core tasks are left for a plan of the workers, the master has too many: it is then
 * taken to end last. */
static bool ends_at(const struct share_problem *problem, double share, struct crossing *at,
                    struct failure *failure)
{
    struct failure here = FAILURE_INIT;
    struct share_ends ends = {0, 0};
    if (!problem->ends(problem->self, problem->tasks - share, &ends, &here)) {
        *at = (struct crossing){0, HUGE_VAL};
        return here.code == FAILURE_INFEASIBLE || failure_set(failure, here.code, "%s", here.text);
    }
    *at = (struct crossing){ends.workers_s, ends.master_s + share * problem->task_s};
    return true;
}

static double end_of(const struct crossing *at)
{
    return fmax(at->workers_s, at->master_s);
}

bool master_share_find(const struct share_problem *problem, double *share, struct failure *failure)
{
    const double width = master_share_width(problem->tasks, !problem->whole);
    double low = 0, high = problem->tasks;
    struct crossing early, late = {0, HUGE_VAL};
    if (!ends_at(problem, low, &early, failure))
        return false;
    while (high - low > width && early.master_s < early.workers_s) {
        const double exact = low + (high - low) / 2;
        const double middle = problem->whole ? floor(exact) : exact;
        struct crossing at;
        if (!ends_at(problem, middle, &at, failure))
            return false;
        const bool before = at.master_s < at.workers_s;
        *(before ? &low : &high) = middle;
        *(before ? &early : &late) = at;
    }
    *share = end_of(&late) < end_of(&early) ? high : low;
    return true;
}

/* ---- plans --------------------------------------------------------------------------------- */

/* Plans for the core tasks that are left to the workers. */
struct sharing {
    struct planning planning; /* for equal core tasks, by the quick scheduler */
    double slower;            /* a plan by the wanted scheduler takes so many times as long */
};

static bool plan_ends(void *self, double tasks, struct share_ends *ends, struct failure *failure)
{
    const struct sharing *sharing = self;
    struct planning planning = sharing->planning;
    struct simulation simulation;
    struct plan plan;
    planning.tasks = tasks;
    if (!(tasks > 0))
        return failure_set(failure, FAILURE_INFEASIBLE, "no core task is left to the workers");
    if (!planning_make_given(&planning, &plan, failure))
        return false;
    const bool good = planning_simulate(&planning, &plan, NULL, &simulation, failure);
    plan_release(&plan);
    if (good)
        *ends =
            (struct share_ends){sharing->slower * simulation.makespan_s, simulation.master_busy_s};
    return good;
}

/* When the workers end their core tasks by the plan, without those of the master. */
static bool workers_end(const struct planning *planning, const struct plan *plan, double *end_s,
                        struct failure *failure)
{
    struct simulation simulation;
    const struct plan_master own = plan->own;
    struct plan fed = *plan;
    fed.own = (struct plan_master){0, 0};
    fed.tasks -= own.tasks;
    if (!planning_simulate(planning, &fed, NULL, &simulation, failure))
        return false;
    *end_s = simulation.makespan_s;
    return true;
}

static bool sharing_check(const struct planning *planning, struct failure *failure)
{
    const struct profile_setting *setting = planning->setting;
    if (!(profile_setting_master_s(setting) > 0))
        return failure_set(failure, FAILURE_MISMATCH,
                           "the profile does not say what a core task takes the master: calibrate "
                           "with --master-computes, or give a setting \"master\": {\"compute\": "
                           "...}");
    return true;
}

/* The share by plans of the quick scheduler, whose makespans are multiplied by `slower`. */
static bool share_find(const struct planning *planning, double slower, double *share,
                       struct failure *failure)
{
    struct sharing sharing = {.planning = *planning, .slower = slower};
    struct planning *quick = &sharing.planning;
    const struct share_problem problem = {.tasks = planning->tasks,
                                          .task_s = profile_setting_master_s(planning->setting),
                                          .whole = !planning->real_valued,
                                          .ends = plan_ends,
                                          .self = &sharing};
    struct share_ends ends;
    struct failure refused = FAILURE_INIT;
    quick->remaining = true;
    quick->omissions = NULL;
    quick->used_s = NULL;
    quick->scheduler = SCHEDULER_QUICK;
    if (!plan_ends(&sharing, planning->tasks, &ends, &refused))
        quick->scheduler = planning->scheduler;
    return master_share_find(&problem, share, failure);
}

/* *slower becomes how many times later the wanted scheduler's workers end than those of the quick
 * one; 1 where the quick one has no plan. */
static bool slower_find(const struct planning *planning, const struct plan *plan, double *slower,
                        struct failure *failure)
{
    struct sharing sharing = {.planning = *planning, .slower = 1};
    struct share_ends ends;
    double end_s = 0;
    sharing.planning.remaining = true;
    sharing.planning.omissions = NULL;
    sharing.planning.scheduler = SCHEDULER_QUICK;
    sharing.planning.master_tasks = 0;
    struct failure refused = FAILURE_INIT;
    *slower = 1;
    if (!workers_end(planning, plan, &end_s, failure))
        return false;
    if (plan_ends(&sharing, plan->tasks - plan->own.tasks, &ends, &refused) && ends.workers_s > 0)
        *slower = end_s / ends.workers_s;
    return true;
}

/* Keeps the better one in *plan, and releases the other. */
static void plan_keep(struct plan *plan, struct plan *other)
{
    if (other->predicted.makespan_s < plan->predicted.makespan_s) {
        const struct plan worse = *plan;
        *plan = *other;
        *other = worse;
    }
    plan_release(other);
}

/* Plans with that share of the master, and keeps that plan where it is better than *plan. */
static bool share_try(const struct planning *planning, double share, struct plan *plan,
                      struct failure *failure)
{
    struct planning shared = *planning;
    struct failure here = FAILURE_INIT;
    struct plan made;
    shared.master_tasks = share;
    if (!(share > 0))
        return true;
    if (!planning_make_given(&shared, &made, &here))
        return here.code == FAILURE_INFEASIBLE || failure_set(failure, here.code, "%s", here.text);
    plan_keep(plan, &made);
    return true;
}

/* At most so many plans are made in full, each with an equal part of the effort. */
enum { PLANS = 3 };

bool master_share_make(const struct planning *planning, struct plan *plan, struct failure *failure)
{
    struct planning own = *planning;
    struct plan made;
    double share = 0, slower = 1, again = 0;
    own.master_computes = false;
    own.effort_s /= PLANS;
    if (!sharing_check(planning, failure) || !share_find(&own, 1, &share, failure) ||
        !planning_make_given(&own, &made, failure))
        return false;
    bool good = share_try(&own, share, &made, failure) &&
                slower_find(&own, &made, &slower, failure) &&
                share_find(&own, slower, &again, failure) &&
                (again == share || share_try(&own, again, &made, failure));
    if (good)
        *plan = made;
    else
        plan_release(&made);
    return good;
}

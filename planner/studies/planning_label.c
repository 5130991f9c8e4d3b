#include "planner/studies/planning.h"

#include <stdlib.h>
#include <string.h>

#include "planner/model/beyond.h"
#include "planner/model/plan_cursor.h"
#include "planner/schedulers/search/cut.h"

/* A plan says that results return even where the profile implies it by having their costs. */
static bool results_label(const struct planning *planning, struct plan *plan)
{
    const enum results results = platform_returns(planning->setting);
    return !results_return(results) || plan_returns(plan) == results ||
           parameter_list_add(&plan->parameters, RESULTS_PARAMETER, results_name(results), 0);
}

/* Adds to the plan everything that a scheduler does not know. */
bool planning_label(const struct planning *planning, struct plan *plan, struct failure *failure)
{
    const struct profile *profile = planning->profile;
    plan->threads = planning->setting->threads;
    plan->operating = planning->setting->operating;
    plan->buffers = planning->buffers;
    plan->production = planning->production;
    plan->kernel = strdup(profile->kernel);
    if (planning->path)
        plan->profile = strdup(planning->path);
    if (planning->digest)
        plan->profile_sha256 = strdup(planning->digest);
    if (!plan->scheduler)
        plan->scheduler = strdup(planning->scheduler);
    if (profile->plugin)
        plan->plugin = strdup(profile->plugin);
    if (profile->plugin_sha256)
        plan->plugin_sha256 = strdup(profile->plugin_sha256);
    if (!plan->kernel || !plan->scheduler || (planning->path && !plan->profile) ||
        (planning->digest && !plan->profile_sha256) || (profile->plugin && !plan->plugin) ||
        (profile->plugin_sha256 && !plan->plugin_sha256) ||
        !parameter_list_copy(&plan->parameters, &profile->parameters) ||
        !parameter_list_merge(&plan->parameters, &planning->setting->parameters) ||
        !results_label(planning, plan))
        return failure_memory(failure, "making a plan");
    return true;
}

bool planning_note_beyond(const struct planning *planning, int64_t workers, struct plan *plan,
                          struct failure *failure)
{
    const struct plan_beyond beyond = beyond_of(planning->profile, workers);
    plan->beyond = beyond;
    plan->beyond.name = beyond.name ? strdup(beyond.name) : NULL;
    return plan->beyond.name || !beyond.name || failure_memory(failure, "making a plan");
}

/* ---- weights -------------------------------------------------------------------------------- */

/* Adds the packages of one master, in their order, as regions of their mean weight to `made`. */
static void packages_add(const struct work *work, const struct plan *plan, struct work *made)
{
    struct plan_cursor cursor = PLAN_CURSOR(plan);
    while (plan_cursor_next(&cursor))
        made->regions[made->region_count++] = (struct work_region){
            .tasks = (int64_t)cursor.load,
            .cost = work_mean_cost(work, (double)work->tasks, cursor.first, cursor.load)};
}

/* Regions that are the packages of all masters side by side, so that every package costs what it
 * did. */
static bool work_of_packages(const struct work *work, const struct plan *plan, struct work *made)
{
    *made = (struct work){.tasks = work->tasks};
    made->regions = calloc((size_t)plan_packages(plan), sizeof *made->regions);
    if (!made->regions)
        return false;
    for (size_t k = 0; k < plan->star_count; k++)
        packages_add(work, &plan->stars[k], made);
    if (plan->star_count == 0)
        packages_add(work, plan, made);
    return work_settle(made);
}

/* Reduces regions to as many as a plan keeps. Where packages are too many to be regions, regions of
 * about equal numbers of core tasks are made. */
static bool work_shorten(struct work *work, const struct plan *plan)
{
    struct work made;
    if (work->region_count <= WEIGHTS_REGIONS_KEPT)
        return true;
    if (plan_packages(plan) > CUT_PACKAGES_MOST)
        return work_coarsen(work, CUT_PACKAGES_MOST);
    if (plan->child_count > 0) /* packages of groups are in an order of their own */
        return work_coarsen(work, WEIGHTS_REGIONS_KEPT);
    if (!work_of_packages(work, plan, &made)) {
        work_release(&made);
        return false;
    }
    work_release(work);
    *work = made;
    work_share(work);
    return true;
}

/* The plan gets its own copy of the weights. */
bool planning_note_weights(const struct planning *planning, struct plan *plan)
{
    const struct task_weights *weights = planning->setting->weights;
    if (!weights || plan->real_valued || planning_is_placeless(planning))
        return true;
    plan->weights = weights_copy(weights);
    return plan->weights && work_shorten(&plan->weights->work, plan) &&
           (!plan->weights->bytes || work_shorten(&plan->weights->bytes->work, plan));
}

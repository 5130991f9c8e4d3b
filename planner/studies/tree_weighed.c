#include "planner/studies/tree_weighed.h"

#include <stdlib.h>

#include "planner/model/setting_part.h"
#include "planner/schedulers/search/cut.h"

/* ---- regions that a calibration found ------------------------------------------------------- */

static bool regions_tell(const struct planning *planning)
{
    const struct profile_setting *setting = planning->setting;
    return !setting->weights && planning_regions(planning) > 0 &&
           profile_setting_known(setting) > setting->map.error;
}

bool tree_regions_make(const struct planning *planning, struct tree_regions **regions)
{
    *regions = NULL;
    if (!regions_tell(planning))
        return true;
    struct tree_regions *made = calloc(1, sizeof *made);
    if (!made)
        return false;
    made->weights = weights_regions(&planning->setting->map.work, (int64_t)planning->tasks);
    made->setting = *planning->setting;
    made->setting.weights = made->weights;
    made->planning = *planning;
    made->planning.setting = &made->setting;
    *regions = made;
    return made->weights != NULL;
}

void tree_regions_free(struct tree_regions *regions)
{
    if (regions)
        weights_free(regions->weights);
    free(regions);
}

/* ---- a node for its core tasks -------------------------------------------------------------- */

/* The platform of a node, with the weights of the core tasks that it gets. */
struct view {
    struct setting_part part; /* owned; for a node with workers */
    struct platform platform; /* likewise owned; for a node with groups it borrows the node's */
    struct work work;         /* owned; for a node with groups */
    bool workers;
};

static void view_release(struct view *view)
{
    if (view->workers) {
        platform_release(&view->platform);
        setting_part_release(&view->part);
    }
    work_release(&view->work);
}

static bool workers_view(const struct tree *tree, const struct node *node,
                         const struct plan_ranges *ranges, double tasks, struct view *view,
                         struct failure *failure)
{
    struct planning own = *tree->planning;
    if (!setting_part_init(&view->part, own.setting, &node->group->workers, ranges->items,
                           (int64_t)ranges->count))
        return failure_memory(failure, "planning a tree");
    view->workers = true;
    own.setting = &view->part.setting;
    own.workers = 0;
    return planning_platform(&own, &view->platform, failure) &&
           platform_map(&view->platform, own.setting, tasks, failure);
}

/* For groups only the differences of weights count, not their mean: group costs are in core tasks.
 * Where all weigh nothing, they count as equal. */
static void groups_view(const struct tree *tree, const struct node *node,
                        const struct plan_ranges *ranges, double tasks, struct view *view)
{
    double mean;
    view->platform = node->groups;
    if (work_select(&view->work, tree->work, ranges->items, (int64_t)ranges->count, &mean))
        view->platform.work = view->work;
    view->platform.work_tasks = tasks;
}

/* Cuts packages that are equal in weight, where windows allow it. */
static bool plan_cut(const struct platform *platform, struct plan *plan, struct failure *failure)
{
    struct plan cut;
    bool possible;
    if (!packages_cut(platform, plan, &cut, &possible, failure))
        return false;
    if (possible)
        plan_take_rounds(plan, &cut);
    plan_release(&cut);
    return true;
}

bool tree_weighed_schedule(const struct tree *tree, const struct node *node,
                           const struct schedule_request *request,
                           const struct scheduler *scheduler, const struct plan_ranges *ranges,
                           struct plan *plan, struct failure *failure)
{
    struct view view = {.workers = false};
    struct schedule_request own = *request;
    bool good = true;
    if (node->count > 0)
        groups_view(tree, node, ranges, request->tasks, &view);
    else
        good = workers_view(tree, node, ranges, request->tasks, &view, failure);
    const struct platform alike = platform_unplaced(&view.platform);
    own.platform = &alike;
    good = good && scheduler_make(scheduler, &own, plan, failure);
    if (good && !plan_cut(&view.platform, plan, failure)) {
        plan_release(plan);
        good = false;
    }
    view_release(&view);
    return good;
}

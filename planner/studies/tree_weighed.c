#include "planner/studies/tree_weighed.h"

#include <stdlib.h>

#include "planner/base/array.h"
#include "planner/model/plan_cursor.h"
#include "planner/model/setting_part.h"
#include "planner/model/task_places.h"
#include "planner/schedulers/search/cut.h"

/* ---- a node for its core tasks -------------------------------------------------------------- */

/* The platform of a node as its core tasks are. */
struct view {
    struct setting_part part; /* owned; of a node with workers */
    struct platform platform; /* owned likewise; else it borrows the node's */
    struct work work;         /* owned; of a node with groups */
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
                         const struct tree_ranges *ranges, double tasks, struct view *view,
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

/* For groups, what the mean one of these core tasks weighs makes no difference: only how they
 * differ. Where all of them weigh nothing, they do not. */
static void groups_view(const struct tree *tree, const struct node *node,
                        const struct tree_ranges *ranges, double tasks, struct view *view)
{
    double mean;
    view->platform = node->groups;
    if (work_select(&view->work, &tree->whole->work, ranges->items, (int64_t)ranges->count, &mean))
        view->platform.work = view->work;
    view->platform.work_tasks = tasks;
}

/* By weight, where windows allow it. */
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
                           const struct scheduler *scheduler, const struct tree_ranges *ranges,
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

/* ---- who gets which ------------------------------------------------------------------------- */

static bool range_add(struct tree_ranges *ranges, struct task_range range)
{
    struct task_range *last = ranges->count > 0 ? &ranges->items[ranges->count - 1] : NULL;
    if (last && last->first + last->count == range.first) {
        last->count += range.count;
        return true;
    }
    struct task_range *items =
        array_reserve(ranges->items, &ranges->capacity, ranges->count + 1, sizeof *items);
    if (!items)
        return false;
    ranges->items = items;
    items[ranges->count++] = range;
    return true;
}

/* Core tasks of a package, counted from the first of all ranges. */
static bool package_add(const struct task_places *places, struct task_range wanted,
                        struct tree_ranges *ranges)
{
    bool good = true;
    while (good && wanted.count > 0) {
        const struct task_range piece = task_places_piece(places, wanted);
        good = range_add(ranges, piece);
        wanted.first += piece.count;
        wanted.count -= piece.count;
    }
    return good;
}

struct tree_ranges *tree_ranges_of(const struct plan *plan, const struct tree_ranges *ranges)
{
    struct task_places places;
    struct plan_cursor cursor = PLAN_CURSOR(plan);
    struct tree_ranges *made = calloc((size_t)plan->worker_count, sizeof *made);
    bool good = task_places_init(&places, ranges->items, (int64_t)ranges->count) && made;
    while (good && plan_cursor_next(&cursor))
        good =
            package_add(&places, (struct task_range){(int64_t)cursor.first, (int64_t)cursor.load},
                        &made[cursor.slot]);
    task_places_release(&places);
    if (good)
        return made;
    tree_ranges_free(made, plan->worker_count);
    return NULL;
}

void tree_ranges_free(struct tree_ranges *ranges, int64_t count)
{
    for (int64_t k = 0; ranges && k < count; k++)
        free(ranges[k].items);
    free(ranges);
}

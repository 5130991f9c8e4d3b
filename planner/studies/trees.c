#include "planner/studies/trees.h"

#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "planner/base/effort.h"
#include "planner/schedulers/scheduler.h"
#include "planner/simulate/simulate.h"
#include "planner/studies/group_cost.h"
#include "planner/studies/tree_parts.h"
#include "planner/studies/tree_weighed.h"

/* Schedulers that are tried at the top and below it; those that do not apply are left out. */
static const char *const schedulers_above[] = {SCHEDULER_QUICK, "scow-pwu", "umr2", "single"};
static const char *const schedulers_below[] = {"scow-pwu", SCHEDULER_QUICK, "single"};
enum { BELOW = sizeof schedulers_below / sizeof *schedulers_below };

/* ---- groups -------------------------------------------------------------------------------- */

static void node_release(struct node *node)
{
    for (int64_t k = 0; k < node->count; k++)
        node_release(&node->below[k]);
    platform_release(&node->workers);
    free(node->below);
    free(node->classes);
}

static void tree_release(struct tree *tree)
{
    node_release(&tree->top);
    plan_release(&tree->best);
    tree_regions_free(tree->regions);
}

/* Fills in what the groups of a node cost as its workers, for packages of about so many core tasks.
 * A package for a group is a message that names its core tasks (simulate/tree.h). */
static void node_fill(const struct tree *tree, struct node *node, double load)
{
    const struct platform_window *real = platform_nearest(tree->whole, load);
    node->window = (struct platform_window){.least = 1,
                                            .greatest = (int64_t)tree->planning->tasks,
                                            .classes = node->classes,
                                            .class_count = node->count};
    for (int64_t k = 0; k < node->count; k++) {
        const struct platform_told told =
            platform_told(real, platform_worker(real, node->below[k].group->master - 1));
        node->window.send.latency_s = told.send_s;
        node->classes[k] =
            (struct platform_class){.first = k,
                                    .count = 1,
                                    .link = {told.link_s, 0},
                                    .compute = group_cost(node_platform(&node->below[k]), load)};
    }
    node->groups = (struct platform){.windows = &node->window,
                                     .window_count = 1,
                                     .worker_count = node->count,
                                     .buffers = tree->whole->buffers,
                                     .results = RESULTS_NONE,
                                     .operating = OPERATING_SINGLE_PORT};
}

/* The first of the node's groups, up to this one, whose workers have the same costs. */
static int64_t alike_find(const struct node *node, int64_t place)
{
    const struct node *group = &node->below[place];
    int64_t k = 0;
    while (k < place && (group->count > 0 || node->below[k].count > 0 ||
                         !platform_alike(&node->below[k].workers, &group->workers)))
        k++;
    return k;
}

/* Makes the node of a group and all below it; about so many core tasks are for them. To be released
 * in any case. */
static bool node_init(const struct tree *tree, struct node *node, const struct group *group,
                      double tasks, struct failure *failure)
{
    static const double PACKAGES = 4; /* about how many a group gets: costs are for that size */
    const size_t groups = group->group_count;
    *node = (struct node){.group = group};
    if (groups == 0)
        return planning_chosen(tree->planning, &group->workers, &node->workers, failure);
    node->below = calloc(groups, sizeof *node->below);
    node->classes = calloc(groups, sizeof *node->classes);
    if (!node->below || !node->classes)
        return failure_memory(failure, "planning a tree");
    for (size_t k = 0; k < groups; k++) {
        node->count++;
        if (!node_init(tree, &node->below[k], &group->groups[k], tasks / (double)groups, failure))
            return false;
        node->below[k].alike = alike_find(node, (int64_t)k);
    }
    node_fill(tree, node, fmax(1, floor(tasks / (double)groups / PACKAGES)));
    return true;
}

static double effort_of(const struct planning *planning, double share)
{
    const double second =
        EFFORT_SECOND * (scheduler_find(planning->scheduler) ? (double)PLANNING_EFFORT_NAMED : 1.0);
    return planning->effort_s > 0 ? share * planning->effort_s * second : HUGE_VAL;
}

/* `share` is the part of the planning's effort that this tree may use. To be released in any
 * case. */
static bool tree_init(struct tree *tree, const struct planning *planning,
                      const struct platform *whole, const struct group *grouping, double share,
                      struct failure *failure)
{
    *tree = (struct tree){
        .planning = planning, .whole = whole, .work = &whole->work, .best_s = HUGE_VAL};
    tree->effort.left = effort_of(planning, share);
    if (!tree_regions_make(planning, &tree->regions))
        return failure_memory(failure, "planning a tree");
    if (tree->regions) {
        tree->planning = &tree->regions->planning;
        tree->work = &tree->regions->weights->work;
    }
    tree->weighed = planning_is_weighed(tree->planning) && work_differs(tree->work);
    return node_init(tree, &tree->top, grouping, planning->tasks, failure) &&
           (tree_least_find(tree) || failure_memory(failure, "planning a tree"));
}

/* ---- plans --------------------------------------------------------------------------------- */

/* All core tasks of a slot. */
static double place_tasks(const struct plan *plan, int64_t slot)
{
    double sum = 0;
    for (size_t r = 0; r < plan->round_count; r++)
        sum += (double)plan->rounds[r].repeat * plan->rounds[r].loads[slot];
    return sum;
}

/* Plans these core tasks for the node's workers or groups. False: there is no plan, which is a
 * failure only where *failure says so. */
static bool schedule_try(struct tree *tree, const char *name, const struct node *node, double tasks,
                         const struct plan_ranges *ranges, struct plan *plan,
                         struct failure *failure)
{
    const double most = fmin(EFFORT_SECOND / 10, fmax(tree->effort.left, EFFORT_SECOND / 1000));
    struct effort effort = {most};
    const struct schedule_request request = {
        .platform = node_platform(node), .tasks = tasks, .effort = &effort};
    const struct scheduler *scheduler = scheduler_find(name);
    struct failure refused = FAILURE_INIT;
    const bool made =
        ranges ? tree_weighed_schedule(tree, node, &request, scheduler, ranges, plan, &refused)
               : scheduler_make(scheduler, &request, plan, &refused);
    effort_use(&tree->effort, most - effort.left);
    if (made)
        return true;
    if (refused.code != FAILURE_INFEASIBLE)
        failure_set(failure, refused.code, "%s", refused.text);
    return false;
}

/* The first slot whose group has the same plan but for its ranks; the slot itself, where core tasks
 * of different weight make each plan different. */
static int64_t place_like(const struct tree *tree, const struct node *node, const struct plan *plan,
                          int64_t slot, double tasks)
{
    const int64_t alike = node->below[plan->workers[slot]].alike;
    int64_t k = tree->weighed ? slot : 0;
    while (k < slot &&
           (node->below[plan->workers[k]].alike != alike || plan->children[k].tasks != tasks))
        k++;
    return k;
}

static bool schedule_copy(const struct plan *from, struct plan *plan, struct failure *failure)
{
    if (!plan_head(from, from->tasks, plan))
        return failure_memory(failure, "planning a tree");
    plan->scheduler = strdup(from->scheduler);
    return plan->scheduler || failure_memory(failure, "planning a tree");
}

/* Can this group's plan belong to a tree that saves more than counts as equal? The group takes no
 * less time than with all its core tasks at once, and where a tree is good it hardly waits. */
static bool may_save(const struct tree *tree, const struct node *group, const struct plan *child)
{
    return tree->weighed || group->count > 0 ||
           child->predicted.makespan_s < (1 - SCHEDULE_WITHIN) * tree->best_s;
}

/* Plans for the group in that slot, as if it got all its core tasks at once; slots are numbered
 * within the group. False without a failure: there is no plan, or none that can be of use. */
static bool child_make(struct tree *tree, const struct node *node, const char *below, int64_t slot,
                       const struct plan_ranges *ranges, struct plan *plan, struct failure *failure)
{
    const struct node *group = &node->below[plan->workers[slot]];
    struct plan *child = &plan->children[slot];
    const double tasks = place_tasks(plan, slot);
    const int64_t like = place_like(tree, node, plan, slot, tasks);
    plan->child_count++;
    if (like < slot)
        return schedule_copy(&plan->children[like], child, failure);
    if (!(tasks > 0) || !schedule_try(tree, below, group, tasks, ranges, child, failure) ||
        !may_save(tree, group, child))
        return false;
    child->predicted = (struct plan_prediction){.known = false};
    return true;
}

/* `plan` is for these core tasks, with slots numbered within the node: plans for each slot's group,
 * and for all groups below. */
static bool children_make(struct tree *tree, const struct node *node, const char *below,
                          const struct plan_ranges *ranges, struct plan *plan,
                          struct failure *failure)
{
    const int64_t count = node->count > 0 ? plan->worker_count : 0;
    struct plan_ranges *slots = ranges && count > 0 ? plan_ranges_of(plan, ranges) : NULL;
    if (count > 0)
        plan->children = calloc((size_t)count, sizeof *plan->children);
    bool good = count == 0 || (plan->children && (slots || !ranges)) ||
                failure_memory(failure, "planning a tree");
    assert(!good || count == 0 || plan->children);
    for (int64_t slot = 0; good && slot < count; slot++)
        good = child_make(tree, node, below, slot, slots ? &slots[slot] : NULL, plan, failure);
    for (int64_t slot = 0; good && slot < count; slot++)
        good = children_make(tree, &node->below[plan->workers[slot]], below,
                             slots ? &slots[slot] : NULL, &plan->children[slot], failure);
    plan_ranges_free(slots, count);
    if (good)
        tree_places_name(node, plan);
    return good;
}

/* Tries one scheduler at the top and one below it. */
static bool pair_try(struct tree *tree, const char *above, const char *below,
                     struct failure *failure)
{
    struct plan plan = {.kernel = NULL};
    const double tasks = tree->planning->tasks;
    struct task_range job = {0, (int64_t)tasks};
    const struct plan_ranges whole = {.items = &job, .count = 1};
    const struct plan_ranges *ranges = tree->weighed ? &whole : NULL;
    if (schedule_try(tree, above, &tree->top, tasks, ranges, &plan, failure) &&
        children_make(tree, &tree->top, below, ranges, &plan, failure)) {
        plan_inherit(&plan);
        return tree_keep(tree, &plan, failure);
    }
    plan_release(&plan);
    return failure->code == FAILURE_NONE;
}

/* ---- the best one -------------------------------------------------------------------------- */

/* Tries the named scheduler at the top or, for "auto", several. */
static bool tree_search(struct tree *tree, double than_s, struct failure *failure)
{
    const char *const named[] = {tree->planning->scheduler};
    const bool any = strcmp(named[0], SCHEDULER_AUTO) == 0;
    const char *const *above = any ? schedulers_above : named;
    const size_t count = any ? sizeof schedulers_above / sizeof *schedulers_above : 1;
    bool good = !any || tree_equal_search(tree, failure);
    for (size_t pair = 0; good && pair < count * BELOW && !tree_is_spent(tree); pair++)
        good = pair_try(tree, above[pair / BELOW], schedulers_below[pair % BELOW], failure);
    return good && (tree->best_s < than_s ||
                    failure_set(failure, FAILURE_INFEASIBLE,
                                "no tree of %" PRId64 " groups has packages within the profile's "
                                "windows that add up to the tasks: give fewer groups",
                                grouping_leaves(tree->top.group)));
}

/* ---- how many groups ----------------------------------------------------------------------- */

/* The most groups that can each have a worker and a core task. */
static int64_t groups_most(const struct planning *planning, const struct platform *whole)
{
    const int64_t most = whole->worker_count / 2;
    return planning->tasks < (double)most ? (int64_t)planning->tasks : most;
}

static bool is_for(const struct platform *whole)
{
    return !results_return(whole->results) && whole->operating == OPERATING_SINGLE_PORT;
}

static bool platform_check(const struct platform *whole, struct failure *failure)
{
    return is_for(whole) ||
           failure_set(
               failure, FAILURE_USAGE,
               "--tree is for results that workers write and for the operating model single-port, "
               "for groups return no results to the master above them: leave it out");
}

static bool groups_check(const struct planning *planning, const struct platform *whole,
                         int64_t groups, struct failure *failure)
{
    const int64_t most = groups_most(planning, whole);
    char instead[48] = "leave --tree out"; /* one group would be one master with fewer workers */
    if (groups == TREE_AUTO || groups <= most)
        return true;
    if (most > 1)
        snprintf(instead, sizeof instead, "give at most --tree %" PRId64, most);
    if (2 * groups > whole->worker_count)
        return failure_set(failure, FAILURE_USAGE,
                           "%" PRId64 " groups of a master and a worker need %" PRId64
                           " ranks beside rank 0, and there %s %" PRId64 ": %s",
                           groups, 2 * groups, whole->worker_count == 1 ? "is" : "are",
                           whole->worker_count, instead);
    return failure_set(failure, FAILURE_USAGE, "%" PRId64 " groups for %.0f core task%s: %s",
                       groups, planning->tasks, planning->tasks == 1 ? "" : "s", instead);
}

/* Parts of the planning's effort, where the user did not ask for trees: for a quick look at each
 * number of groups, and for one tree in full. */
static const double FIND_SHARE = 0.02, LESS_SHARE = 0.25;

/* What a tree must take less than, and how much effort finding one may use. */
struct wanted {
    double than_s;
    double share; /* of the planning's effort */
};

/* Plans for these groups and labels the best plan, if it takes less than wanted; *plan is to be
 * released. */
static bool tree_make(const struct planning *planning, const struct platform *whole,
                      const struct group *grouping, const struct wanted *wanted, struct plan *plan,
                      struct failure *failure)
{
    struct tree tree;
    bool good = tree_init(&tree, planning, whole, grouping, wanted->share, failure);
    tree.best_s = wanted->than_s;
    good = good && tree_search(&tree, wanted->than_s, failure) &&
           planning_check_total(&tree.best, failure) &&
           (planning_note_weights(planning, &tree.best) ||
            failure_memory(failure, "planning a tree")) &&
           planning_label(planning, &tree.best, failure) &&
           planning_note_beyond(planning, whole->worker_count, &tree.best, failure) &&
           (!planning->tail || planning_tail(planning, planning->tail, &tree.best, failure));
    if (good) {
        *plan = tree.best;
        tree.best = (struct plan){.kernel = NULL};
    }
    tree_release(&tree);
    return good;
}

/* Plans for so many groups of neighbouring workers, equal in number. */
static bool even_make(const struct planning *planning, const struct platform *whole, int64_t groups,
                      const struct wanted *wanted, struct plan *plan, struct failure *failure)
{
    struct group grouping;
    const bool good = grouping_even(&grouping, whole->worker_count, groups)
                          ? tree_make(planning, whole, &grouping, wanted, plan, failure)
                          : failure_memory(failure, "planning a tree");
    grouping_release(&grouping);
    return good;
}

/* Keeps the tree in place of the plan where it takes less by more than `gain`; releases the other
 * one. */
static void better_keep(struct plan *plan, struct plan *tree, double gain)
{
    if (tree->predicted.makespan_s < (1 - gain) * plan->predicted.makespan_s) {
        const struct plan worse = *plan;
        *plan = *tree;
        *tree = worse;
    }
    plan_release(tree);
}

/* Tries 2, 4, 8, ... groups; *found false: none of them has a plan. */
static bool trees_try(const struct planning *planning, const struct platform *whole,
                      struct plan *best, bool *found, struct failure *failure)
{
    const int64_t most = groups_most(planning, whole);
    const double share = 1 / fmax(1, floor(log2((double)most)));
    *found = false;
    for (int64_t groups = 2; groups <= most; groups *= 2) {
        struct failure refused = FAILURE_INIT;
        struct plan plan = {.kernel = NULL};
        const struct wanted wanted = {*found ? best->predicted.makespan_s : HUGE_VAL, share};
        if (!even_make(planning, whole, groups, &wanted, &plan, &refused)) {
            if (refused.code != FAILURE_INFEASIBLE)
                return failure_set(failure, refused.code, "%s", refused.text);
            continue;
        }
        if (*found)
            better_keep(best, &plan, 0);
        else
            *best = plan;
        *found = true;
    }
    return true;
}

static bool auto_make(const struct planning *planning, const struct platform *whole,
                      struct plan *plan, struct failure *failure)
{
    static const double SHARE = 0.5;
    struct planning half = *planning;
    struct plan tree = {.kernel = NULL};
    bool found = false;
    half.effort_s *= SHARE;
    if (!planning_make(&half, plan, failure))
        return false;
    if (!trees_try(&half, whole, &tree, &found, failure)) {
        plan_release(&tree);
        plan_release(plan);
        return false;
    }
    if (found)
        better_keep(plan, &tree, TREE_GAIN);
    return true;
}

bool trees_make(const struct planning *planning, int64_t groups, struct plan *plan,
                struct failure *failure)
{
    const struct wanted all = {HUGE_VAL, 1};
    struct platform whole;
    if (!planning_platform_placed(planning, &whole, failure))
        return false;
    const bool good =
        platform_check(&whole, failure) && groups_check(planning, &whole, groups, failure) &&
        (groups == TREE_AUTO ? auto_make(planning, &whole, plan, failure)
                             : even_make(planning, &whole, groups, &all, plan, failure));
    platform_release(&whole);
    return good;
}

bool trees_make_less(const struct planning *planning, int64_t groups, double than_s,
                     struct plan *plan, struct failure *failure)
{
    const struct wanted wanted = {than_s, LESS_SHARE};
    struct platform whole;
    if (!planning_platform_placed(planning, &whole, failure))
        return false;
    const bool good = even_make(planning, &whole, groups, &wanted, plan, failure);
    platform_release(&whole);
    return good;
}

static bool grouping_check(const struct planning *planning, const struct platform *whole,
                           const struct group *grouping, const char *name, struct failure *failure)
{
    const int64_t highest = grouping_highest(grouping), leaves = grouping_leaves(grouping);
    if (highest > whole->worker_count)
        return failure_set(failure, FAILURE_MISMATCH,
                           "%s: has rank %" PRId64 ", and there are ranks up to %" PRId64
                           ": leave it out, or give -n %" PRId64,
                           name, highest, whole->worker_count, highest);
    return (double)leaves <= planning->tasks ||
           failure_set(failure, FAILURE_MISMATCH,
                       "%s: has %" PRId64 " groups for %.0f core task%s: give %s", name, leaves,
                       planning->tasks, planning->tasks == 1 ? "" : "s",
                       planning->tasks == 1 ? "one master, without --tree" : "fewer groups");
}

bool trees_make_of(const struct planning *planning, const struct group *grouping, const char *name,
                   struct plan *plan, struct failure *failure)
{
    const struct wanted all = {HUGE_VAL, 1};
    struct platform whole;
    if (!planning_platform_placed(planning, &whole, failure))
        return false;
    const bool good = platform_check(&whole, failure) &&
                      grouping_check(planning, &whole, grouping, name, failure) &&
                      tree_make(planning, &whole, grouping, &all, plan, failure);
    platform_release(&whole);
    return good;
}

/* ---- where nobody asked -------------------------------------------------------------------- */

/* The makespan with so many groups in equal rounds; HUGE_VAL: none takes less than `than_s`. */
static bool even_takes(const struct planning *planning, const struct platform *whole,
                       int64_t groups, double than_s, double *makespan_s, struct failure *failure)
{
    struct group grouping;
    struct tree tree = {.best_s = HUGE_VAL};
    bool good = grouping_even(&grouping, whole->worker_count, groups)
                    ? tree_init(&tree, planning, whole, &grouping, FIND_SHARE, failure)
                    : failure_memory(failure, "planning a tree");
    tree.best_s = than_s;
    good = good && tree_equal_search(&tree, failure);
    *makespan_s = tree.best_s < than_s ? tree.best_s : HUGE_VAL;
    tree_release(&tree);
    grouping_release(&grouping);
    return good;
}

struct best_groups {
    int64_t groups;
    double makespan_s; /* HUGE_VAL: none takes less than than_s */
    double than_s;
};

static bool groups_offer(const struct planning *planning, const struct platform *whole,
                         int64_t groups, struct best_groups *best, struct failure *failure)
{
    double makespan_s;
    const double than_s = fmin(best->than_s, best->makespan_s);
    if (!even_takes(planning, whole, groups, than_s, &makespan_s, failure))
        return false;
    if (makespan_s < best->makespan_s) {
        best->groups = groups;
        best->makespan_s = makespan_s;
    }
    return true;
}

/* Is so large a number of groups worth trying? It is while none has helped yet, and as long as its
 * neighbour was the best. */
static bool may_help(const struct best_groups *best, int64_t groups)
{
    return best->makespan_s == HUGE_VAL ||
           (groups <= 2 * best->groups && 2 * groups >= best->groups);
}

/* Tries powers of two: upwards from where there are about as many groups as workers in each, then
 * downwards from there. */
static bool groups_search(const struct planning *planning, const struct platform *whole,
                          struct best_groups *best, struct failure *failure)
{
    const int64_t most = groups_most(planning, whole);
    int64_t from = 2;
    while (4 * from * from <= whole->worker_count && 2 * from <= most)
        from *= 2;
    bool good = true;
    for (int64_t k = from; good && k <= most && may_help(best, k); k *= 2)
        good = groups_offer(planning, whole, k, best, failure);
    for (int64_t k = from / 2; good && k > 1 && may_help(best, k); k /= 2)
        good = groups_offer(planning, whole, k, best, failure);
    return good;
}

bool trees_find(const struct planning *planning, double than_s, int64_t *groups, double *makespan_s,
                struct failure *failure)
{
    struct platform whole;
    struct best_groups best = {0, HUGE_VAL, than_s};
    if (!planning_platform_placed(planning, &whole, failure))
        return false;
    const bool good = !is_for(&whole) || groups_most(planning, &whole) < 2 ||
                      groups_search(planning, &whole, &best, failure);
    platform_release(&whole);
    *groups = best.groups;
    *makespan_s = fmin(best.makespan_s, than_s);
    return good;
}

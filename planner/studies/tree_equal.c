#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "planner/studies/least_cost.h"
#include "planner/studies/tree_parts.h"

/* Cumulative shares of the work, by each worker's rate; owned. NULL: out of memory. */
static double *shares_make(const struct platform *platform)
{
    const struct platform_window *window = &platform->windows[platform->window_count - 1];
    double *shares = calloc((size_t)platform->worker_count + 1, sizeof *shares), sum = 0;
    for (int64_t k = 0; shares && k < platform->worker_count; k++) {
        sum += 1 / fmax(platform_class_work(platform_worker(window, k)).s_per_task, 1e-15);
        shares[k] = sum;
    }
    for (int64_t k = 0; shares && k < platform->worker_count; k++)
        shares[k] /= sum;
    return shares;
}

/* ---- lower bounds ------------------------------------------------------------- */

/* Adds up what a lower bound needs of a node and all below it. `share` is the node's part of the
 * job, `level` its distance from the top. */
static bool least_add(struct tree_least *least, const struct node *node, int level, double share)
{
    const struct platform *platform = node_platform(node);
    const double package_s = least_port(platform).latency_s;
    double *shares = shares_make(platform), before = 0;
    bool good = shares != NULL;
    least->ports[level] = fmax(least->ports[level], (double)platform->worker_count * package_s);
    for (int64_t k = 0; good && k < platform->worker_count; k++) {
        const double own = (shares[k] - before) * share;
        before = shares[k];
        if (node->count > 0) {
            good = least_add(least, &node->below[k], level + 1, own);
            continue;
        }
        const struct cost work = least_work(platform, k);
        const double rate = 1 / fmax(work.s_per_task, 1e-15);
        least->speed += rate;
        least->idle += rate * (double)(k + 1) * package_s;
        least->latencies[level] += rate * work.latency_s;
        least->share = fmin(least->share, own);
    }
    free(shares);
    return good;
}

/* At least so many packages a worker has of its core tasks, where it has `packages` of them at
 * most: rounding at the level above and at its own makes a package at most two core tasks larger
 * than the mean. */
static double packages_least(double tasks, double packages)
{
    static const double ROUNDED = 2;
    const double own = tasks - ROUNDED;
    return own > 0 ? own / (own / packages + ROUNDED) : 0;
}

/* A lower bound for equal rounds. Until the makespan each worker does all its packages, each with a
 * latency, and waits for its first one, if none of them is empty; weighted by the workers' rates
 * that adds up. Where core tasks are alike, the latencies of all packages on a master's port are a
 * bound, too. */
static double equal_least(const struct tree *tree, int64_t rounds, int64_t times)
{
    static const double EMPTY = 4, BUT_FOR_ROUNDING = 1 - 1e-9;
    const struct tree_least *least = &tree->least;
    const double tasks = tree->planning->tasks, own = tasks * least->share;
    double packages = (double)rounds, most = packages, idle = 0, port_s = 0;
    for (int level = 0; level <= GROUPING_DEEPEST; level++) {
        const double each = packages_least(own, packages);
        if (least->latencies[level] > 0)
            most = packages;
        idle += each * least->latencies[level];
        if (!tree->weighed)
            port_s = fmax(port_s, each * least->ports[level]);
        packages *= (double)times;
    }
    if (own / most >= EMPTY)
        idle += least->idle;
    return BUT_FOR_ROUNDING * fmax((tasks + idle) / least->speed, port_s);
}

bool tree_least_find(struct tree *tree)
{
    tree->least = (struct tree_least){.share = 1};
    return least_add(&tree->least, &tree->top, 0, 1);
}

/* ---- equal rounds -------------------------------------------------------------------------- */

/* Consecutive core tasks of the job that are assigned in rounds. `shares` are the workers' shares
 * of a round, cumulative, so that the last one is 1. */
struct assigned {
    double first, tasks;
    int64_t rounds;
    const double *shares; /* borrowed */
    int64_t count;
};

/* How many of these core tasks lie in the parts up to `at`. Parts are counted from 0, round by
 * round; `before` core tasks lie in the parts before this one. Where weights are known, parts are
 * equal in weight. */
static double assigned_until(const struct tree *tree, const struct assigned *assigned, int64_t at,
                             double before)
{
    const double each = assigned->tasks / (double)assigned->rounds;
    const int64_t round = at / assigned->count, slot = at % assigned->count;
    const double until = each * ((double)round + assigned->shares[slot]);
    const struct work *work = tree->work;
    if (!tree->weighed || at + 1 == assigned->rounds * assigned->count)
        return floor(until + 0.5);
    const double from = work_before(work, assigned->first);
    const double all = work_before(work, assigned->first + assigned->tasks) - from;
    const int64_t task =
        work_nearest(work, (int64_t)tree->planning->tasks, from + all * until / assigned->tasks,
                     (int64_t)(assigned->first + before));
    return fmin(assigned->tasks, (double)task - assigned->first);
}

/* Stands in a plan of equal rounds in place of a scheduler's name. */
#define EQUAL_ROUNDS "equal"

/* Makes rounds for these workers, with all loads 0. */
static bool rounds_open(struct plan *plan, int64_t workers, int64_t rounds)
{
    plan->workers = calloc((size_t)workers, sizeof *plan->workers);
    plan->rounds = calloc((size_t)rounds, sizeof *plan->rounds);
    plan->scheduler = strdup(EQUAL_ROUNDS);
    plan->worker_count = workers;
    for (int64_t k = 0; plan->workers && k < workers; k++)
        plan->workers[k] = k;
    bool good = plan->workers && plan->rounds && plan->scheduler;
    for (int64_t r = 0; good && r < rounds; r++) {
        plan->rounds[r] = (struct plan_round){1, calloc((size_t)workers, sizeof(double))};
        plan->round_count++;
        good = plan->rounds[r].loads != NULL;
    }
    return good;
}

/* Fills in the loads of rounds, from entry `from` on, and where in the job each of them begins.
 * False: a package lies in no window. */
static bool rounds_fill(const struct tree *tree, struct plan *plan, const struct platform *platform,
                        const struct assigned *assigned, size_t from, double *begins)
{
    double before = 0;
    bool fits = true;
    for (int64_t at = 0; at < assigned->rounds * assigned->count; at++) {
        const size_t entry = from + (size_t)(at / assigned->count);
        const int64_t slot = at % assigned->count;
        const double until = assigned_until(tree, assigned, at, before), load = until - before;
        double *loads = plan->rounds[entry].loads;
        if (slot == 0)
            begins[entry] = assigned->first + before;
        if (loads) /* always, by rounds_open; clang-tidy cannot see it */
            loads[slot] = load;
        fits = fits && loads && (!(load > 0) || platform_find(platform, load));
        before = until;
    }
    plan->tasks += assigned->tasks;
    return fits;
}

/* Fills in the plan of the group in slot `slot` of the plan above: each of its packages in `times`
 * rounds. */
static bool group_fill(const struct tree *tree, const struct plan *above, const double *begins,
                       int64_t slot, const struct platform *platform, int64_t times,
                       const double *shares, struct plan *plan, double *own_begins)
{
    bool fits = true;
    for (size_t r = 0; r < above->round_count; r++) {
        const double *loads = above->rounds[r].loads;
        struct assigned assigned = {begins[r], loads[slot], times, shares, platform->worker_count};
        for (int64_t k = 0; k < slot; k++)
            assigned.first += loads[k];
        fits = rounds_fill(tree, plan, platform, &assigned, r * (size_t)times, own_begins) && fits;
    }
    return fits && plan->tasks > 0;
}

static bool equal_below(const struct tree *tree, const struct node *node, struct plan *plan,
                        const double *begins, int64_t times, bool *fits, struct failure *failure);

/* Makes the plan of the group in that slot, and of all groups below it. */
static bool equal_group(const struct tree *tree, const struct node *node, int64_t slot,
                        struct plan *plan, const double *begins, int64_t times, bool *fits,
                        struct failure *failure)
{
    const struct node *group = &node->below[slot];
    const struct platform *platform = node_platform(group);
    const int64_t rounds = (int64_t)plan->round_count * times;
    struct plan *child = &plan->children[plan->child_count++];
    double *shares = shares_make(platform), *own = calloc((size_t)rounds, sizeof *own);
    bool good = shares && own && rounds_open(child, platform->worker_count, rounds);
    if (!good) {
        failure_memory(failure, "planning a tree");
    } else {
        *fits = group_fill(tree, plan, begins, slot, platform, times, shares, child, own) && *fits;
        good = equal_below(tree, group, child, own, times, fits, failure);
    }
    free(shares);
    free(own);
    return good;
}

/* Divides every package for a group into `times` rounds of the workers or groups below, and so on
 * down. `begins` says where in the job each round begins. *fits becomes false where a package lies
 * in no window or a group gets nothing. */
static bool equal_below(const struct tree *tree, const struct node *node, struct plan *plan,
                        const double *begins, int64_t times, bool *fits, struct failure *failure)
{
    bool good = true;
    if (node->count > 0)
        plan->children = calloc((size_t)node->count, sizeof *plan->children);
    if (node->count > 0 && !plan->children)
        return failure_memory(failure, "planning a tree");
    for (int64_t slot = 0; good && slot < node->count; slot++)
        good = equal_group(tree, node, slot, plan, begins, times, fits, failure);
    tree_places_name(node, plan);
    return good;
}

/* Tries equal rounds above, each package of which is divided into `times` equal rounds at each
 * level below. */
static bool equal_try(struct tree *tree, int64_t rounds, int64_t times, struct failure *failure)
{
    const struct platform *platform = node_platform(&tree->top);
    struct plan plan = {.kernel = NULL};
    if (equal_least(tree, rounds, times) >= tree->best_s)
        return true;
    double *shares = shares_make(platform), *begins = calloc((size_t)rounds, sizeof *begins);
    const struct assigned all = {0, tree->planning->tasks, rounds, shares, platform->worker_count};
    bool fits = true, good = shares && begins && rounds_open(&plan, all.count, rounds);
    if (!good) {
        failure_memory(failure, "planning a tree");
    } else {
        fits = rounds_fill(tree, &plan, platform, &all, 0, begins);
        good = equal_below(tree, &tree->top, &plan, begins, times, &fits, failure);
    }
    free(shares);
    free(begins);
    if (good && fits) {
        plan_inherit(&plan);
        return tree_keep(tree, &plan, failure);
    }
    plan_release(&plan);
    return good;
}

static const int64_t equal_rounds[] = {1, 2, 3, 4, 5, 6, 8, 10, 12, 16, 20, 24};
enum { EQUAL_ROUNDS_COUNT = sizeof equal_rounds / sizeof *equal_rounds, EQUAL_TIMES = 4 };

/* Do fewer rounds above, with more below, give as many packages to workers? In groups of workers
 * alone, with core tasks that are alike, workers then have the same packages, and groups get fewer
 * messages: only that needs to be tried. */
static bool is_coarser(const struct tree *tree, int64_t rounds, int64_t times)
{
    bool found = false;
    if (tree->weighed)
        return false;
    for (int64_t k = 0; k < tree->top.count; k++)
        if (tree->top.below[k].count > 0)
            return false;
    for (int k = 0; k < EQUAL_ROUNDS_COUNT; k++)
        for (int64_t more = times + 1; more <= EQUAL_TIMES; more++)
            found = found || equal_rounds[k] * more == rounds * times;
    return found;
}

bool tree_equal_search(struct tree *tree, struct failure *failure)
{
    bool good = true;
    for (int k = 0; good && k < EQUAL_ROUNDS_COUNT * EQUAL_TIMES && !tree_is_spent(tree); k++) {
        const int64_t rounds = equal_rounds[k / EQUAL_TIMES], times = k % EQUAL_TIMES + 1;
        good = is_coarser(tree, rounds, times) || equal_try(tree, rounds, times, failure);
    }
    return good;
}

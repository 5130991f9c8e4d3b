#include "planner/studies/trees.h"

#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "planner/base/effort.h"
#include "planner/model/platform.h"
#include "planner/schedulers/scheduler.h"
#include "planner/simulate/simulate.h"

/* Plans that are tried above and below; what does not apply is left out. */
static const char *const schedulers_above[] = {SCHEDULER_QUICK, "scow-pwu", "umr2", "single"};
static const char *const schedulers_below[] = {"scow-pwu", SCHEDULER_QUICK, "single"};
enum { BELOW = sizeof schedulers_below / sizeof *schedulers_below };

/* ---- groups -------------------------------------------------------------------------------- */

/* A master below, and its workers. */
struct group_ranks {
    struct platform platform; /* owned: its workers alone */
    int64_t master;           /* its index as a worker; its own workers are those behind it */
};

struct tree {
    const struct planning *planning;
    const struct platform *whole;
    struct group_ranks *groups; /* owned */
    int64_t count;
    /* Rank 0's view of them. */
    struct platform_class *classes; /* owned, one a group */
    struct platform_window window;
    struct platform above;
    /* The best one so far; owned. */
    struct plan best;
    double best_s;
};

static void tree_release(struct tree *tree)
{
    for (int64_t k = 0; k < tree->count; k++)
        platform_release(&tree->groups[k].platform);
    free(tree->groups);
    free(tree->classes);
    plan_release(&tree->best);
}

/* What a group takes for core tasks that its workers share, as a worker does. */
static struct cost group_work(const struct platform *platform, double load)
{
    const double each = load / (double)platform->worker_count;
    const struct platform_window *window = platform_nearest(platform, each);
    const struct cost prepared = cost_sum(window->envelope, window->send);
    double speed = 0, idle = 0, port = 0;
    for (int64_t k = 0; k < window->class_count; k++) {
        const struct platform_class *class = &window->classes[k];
        const struct cost work = platform_class_work(class);
        const double rate = fmax(work.s_per_task, 1e-15), share = (double)class->count / rate;
        speed += share;
        idle += share * work.latency_s;
        port += share * fmax(class->link.s_per_task, prepared.s_per_task);
    }
    return (struct cost){idle / speed, fmax(1, port) / speed};
}

/* By packages of about so many core tasks. */
static void above_fill(struct tree *tree, double load)
{
    const struct platform_window *real = platform_nearest(tree->whole, load);
    tree->window = (struct platform_window){.least = 1,
                                            .greatest = (int64_t)tree->planning->tasks,
                                            .envelope = real->envelope,
                                            .send = real->send,
                                            .classes = tree->classes,
                                            .class_count = tree->count};
    for (int64_t k = 0; k < tree->count; k++) {
        const struct platform_class *master = platform_worker(real, tree->groups[k].master);
        tree->classes[k] =
            (struct platform_class){.first = k,
                                    .count = 1,
                                    .link = master->link,
                                    .receive = master->receive,
                                    .compute = group_work(&tree->groups[k].platform, load),
                                    .start_s = master->start_s};
    }
    tree->above = (struct platform){.windows = &tree->window,
                                    .window_count = 1,
                                    .worker_count = tree->count,
                                    .buffers = tree->whole->buffers,
                                    .results = RESULTS_NONE,
                                    .operating = OPERATING_SINGLE_PORT};
}

/* Neighbouring workers, whose numbers differ by one at most. To be released in any case. */
static bool tree_init(struct tree *tree, const struct planning *planning,
                      const struct platform *whole, int64_t groups, struct failure *failure)
{
    static const double PACKAGES = 4; /* of a group, about */
    const int64_t workers = whole->worker_count;
    *tree = (struct tree){.planning = planning, .whole = whole, .best_s = HUGE_VAL};
    tree->groups = calloc((size_t)groups, sizeof *tree->groups);
    tree->classes = calloc((size_t)groups, sizeof *tree->classes);
    if (!tree->groups || !tree->classes)
        return failure_memory(failure, "planning a tree");
    while (tree->count < groups) {
        struct group_ranks *group = &tree->groups[tree->count];
        const int64_t end = (tree->count + 1) * workers / groups;
        group->master = tree->count * workers / groups;
        if (!planning_neighbours(planning, group->master + 1, end - 1, &group->platform, failure))
            return false;
        tree->count++;
    }
    above_fill(tree, fmax(1, floor(planning->tasks / (double)groups / PACKAGES)));
    return true;
}

/* ---- plans --------------------------------------------------------------------------------- */

/* All core tasks of a place. */
static double place_tasks(const struct plan *plan, int64_t slot)
{
    double sum = 0;
    for (size_t r = 0; r < plan->round_count; r++)
        sum += (double)plan->rounds[r].repeat * plan->rounds[r].loads[slot];
    return sum;
}

/* False: it has none, which is no failure unless *failure says so. */
static bool schedule_try(const char *name, const struct platform *platform, double tasks,
                         struct plan *plan, struct failure *failure)
{
    struct effort effort = {EFFORT_SECOND / 10};
    const struct schedule_request request = {
        .platform = platform, .tasks = tasks, .effort = &effort};
    struct failure refused = FAILURE_INIT;
    if (scheduler_make(scheduler_find(name), &request, plan, &refused))
        return true;
    if (refused.code != FAILURE_INFEASIBLE)
        failure_set(failure, refused.code, "%s", refused.text);
    return false;
}

/* The plan of each place's group, with workers as all count them. */
static bool children_make(const struct tree *tree, const char *below, struct plan *plan,
                          struct failure *failure)
{
    plan->children = calloc((size_t)plan->worker_count, sizeof *plan->children);
    if (!plan->children)
        return failure_memory(failure, "planning a tree");
    for (int64_t slot = 0; slot < plan->worker_count; slot++) {
        const struct group_ranks *group = &tree->groups[plan->workers[slot]];
        struct plan *child = &plan->children[slot];
        const double tasks = place_tasks(plan, slot);
        if (!(tasks > 0) || !schedule_try(below, &group->platform, tasks, child, failure))
            return false;
        plan->child_count++;
        child->predicted = (struct plan_prediction){.known = false}; /* as if it had all at once */
        for (int64_t k = 0; k < child->worker_count; k++)
            child->workers[k] += group->master + 1;
    }
    for (int64_t slot = 0; slot < plan->worker_count; slot++)
        plan->workers[slot] = tree->groups[plan->workers[slot]].master;
    plan_inherit(plan);
    return true;
}

/* It is the best one, or is released. */
static bool tree_keep(struct tree *tree, struct plan *plan, struct failure *failure)
{
    struct simulation simulation;
    if (!simulate_plan(tree->whole, plan, NULL, &simulation, failure)) {
        plan_release(plan);
        return false;
    }
    if (simulation.makespan_s < tree->best_s) {
        plan_release(&tree->best);
        tree->best = *plan;
        tree->best_s = simulation.makespan_s;
        tree->best.predicted = (struct plan_prediction){.known = true};
        planning_predict(&simulation, &tree->best.predicted);
        return true;
    }
    plan_release(plan);
    return true;
}

/* By these two. */
static bool pair_try(struct tree *tree, const char *above, const char *below,
                     struct failure *failure)
{
    struct plan plan = {.kernel = NULL};
    if (schedule_try(above, &tree->above, tree->planning->tasks, &plan, failure) &&
        children_make(tree, below, &plan, failure))
        return tree_keep(tree, &plan, failure);
    plan_release(&plan);
    return failure->code == FAILURE_NONE;
}

/* ---- equal rounds -------------------------------------------------------------------------- */

/* Whole core tasks of part `at` of `total`, in rounds of these shares: cumulative, the last one 1.
 */
static double share_of(double total, int64_t rounds, const double *shares, int64_t count,
                       int64_t at)
{
    const int64_t round = at / count;
    const double each = total / (double)rounds;
    const double before = at % count > 0 ? shares[at % count - 1] : 0;
    return floor(each * ((double)round + shares[at % count]) + 0.5) -
           floor(each * ((double)round + before) + 0.5);
}

/* As fast as each is by itself; owned, NULL: out of memory. */
static double *shares_make(const struct platform *platform)
{
    const struct platform_window *window = &platform->windows[platform->window_count - 1];
    double *shares = calloc((size_t)platform->worker_count, sizeof *shares), sum = 0;
    for (int64_t k = 0; shares && k < platform->worker_count; k++) {
        sum += 1 / fmax(platform_class_work(platform_worker(window, k)).s_per_task, 1e-15);
        shares[k] = sum;
    }
    for (int64_t k = 0; shares && k < platform->worker_count; k++)
        shares[k] /= sum;
    return shares;
}

/* What a plan of equal rounds has in place of a scheduler's name. */
#define EQUAL_ROUNDS "equal"

/* Rounds of these workers, without loads. */
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

/* `rounds` rounds of `total`, from entry `from` on. False: a package lies in no window. */
static bool rounds_fill(struct plan *plan, const struct platform *platform, const double *shares,
                        double total, size_t from, int64_t rounds)
{
    const int64_t count = plan->worker_count;
    bool fits = true;
    for (int64_t at = 0; at < rounds * count; at++) {
        const double load = share_of(total, rounds, shares, count, at);
        double *loads = plan->rounds[from + (size_t)(at / count)].loads;
        assert(loads); /* rounds_open has made them */
        loads[at % count] = load;
        fits = fits && (!(load > 0) || platform_find(platform, load));
    }
    plan->tasks += total;
    return fits;
}

/* Every package for a group in `times` rounds of its workers. */
static bool equal_below(const struct tree *tree, const struct plan *plan, int64_t slot,
                        int64_t times, struct plan *child, bool *fits, struct failure *failure)
{
    const struct platform *platform = &tree->groups[slot].platform;
    double *shares = shares_make(platform);
    const bool good =
        shares && rounds_open(child, platform->worker_count, (int64_t)plan->round_count * times);
    for (size_t r = 0; good && r < plan->round_count; r++)
        *fits = rounds_fill(child, platform, shares, plan->rounds[r].loads[slot], r * (size_t)times,
                            times) &&
                *fits;
    for (int64_t k = 0; good && k < child->worker_count; k++)
        child->workers[k] += tree->groups[slot].master + 1;
    free(shares);
    return good || failure_memory(failure, "planning a tree");
}

/* Equal rounds above, each package of which is dealt in `times` equal rounds below. */
static bool equal_try(struct tree *tree, int64_t rounds, int64_t times, struct failure *failure)
{
    struct plan plan = {.kernel = NULL};
    double *shares = shares_make(&tree->above);
    assert(tree->count > 0);
    bool fits = true, good = shares && rounds_open(&plan, tree->count, rounds);
    if (good)
        fits = rounds_fill(&plan, &tree->above, shares, tree->planning->tasks, 0, rounds);
    plan.children = good ? calloc((size_t)tree->count, sizeof *plan.children) : NULL;
    if (!plan.children)
        good = failure_memory(failure, "planning a tree");
    for (int64_t slot = 0; good && slot < tree->count; slot++) {
        assert(plan.workers && plan.children);
        good = equal_below(tree, &plan, slot, times, &plan.children[slot], &fits, failure);
        plan.child_count++;
        plan.workers[slot] = tree->groups[slot].master;
        fits = fits && plan.children[slot].tasks > 0;
    }
    free(shares);
    if (good && fits) {
        plan_inherit(&plan);
        return tree_keep(tree, &plan, failure);
    }
    plan_release(&plan);
    return good;
}

static bool equal_search(struct tree *tree, struct failure *failure)
{
    static const int64_t rounds[] = {1, 2, 3, 4, 5, 6, 8, 10, 12, 16, 20, 24};
    enum { ROUNDS = sizeof rounds / sizeof *rounds, TIMES = 4 };
    bool good = true;
    for (int k = 0; good && k < ROUNDS * TIMES; k++)
        good = equal_try(tree, rounds[k / TIMES], k % TIMES + 1, failure);
    return good;
}

/* ---- the best one -------------------------------------------------------------------------- */

/* The named scheduler above, or the best of some. */
static bool tree_search(struct tree *tree, struct failure *failure)
{
    const char *const named[] = {tree->planning->scheduler};
    const bool any = strcmp(named[0], SCHEDULER_AUTO) == 0;
    const char *const *above = any ? schedulers_above : named;
    const size_t count = any ? sizeof schedulers_above / sizeof *schedulers_above : 1;
    bool good = !any || equal_search(tree, failure);
    for (size_t pair = 0; good && pair < count * BELOW; pair++)
        good = pair_try(tree, above[pair / BELOW], schedulers_below[pair % BELOW], failure);
    return good && (tree->best_s < HUGE_VAL ||
                    failure_set(failure, FAILURE_INFEASIBLE,
                                "no tree of %" PRId64 " groups has packages within the profile's "
                                "windows that add up to the tasks: give fewer groups",
                                tree->count));
}

/* ---- how many groups ----------------------------------------------------------------------- */

/* Groups that have a worker and a core task each, at most. */
static int64_t groups_most(const struct planning *planning, const struct platform *whole)
{
    const int64_t most = whole->worker_count / 2;
    return planning->tasks < (double)most ? (int64_t)planning->tasks : most;
}

static bool groups_check(const struct planning *planning, const struct platform *whole,
                         int64_t groups, struct failure *failure)
{
    const int64_t most = groups_most(planning, whole);
    if (results_return(whole->results) || whole->operating != OPERATING_SINGLE_PORT)
        return failure_set(failure, FAILURE_USAGE,
                           "--tree is for results that workers write and for the operating model "
                           "single-port, for groups pass on nothing upwards: leave it out");
    if (groups == TREE_AUTO || groups <= most)
        return true;
    if (2 * groups > whole->worker_count)
        return failure_set(failure, FAILURE_USAGE,
                           "%" PRId64 " groups of a master and a worker need %" PRId64
                           " workers, and there are %" PRId64 ": give at most --tree %" PRId64,
                           groups, 2 * groups, whole->worker_count, most);
    return failure_set(failure, FAILURE_USAGE,
                       "%" PRId64 " groups for %.0f core tasks: give at most --tree %" PRId64,
                       groups, planning->tasks, most);
}

/* The best one of so many groups, labelled; to be released. */
static bool tree_make(const struct planning *planning, const struct platform *whole, int64_t groups,
                      struct plan *plan, struct failure *failure)
{
    struct tree tree;
    bool good = tree_init(&tree, planning, whole, groups, failure) && tree_search(&tree, failure) &&
                planning_check_total(&tree.best, failure) &&
                planning_label(planning, &tree.best, failure) &&
                planning_note_beyond(planning, whole->worker_count, &tree.best, failure);
    if (good) {
        *plan = tree.best;
        tree.best = (struct plan){.kernel = NULL};
    }
    tree_release(&tree);
    return good;
}

/* The tree takes the plan's place where it takes less by more than `gain`; the other is released.
 */
static void better_keep(struct plan *plan, struct plan *tree, double gain)
{
    if (tree->predicted.makespan_s < (1 - gain) * plan->predicted.makespan_s) {
        const struct plan worse = *plan;
        *plan = *tree;
        *tree = worse;
    }
    plan_release(tree);
}

/* The best of 2, 4, 8, ... groups; *found false: none has a plan. */
static bool trees_try(const struct planning *planning, const struct platform *whole,
                      struct plan *best, bool *found, struct failure *failure)
{
    const int64_t most = groups_most(planning, whole);
    *found = false;
    for (int64_t groups = 2; groups <= most; groups *= 2) {
        struct failure refused = FAILURE_INIT;
        struct plan plan;
        if (!tree_make(planning, whole, groups, &plan, &refused)) {
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
    struct plan tree = {.kernel = NULL};
    bool found;
    if (!planning_make(planning, plan, failure))
        return false;
    if (!trees_try(planning, whole, &tree, &found, failure)) {
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
    struct platform whole;
    if (!planning_platform(planning, &whole, failure))
        return false;
    const bool good = groups_check(planning, &whole, groups, failure) &&
                      (groups == TREE_AUTO ? auto_make(planning, &whole, plan, failure)
                                           : tree_make(planning, &whole, groups, plan, failure));
    platform_release(&whole);
    return good;
}

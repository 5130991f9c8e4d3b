#include "planner/studies/trees.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "planner/base/effort.h"
#include "planner/model/platform.h"
#include "planner/schedulers/scheduler.h"
#include "planner/simulate/simulate.h"
#include "planner/studies/least_cost.h"

/* Plans that are tried above and below; what does not apply is left out. */
static const char *const schedulers_above[] = {SCHEDULER_QUICK, "scow-pwu", "umr2", "single"};
static const char *const schedulers_below[] = {"scow-pwu", SCHEDULER_QUICK, "single"};
enum { BELOW = sizeof schedulers_below / sizeof *schedulers_below };

/* ---- groups -------------------------------------------------------------------------------- */

/* A master, as all see it that are planned below and above it. */
struct node {
    const struct group *group;
    struct platform workers; /* owned; of a group with workers: these alone */
    struct node *below;      /* owned; of one with groups: these */
    int64_t count;
    /* Then its view of them: */
    struct platform_class *classes; /* owned, one a group */
    struct platform_window window;
    struct platform groups;
};

/* What no tree of equal rounds takes less than (equal_least). Levels are those below the top. */
struct tree_least {
    double speed; /* core tasks that all workers do in a second */
    double idle;  /* by what they could do before their first packages come */
    double
        latencies[GROUPING_DEEPEST + 1]; /* and for the latencies of one package each, by levels */
    double share;                        /* of the job that a worker has, at least */
};

struct tree {
    const struct planning *planning;
    const struct platform *whole;
    struct node top;
    struct tree_least least;
    /* The best one so far; owned. */
    struct plan best;
    double best_s; /* or what one has to take less than */
};

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
}

/* What it assigns to. */
static const struct platform *node_platform(const struct node *node)
{
    return node->count > 0 ? &node->groups : &node->workers;
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

/* By packages of about so many core tasks, which they are told of (simulate/tree.h). */
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
                                    .compute = group_work(node_platform(&node->below[k]), load)};
    }
    node->groups = (struct platform){.windows = &node->window,
                                     .window_count = 1,
                                     .worker_count = node->count,
                                     .buffers = tree->whole->buffers,
                                     .results = RESULTS_NONE,
                                     .operating = OPERATING_SINGLE_PORT};
}

/* The group, with all below it, which has about so many core tasks. To be released in any case. */
static bool node_init(const struct tree *tree, struct node *node, const struct group *group,
                      double tasks, struct failure *failure)
{
    static const double PACKAGES = 4; /* of a group, about */
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
    }
    node_fill(tree, node, fmax(1, floor(tasks / (double)groups / PACKAGES)));
    return true;
}

/* ---- what none takes less than ------------------------------------------------------------- */

static double *shares_make(const struct platform *platform);

/* `share` of the job is the node's, which stands so many levels below the top. */
static bool least_add(struct tree_least *least, const struct node *node, int level, double share)
{
    const struct platform *platform = node->count > 0 ? &node->groups : &node->workers;
    const double package_s = least_port(platform).latency_s;
    double *shares = shares_make(platform), before = 0;
    bool good = shares != NULL;
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

/* How many packages a worker has whose core tasks come in so many at most: rounding, above and
 * below, makes none larger by more than two. */
static double packages_least(double tasks, double packages)
{
    static const double ROUNDED = 2;
    const double own = tasks - ROUNDED;
    return own > 0 ? own / (own / packages + ROUNDED) : 0;
}

/* Every worker does what it has by the end: its packages, each with a latency, and where none of
 * them is empty, from when its first one can be there; in the mean over all workers, by what they
 * do in a second, that is less than no makespan. */
static double equal_least(const struct tree *tree, int64_t rounds, int64_t times)
{
    static const double EMPTY = 4, BUT_FOR_ROUNDING = 1 - 1e-9;
    const struct tree_least *least = &tree->least;
    const double tasks = tree->planning->tasks, own = tasks * least->share;
    double packages = (double)rounds, most = packages, idle = 0;
    for (int level = 0; level <= GROUPING_DEEPEST; level++) {
        if (least->latencies[level] > 0)
            most = packages;
        idle += packages_least(own, packages) * least->latencies[level];
        packages *= (double)times;
    }
    if (own / most >= EMPTY)
        idle += least->idle;
    return BUT_FOR_ROUNDING * (tasks + idle) / least->speed;
}

/* To be released in any case. */
static bool tree_init(struct tree *tree, const struct planning *planning,
                      const struct platform *whole, const struct group *grouping,
                      struct failure *failure)
{
    *tree =
        (struct tree){.planning = planning, .whole = whole, .least.share = 1, .best_s = HUGE_VAL};
    return node_init(tree, &tree->top, grouping, planning->tasks, failure) &&
           (least_add(&tree->least, &tree->top, 0, 1) ||
            failure_memory(failure, "planning a tree"));
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

/* The worker with that number among those with a bit of *runs, as all count them. */
static int64_t chosen_worker(const struct plan_selection *selection, int64_t number)
{
    for (size_t k = 0; k < selection->count; k++) {
        const struct plan_run *run = &selection->runs[k];
        if (number <= run->last - run->first)
            return run->first + number;
        number -= run->last - run->first + 1;
    }
    return -1; /* there is no such one */
}

/* The plan's places, as the node counts them, as all do. */
static void places_name(const struct node *node, struct plan *plan)
{
    for (int64_t slot = 0; slot < plan->worker_count; slot++) {
        const int64_t place = plan->workers[slot];
        plan->workers[slot] = node->count > 0 ? node->below[place].group->master - 1
                                              : chosen_worker(&node->group->workers, place);
    }
}

/* Of a plan whose places are as the node counts them: the plan of each one's group. */
static bool children_make(const struct node *node, const char *below, struct plan *plan,
                          struct failure *failure)
{
    if (node->count > 0)
        plan->children = calloc((size_t)plan->worker_count, sizeof *plan->children);
    if (node->count > 0 && !plan->children)
        return failure_memory(failure, "planning a tree");
    for (int64_t slot = 0; node->count > 0 && slot < plan->worker_count; slot++) {
        const struct node *group = &node->below[plan->workers[slot]];
        struct plan *child = &plan->children[slot];
        const double tasks = place_tasks(plan, slot);
        if (!(tasks > 0) || !schedule_try(below, node_platform(group), tasks, child, failure))
            return false;
        plan->child_count++;
        child->predicted = (struct plan_prediction){.known = false}; /* as if it had all at once */
        if (!children_make(group, below, child, failure))
            return false;
    }
    places_name(node, plan);
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
    if (schedule_try(above, node_platform(&tree->top), tree->planning->tasks, &plan, failure) &&
        children_make(&tree->top, below, &plan, failure)) {
        plan_inherit(&plan);
        return tree_keep(tree, &plan, failure);
    }
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
    double *shares = calloc((size_t)platform->worker_count + 1, sizeof *shares), sum = 0;
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
        if (loads) /* rounds_open has made them */
            loads[at % count] = load;
        fits = fits && loads && (!(load > 0) || platform_find(platform, load));
    }
    plan->tasks += total;
    return fits;
}

/* Every package for a group in `times` rounds of those below it, and so on. *fits false: a package
 * lies in no window, or some group gets nothing. */
static bool equal_below(const struct node *node, struct plan *plan, int64_t times, bool *fits,
                        struct failure *failure)
{
    plan->children = node->count > 0 ? calloc((size_t)node->count, sizeof *plan->children) : NULL;
    bool good = plan->children || node->count == 0;
    for (int64_t slot = 0; good && slot < node->count; slot++) {
        const struct node *group = &node->below[slot];
        const struct platform *platform = node_platform(group);
        struct plan *child = &plan->children[plan->child_count++];
        double *shares = shares_make(platform);
        good = shares &&
               rounds_open(child, platform->worker_count, (int64_t)plan->round_count * times);
        for (size_t r = 0; good && r < plan->round_count; r++)
            *fits = rounds_fill(child, platform, shares, plan->rounds[r].loads[slot],
                                r * (size_t)times, times) &&
                    *fits;
        free(shares);
        *fits = *fits && child->tasks > 0;
        if (good && !equal_below(group, child, times, fits, failure))
            return false;
    }
    places_name(node, plan);
    return good || failure_memory(failure, "planning a tree");
}

/* Equal rounds above, each package of which is assigned in `times` equal rounds below. */
static bool equal_try(struct tree *tree, int64_t rounds, int64_t times, struct failure *failure)
{
    const struct platform *platform = node_platform(&tree->top);
    struct plan plan = {.kernel = NULL};
    if (equal_least(tree, rounds, times) >= tree->best_s)
        return true;
    double *shares = shares_make(platform);
    bool fits = true, good = shares && rounds_open(&plan, platform->worker_count, rounds);
    if (good)
        fits = rounds_fill(&plan, platform, shares, tree->planning->tasks, 0, rounds);
    good = good ? equal_below(&tree->top, &plan, times, &fits, failure)
                : failure_memory(failure, "planning a tree");
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
                                grouping_leaves(tree->top.group)));
}

/* ---- how many groups ----------------------------------------------------------------------- */

/* Groups that have a worker and a core task each, at most. */
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

/* The best one of these groups, labelled; to be released. */
static bool tree_make(const struct planning *planning, const struct platform *whole,
                      const struct group *grouping, struct plan *plan, struct failure *failure)
{
    struct tree tree;
    bool good = tree_init(&tree, planning, whole, grouping, failure) &&
                tree_search(&tree, failure) && planning_check_total(&tree.best, failure) &&
                planning_label(planning, &tree.best, failure) &&
                planning_note_beyond(planning, whole->worker_count, &tree.best, failure);
    if (good) {
        *plan = tree.best;
        tree.best = (struct plan){.kernel = NULL};
    }
    tree_release(&tree);
    return good;
}

/* Of so many groups of neighbours. */
static bool even_make(const struct planning *planning, const struct platform *whole, int64_t groups,
                      struct plan *plan, struct failure *failure)
{
    struct group grouping;
    const bool good = grouping_even(&grouping, whole->worker_count, groups)
                          ? tree_make(planning, whole, &grouping, plan, failure)
                          : failure_memory(failure, "planning a tree");
    grouping_release(&grouping);
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
        struct plan plan = {.kernel = NULL};
        if (!even_make(planning, whole, groups, &plan, &refused)) {
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
    bool found = false;
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
    const bool good = platform_check(&whole, failure) &&
                      groups_check(planning, &whole, groups, failure) &&
                      (groups == TREE_AUTO ? auto_make(planning, &whole, plan, failure)
                                           : even_make(planning, &whole, groups, plan, failure));
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
                       "%s: has %" PRId64 " groups for %.0f core tasks: give fewer groups", name,
                       leaves, planning->tasks);
}

bool trees_make_of(const struct planning *planning, const struct group *grouping, const char *name,
                   struct plan *plan, struct failure *failure)
{
    struct platform whole;
    if (!planning_platform(planning, &whole, failure))
        return false;
    const bool good = platform_check(&whole, failure) &&
                      grouping_check(planning, &whole, grouping, name, failure) &&
                      tree_make(planning, &whole, grouping, plan, failure);
    platform_release(&whole);
    return good;
}

/* ---- where nobody asked -------------------------------------------------------------------- */

/* So many groups, in equal rounds; HUGE_VAL: there is no such plan that takes less than `than_s`.
 */
static bool even_takes(const struct planning *planning, const struct platform *whole,
                       int64_t groups, double than_s, double *makespan_s, struct failure *failure)
{
    struct group grouping;
    struct tree tree = {.best_s = HUGE_VAL};
    bool good = grouping_even(&grouping, whole->worker_count, groups)
                    ? tree_init(&tree, planning, whole, &grouping, failure)
                    : failure_memory(failure, "planning a tree");
    tree.best_s = than_s;
    good = good && equal_search(&tree, failure);
    *makespan_s = tree.best_s < than_s ? tree.best_s : HUGE_VAL;
    tree_release(&tree);
    grouping_release(&grouping);
    return good;
}

struct best_groups {
    int64_t groups;
    double makespan_s; /* HUGE_VAL: none takes less than: */
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

/* Does it pay to look at so many groups? As long as that helps, or nothing has yet. */
static bool may_help(const struct best_groups *best, int64_t groups)
{
    return best->makespan_s == HUGE_VAL ||
           (groups <= 2 * best->groups && 2 * groups >= best->groups);
}

/* Among powers of two: from where groups are about as many as each has workers upwards, and then
 * downwards. */
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
    if (!planning_platform(planning, &whole, failure))
        return false;
    const bool good = !is_for(&whole) || groups_most(planning, &whole) < 2 ||
                      groups_search(planning, &whole, &best, failure);
    platform_release(&whole);
    *groups = best.groups;
    *makespan_s = fmin(best.makespan_s, than_s);
    return good;
}

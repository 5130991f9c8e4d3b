#include "planner/simulate/tree.h"

#include <math.h>
#include <stdlib.h>

#include "planner/simulate/plan_source.h"

/* What all masters of a tree have in common; borrowed. */
struct tree_setup {
    struct platform alike;             /* its costs, as if core tasks were alike */
    const struct platform *placed;     /* what they differ by */
    const struct variation *variation; /* NULL: all is as planned */
    struct trace *trace;               /* NULL: nobody traces */
};

/* A master. */
struct node {
    const struct tree_setup *setup;
    const struct plan *plan;
    struct plan_source source;
    struct loop loop;
    struct node *children; /* owned; one for each place; NULL: its workers compute */
    double arrived;        /* core tasks that it may send on */
    double place;          /* in the job, of the first of them that it has not sent */
    double left;           /* of the source's package, not sent yet */
    double sent;           /* core tasks of the package that was sent last */
    struct star_cost cost; /* that of a piece of it, or what it is in this run */
};

static void node_release(struct node *node)
{
    for (size_t k = 0; node->children && k < node->plan->child_count; k++)
        node_release(&node->children[k]);
    free(node->children);
    loop_release(&node->loop);
    plan_source_release(&node->source);
}

/* Its workers are masters, which begin with the run: only who computes has something to start. */
static void groups_ready(struct loop *loop)
{
    for (int64_t k = 0; k < loop->star.worker_count; k++)
        loop->star.workers[k].prepared_s = loop->star.workers[k].free_s = 0;
}

/* To be released in any case. False: out of memory. */
static bool node_init(struct node *node, const struct tree_setup *setup, const struct plan *plan)
{
    const struct platform *platform = &setup->alike;
    *node = (struct node){.setup = setup, .plan = plan};
    if (!plan_source_init(&node->source, platform, plan) ||
        !loop_init(&node->loop, platform, plan->worker_count))
        return false;
    loop_restart(&node->loop, platform, plan->workers);
    node->loop.trace = setup->trace;
    node->loop.master = (int32_t)plan->master;
    if (plan->child_count == 0)
        return true;
    groups_ready(&node->loop);
    node->children = calloc(plan->child_count, sizeof *node->children);
    bool good = node->children != NULL;
    for (size_t k = 0; node->children && k < plan->child_count; k++)
        good = node_init(&node->children[k], setup, &plan->children[k]) && good;
    return good;
}

/* Core tasks of the package at hand that are there: fractions of them add up but for rounding. */
static double piece_find(const struct node *node)
{
    static const double ROUNDING = 1e-9;
    const struct plan_cursor *cursor = &node->source.cursor;
    const double spare = node->plan->real_valued ? ROUNDING * node->plan->tasks : 0;
    const double there = node->arrived - (cursor->first + cursor->load - node->left);
    return node->left <= there + spare ? node->left : there > spare ? there : 0;
}

/* Less than the package that the source has described. */
static void piece_describe(struct node *node, struct loop_package *package, double load)
{
    const struct plan_source *source = &node->source;
    const struct plan_cursor *cursor = &source->cursor;
    const struct platform_window *window = platform_nearest(source->platform, load);
    const struct platform_class *class =
        platform_worker(window, cursor->plan->workers[cursor->slot]);
    node->cost =
        source->groups ? star_cost_of_group(window, class) : star_cost_of(window, class, load);
    package->cost = &node->cost;
    package->load = load;
}

/* What it takes in this run. */
static void package_vary(struct node *node, int64_t worker, double load)
{
    const struct variation *variation = node->setup->variation;
    const struct plan_cursor *cursor = &node->source.cursor;
    const struct package priced = {.index = cursor->index,
                                   .round = cursor->round,
                                   .worker = worker,
                                   .first = (int64_t)node->place,
                                   .count = (int64_t)load};
    if (variation && variation->price)
        variation->price(variation->self, &priced, &node->cost);
}

/* What a package that is computed takes of its core tasks, for the master of a group is told which
 * these are and no more. */
static void package_price(struct node *node, struct loop_package *package, double load)
{
    const struct tree_setup *setup = node->setup;
    const struct plan_cursor *cursor = &node->source.cursor;
    const int64_t worker = cursor->plan->workers[cursor->slot];
    const struct platform_window *window = platform_nearest(&setup->alike, load);
    if (node->children || !(setup->variation || platform_differs(setup->placed)))
        return;
    node->cost = *package->cost;
    package_vary(node, worker, load);
    star_cost_place(&node->cost, setup->placed, window, platform_worker(window, worker),
                    node->place, load);
    package->cost = &node->cost;
}

static enum loop_answer node_next(void *self, struct loop *loop, struct loop_package *package,
                                  struct failure *failure)
{
    struct node *node = self;
    if (!(node->left > 0)) {
        const enum loop_answer answer = plan_source_next(&node->source, loop, package, failure);
        if (answer != LOOP_SEND)
            return answer;
        node->left = node->source.cursor.load;
    }
    const double load = piece_find(node);
    if (!(load > 0))
        return LOOP_PAUSE;
    if (load < node->source.cursor.load)
        piece_describe(node, package, load);
    package_price(node, package, load);
    package->first = node->place;
    node->sent = load;
    node->left -= load;
    node->place += load;
    return LOOP_SEND;
}

static bool node_run(struct node *node, struct failure *failure);

/* Play the group below with what has arrived; then its master may begin with the next package. All
 * that had arrived before is sent on: what it sends now is what has just come. */
static bool node_sent(void *self, struct loop *loop, const struct loop_package *package,
                      const struct star_times *times, struct failure *failure)
{
    struct node *node = self, *child;
    struct star_worker *group = &loop->star.workers[package->worker];
    if (!node->children)
        return true;
    child = &node->children[package->worker];
    child->arrived += node->sent;
    child->place = package->first;
    child->loop.star.master_s = times->received_s;
    if (!node_run(child, failure))
        return false;
    group->free_s = child->loop.star.master_s;
    group->end_s = loop_makespan(&child->loop);
    return true;
}

static bool node_run(struct node *node, struct failure *failure)
{
    const struct loop_source source = {.next = node_next, .sent = node_sent, .self = node};
    return loop_run(&node->loop, &source, failure);
}

/* Of the workers that compute, and of the busiest master. */
static void node_sum(const struct node *node, struct simulation *sum)
{
    struct simulation star;
    if (!node->children) {
        star_sum(&node->loop.star, &star);
        simulation_join(sum, &star);
        return;
    }
    sum->master_busy_s = fmax(sum->master_busy_s, node->loop.star.master_busy_s);
    sum->port_busy_s = fmax(sum->port_busy_s, node->loop.star.port_busy_s);
    for (size_t k = 0; k < node->plan->child_count; k++)
        node_sum(&node->children[k], sum);
}

static bool node_check(const struct platform *platform, const struct plan *plan,
                       struct failure *failure)
{
    bool good = plan_source_check(platform, plan, failure);
    for (size_t k = 0; good && k < plan->child_count; k++)
        good = node_check(platform, &plan->children[k], failure);
    return good;
}

bool tree_simulate(const struct platform *platform, const struct plan *plan,
                   const struct variation *variation, struct trace *trace,
                   struct simulation *simulation, struct failure *failure)
{
    const struct platform *drawn = variation && variation->drawn ? variation->drawn : platform;
    const struct tree_setup setup = {platform_unplaced(drawn), platform, variation, trace};
    struct node node;
    struct simulation sum = {.packages = 0};
    if (loop_needs_events(platform))
        return failure_set(failure, FAILURE_INFEASIBLE,
                           "groups with masters of their own are for the model single-port, and "
                           "for results that workers write: give a plan without children");
    if (!node_check(platform, plan, failure))
        return false;
    bool good = node_init(&node, &setup, plan) || failure_memory(failure, "simulating a tree");
    node.arrived = HUGE_VAL;
    good = good && node_run(&node, failure);
    if (good) {
        node_sum(&node, &sum);
        *simulation = sum;
    }
    node_release(&node);
    return good;
}

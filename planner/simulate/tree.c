#include "planner/simulate/tree.h"

#include <math.h>
#include <stdlib.h>

#include "planner/dispatch/stream.h"
#include "planner/simulate/plan_source.h"
#include "planner/simulate/star_part.h"

/* A group whose workers compute, played by itself with what it gets. */
struct leaf {
    struct star_part part;           /* owned */
    struct trace trace;              /* owned; its ranks count from its master */
    struct dispatch *inner, *stream; /* of the next one: what decides, and what it gets */
    struct dispatch *dispatch;       /* owned */
    struct scenario_play *play;      /* owned */
};

/* What all masters of a tree have in common; borrowed. */
struct tree_play {
    const struct tree_setup *setup;
    struct platform alike;             /* its costs, as if core tasks were alike */
    const struct platform *placed;     /* what they differ by */
    const struct variation *variation; /* NULL: all is as planned */
    struct trace *trace;               /* NULL: nobody traces */
    struct leaf *leaves;               /* owned; in the order of plan_leaf; NULL: plans decide */
    size_t count, taken;               /* of them, those that a node has */
};

/* A master. */
struct node {
    struct tree_play *play;
    const struct plan *plan;
    struct plan_source source;
    struct loop loop;
    struct node *children; /* owned; one for each place; NULL: its workers compute */
    double arrived;        /* core tasks that it may send on */
    double place;          /* in the job, of the first of them that it has not sent */
    double left;           /* of the source's package, not sent yet */
    double sent;           /* core tasks of the package that was sent last */
    struct star_cost cost; /* that of a piece of it, or what it is in this run */
    struct leaf *leaf;     /* borrowed; NULL: the plan decides, and nothing disturbs it */
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
static bool node_init(struct node *node, struct tree_play *play, const struct plan *plan)
{
    const struct platform *platform = &play->alike;
    *node = (struct node){.play = play, .plan = plan};
    if (play->leaves && plan->child_count == 0)
        node->leaf = &play->leaves[play->taken++];
    if (!plan_source_init(&node->source, platform, plan) ||
        !loop_init(&node->loop, platform, plan->worker_count))
        return false;
    loop_restart(&node->loop, platform, plan->workers);
    node->loop.trace = play->trace;
    node->loop.master = (int32_t)plan->master;
    if (plan->child_count == 0)
        return true;
    groups_ready(&node->loop);
    node->children = calloc(plan->child_count, sizeof *node->children);
    bool good = node->children != NULL;
    for (size_t k = 0; node->children && k < plan->child_count; k++)
        good = node_init(&node->children[k], play, &plan->children[k]) && good;
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
    const struct variation *variation = node->play->variation;
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
    const struct tree_play *play = node->play;
    const struct plan_cursor *cursor = &node->source.cursor;
    const int64_t worker = cursor->plan->workers[cursor->slot];
    const struct platform_window *window = platform_nearest(&play->alike, load);
    if (node->children || !(play->variation || platform_differs(play->placed)))
        return;
    node->cost = *package->cost;
    package_vary(node, worker, load);
    star_cost_place(&node->cost, play->placed, window, platform_worker(window, worker), node->place,
                    load);
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

/* What has happened until then, and the package, of which nothing waits for another one. */
static bool leaf_take(struct leaf *leaf, const struct task_range *range, double received_s,
                      double *handed_out_s, struct failure *failure)
{
    if (scenario_play_next(leaf->play) < received_s &&
        !scenario_play_run(leaf->play, received_s, failure))
        return false;
    if (dispatch_stream_add(leaf->stream, *range) < 0)
        return failure_memory(failure, "simulating a tree");
    scenario_play_wake(leaf->play, received_s);
    return scenario_play_hand_out(leaf->play, handed_out_s, failure);
}

static bool leaf_end(struct leaf *leaf, struct failure *failure)
{
    dispatch_stream_end(leaf->stream);
    scenario_play_wake(leaf->play, 0);
    return scenario_play_run(leaf->play, HUGE_VAL, failure);
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
    if (child->leaf) {
        const struct task_range range = {(int64_t)package->first, (int64_t)node->sent};
        return leaf_take(child->leaf, &range, times->received_s, &group->free_s, failure);
    }
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
    if (node->leaf) {
        scenario_play_sum(node->leaf->play, &star);
        simulation_join(sum, &star);
        return;
    }
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

/* ---- groups that decide by themselves -------------------------------------------------------- */

static bool leaf_begin(struct tree_play *play, size_t k, struct failure *failure)
{
    const struct tree_setup *setup = play->setup;
    const struct plan *plan = plan_leaf(setup->plan, k);
    struct leaf *leaf = &play->leaves[k];
    struct star_part *part = &leaf->part;
    const int64_t ranks = play->alike.worker_count + 1;
    const struct star_part_setup own = {.platform = setup->platform,
                                        .scenario = setup->scenario,
                                        .plan = plan,
                                        .workers =
                                            plan_workers_behind(setup->plan, plan->master, ranks),
                                        .number = (int)k};
    if (!star_part_init(part, &own, failure))
        return false;
    leaf->inner = decision_inner(setup->decisions ? &setup->decisions[k] : &part->follows,
                                 &part->platform, &part->scenario, failure);
    leaf->stream = leaf->inner ? dispatch_new_stream(leaf->inner, (int64_t)plan->tasks) : NULL;
    if (leaf->stream)
        leaf->dispatch = decision_recovery(leaf->stream, &part->platform, &part->scenario);
    if (!leaf->dispatch)
        return leaf->inner ? failure_memory(failure, "simulating a tree") : false;
    dispatch_recovery_apart(leaf->dispatch);
    leaf->play = scenario_play_new(&part->platform, leaf->dispatch, &part->scenario,
                                   play->trace ? &leaf->trace : NULL, 0, failure);
    return leaf->play != NULL;
}

static bool leaves_begin(struct tree_play *play, struct failure *failure)
{
    bool good = true;
    play->leaves = calloc(play->count, sizeof *play->leaves);
    if (!play->leaves)
        return failure_memory(failure, "simulating a tree");
    for (size_t k = 0; good && k < play->count; k++)
        good = leaf_begin(play, k, failure);
    return good;
}

static bool leaves_end(struct tree_play *play, struct failure *failure)
{
    bool good = true;
    for (size_t k = 0; good && play->leaves && k < play->count; k++)
        good = leaf_end(&play->leaves[k], failure);
    return good;
}

static bool leaves_tell(const struct tree_play *play, struct failure *failure)
{
    bool good = true;
    for (size_t k = 0; good && play->leaves && k < play->count; k++) {
        const struct leaf *leaf = &play->leaves[k];
        good = !play->trace || star_part_trace(&leaf->part, &leaf->trace, play->trace) ||
               failure_memory(failure, "simulating a tree");
        if (play->setup->decided)
            play->setup->decided(play->setup->self, (int)k, leaf->inner);
    }
    return good;
}

static void leaves_release(struct tree_play *play)
{
    for (size_t k = 0; play->leaves && k < play->count; k++) {
        struct leaf *leaf = &play->leaves[k];
        scenario_play_free(&leaf->play);
        dispatch_free(&leaf->dispatch);
        trace_release(&leaf->trace);
        star_part_release(&leaf->part);
    }
    free(play->leaves);
}

/* ---- all of it ------------------------------------------------------------------------------- */

static bool tree_play(struct tree_play *play, struct simulation *simulation,
                      struct failure *failure)
{
    struct node node;
    struct simulation sum = {.packages = 0};
    bool good =
        node_init(&node, play, play->setup->plan) || failure_memory(failure, "simulating a tree");
    node.arrived = HUGE_VAL;
    good =
        good && node_run(&node, failure) && leaves_end(play, failure) && leaves_tell(play, failure);
    if (good) {
        node_sum(&node, &sum);
        *simulation = sum;
    }
    node_release(&node);
    return good;
}

static bool tree_check(const struct platform *platform, const struct plan *plan,
                       struct failure *failure)
{
    if (loop_needs_events(platform))
        return failure_set(failure, FAILURE_INFEASIBLE,
                           "groups with masters of their own are for the model single-port, and "
                           "for results that workers write: give a plan without children");
    return node_check(platform, plan, failure);
}

bool tree_simulate(const struct platform *platform, const struct plan *plan,
                   const struct variation *variation, struct trace *trace,
                   struct simulation *simulation, struct failure *failure)
{
    const struct tree_setup setup = {.platform = platform, .plan = plan};
    const struct platform *drawn = variation && variation->drawn ? variation->drawn : platform;
    struct tree_play play = {.setup = &setup,
                             .alike = platform_unplaced(drawn),
                             .placed = platform,
                             .variation = variation,
                             .trace = trace};
    return tree_check(platform, plan, failure) && tree_play(&play, simulation, failure);
}

bool simulate_tree(const struct tree_setup *setup, struct trace *trace,
                   struct simulation *simulation, struct failure *failure)
{
    struct tree_play play = {.setup = setup,
                             .alike = platform_unplaced(setup->platform),
                             .placed = setup->platform,
                             .count = plan_leaves(setup->plan),
                             .trace = trace};
    if (!tree_check(setup->platform, setup->plan, failure))
        return false;
    const bool good = leaves_begin(&play, failure) && tree_play(&play, simulation, failure);
    leaves_release(&play);
    return good;
}

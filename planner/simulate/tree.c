#include "planner/simulate/tree.h"

#include <math.h>
#include <stdlib.h>

#include "planner/dispatch/stream.h"
#include "planner/simulate/plan_source.h"
#include "planner/simulate/star_part.h"

/* A group whose workers compute, simulated by itself with the packages that it gets. */
struct leaf {
    struct star_part part;                /* owned */
    struct trace trace;                   /* owned; ranks are relative to its master */
    struct dispatch *inner, *stream;      /* owned by `dispatch`: what decides, and what arrives */
    struct dispatch *dispatch;            /* owned */
    struct scenario_simulator *simulator; /* owned */
};

/* What all masters of a tree share; borrowed. */
struct tree_simulator {
    const struct tree_setup *setup;
    struct platform alike;             /* the platform's costs, as if core tasks were alike */
    const struct platform *placed;     /* the platform with the differences of core tasks */
    const struct variation *variation; /* NULL: costs are those of the plan */
    struct trace *trace;               /* NULL: there is no trace */
    struct leaf *leaves; /* owned; in the order of plan_leaf; NULL: groups follow plans */
    size_t count, taken; /* leaves; those that have been given to a master */
};

/* A master of the tree. */
struct tree_master {
    struct tree_simulator *simulator;
    const struct plan *plan;
    struct plan_source source;
    struct loop loop;
    struct tree_master *children; /* owned; one for each slot; NULL: its workers compute */
    double arrived;               /* core tasks that have arrived at it */
    double place;          /* where in the job the first core task lies that it has not sent */
    double left;           /* core tasks of the source's package that are not sent yet */
    double sent;           /* core tasks of the package that was sent last */
    struct star_cost cost; /* of a piece of a package, or as varied in this run */
    struct leaf *leaf;     /* borrowed; NULL: it follows the plan, undisturbed */
};

static void master_release(struct tree_master *master)
{
    for (size_t k = 0; master->children && k < master->plan->child_count; k++)
        master_release(&master->children[k]);
    free(master->children);
    loop_release(&master->loop);
    plan_source_release(&master->source);
}

/* The workers of this master are masters, which are there when the run begins: only workers that
 * compute have a start-up. */
static void groups_ready(struct loop *loop)
{
    for (int64_t k = 0; k < loop->star.worker_count; k++)
        loop->star.workers[k].prepared_s = loop->star.workers[k].free_s = 0;
}

/* To be released in any case. False: out of memory. */
static bool master_init(struct tree_master *master, struct tree_simulator *simulator,
                        const struct plan *plan)
{
    const struct platform *platform = &simulator->alike;
    *master = (struct tree_master){.simulator = simulator, .plan = plan};
    if (simulator->leaves && plan->child_count == 0)
        master->leaf = &simulator->leaves[simulator->taken++];
    if (!plan_source_init(&master->source, platform, plan) ||
        !loop_init(&master->loop, platform, plan->worker_count))
        return false;
    loop_restart(&master->loop, platform, plan->workers);
    master->loop.trace = simulator->trace;
    master->loop.master = (int32_t)plan->master;
    if (plan->child_count == 0)
        return true;
    groups_ready(&master->loop);
    master->children = calloc(plan->child_count, sizeof *master->children);
    bool good = master->children != NULL;
    for (size_t k = 0; master->children && k < plan->child_count; k++)
        good = master_init(&master->children[k], simulator, &plan->children[k]) && good;
    return good;
}

/* How many core tasks of the current package have arrived; sums of fractions are exact but for
 * rounding. */
static double piece_find(const struct tree_master *master)
{
    static const double ROUNDING = 1e-9;
    const struct plan_cursor *cursor = &master->source.cursor;
    const double spare = master->plan->real_valued ? ROUNDING * master->plan->tasks : 0;
    const double there = master->arrived - (cursor->first + cursor->load - master->left);
    return master->left <= there + spare ? master->left : there > spare ? there : 0;
}

/* Describes a piece that is smaller than the source's package. */
static void piece_describe(struct tree_master *master, struct loop_package *package, double load)
{
    const struct plan_source *source = &master->source;
    const struct plan_cursor *cursor = &source->cursor;
    const struct platform_window *window = platform_nearest(source->platform, load);
    const struct platform_class *class =
        platform_worker(window, cursor->plan->workers[cursor->slot]);
    master->cost =
        source->groups ? star_cost_of_group(window, class) : star_cost_of(window, class, load);
    package->cost = &master->cost;
    package->load = load;
}

/* Varies the package's costs as this run does. */
static void package_vary(struct tree_master *master, int64_t worker, double load)
{
    const struct variation *variation = master->simulator->variation;
    const struct plan_cursor *cursor = &master->source.cursor;
    const struct package priced = {.index = cursor->index,
                                   .round = cursor->round,
                                   .worker = worker,
                                   .first = (int64_t)master->place,
                                   .count = (int64_t)load};
    if (variation && variation->price)
        variation->price(variation->self, &priced, &master->cost);
}

/* Only a package that is computed costs by its core tasks: the message to a group's master only
 * names them. */
static void package_price(struct tree_master *master, struct loop_package *package, double load)
{
    const struct tree_simulator *simulator = master->simulator;
    const struct plan_cursor *cursor = &master->source.cursor;
    const int64_t worker = cursor->plan->workers[cursor->slot];
    const struct platform_window *window = platform_nearest(&simulator->alike, load);
    if (master->children || !(simulator->variation || platform_differs(simulator->placed)))
        return;
    master->cost = *package->cost;
    package_vary(master, worker, load);
    star_cost_place(&master->cost, simulator->placed, window, platform_worker(window, worker),
                    master->place, load);
    package->cost = &master->cost;
}

static enum loop_answer master_next(void *self, struct loop *loop, struct loop_package *package,
                                    struct failure *failure)
{
    struct tree_master *master = self;
    if (!(master->left > 0)) {
        const enum loop_answer answer = plan_source_next(&master->source, loop, package, failure);
        if (answer != LOOP_SEND)
            return answer;
        master->left = master->source.cursor.load;
    }
    const double load = piece_find(master);
    if (!(load > 0))
        return LOOP_PAUSE;
    if (load < master->source.cursor.load)
        piece_describe(master, package, load);
    package_price(master, package, load);
    package->first = master->place;
    master->sent = load;
    master->left -= load;
    master->place += load;
    return LOOP_SEND;
}

/* Simulates the group until the package arrives, and then until it has handed out the package; it
 * never waits for a later package to do so. */
static bool leaf_take(struct leaf *leaf, const struct task_range *range, double received_s,
                      double *handed_out_s, struct failure *failure)
{
    if (scenario_simulator_next(leaf->simulator) < received_s &&
        !scenario_simulator_run(leaf->simulator, received_s, failure))
        return false;
    if (dispatch_stream_add(leaf->stream, *range) < 0)
        return failure_memory(failure, "simulating a tree");
    scenario_simulator_wake(leaf->simulator, received_s);
    return scenario_simulator_hand_out(leaf->simulator, handed_out_s, failure);
}

static bool leaf_end(struct leaf *leaf, struct failure *failure)
{
    dispatch_stream_end(leaf->stream);
    scenario_simulator_wake(leaf->simulator, 0);
    return scenario_simulator_run(leaf->simulator, HUGE_VAL, failure);
}

static bool master_run(struct tree_master *master, struct failure *failure);

/* Simulates the group below with what has arrived; after that, its master can take the next
 * package. All that had arrived before has been sent on, so what it sends now is from this
 * package. */
static bool master_sent(void *self, struct loop *loop, const struct loop_package *package,
                        const struct star_times *times, struct failure *failure)
{
    struct tree_master *master = self, *child;
    struct star_worker *group = &loop->star.workers[package->worker];
    if (!master->children)
        return true;
    child = &master->children[package->worker];
    if (child->leaf) {
        const struct task_range range = {(int64_t)package->first, (int64_t)master->sent};
        return leaf_take(child->leaf, &range, times->received_s, &group->free_s, failure);
    }
    child->arrived += master->sent;
    child->place = package->first;
    child->loop.star.master_s = times->received_s;
    if (!master_run(child, failure))
        return false;
    group->free_s = child->loop.star.master_s;
    group->end_s = loop_makespan(&child->loop);
    return true;
}

static bool master_run(struct tree_master *master, struct failure *failure)
{
    const struct loop_source source = {.next = master_next, .sent = master_sent, .self = master};
    return loop_run(&master->loop, &source, failure);
}

/* Adds up the workers that compute, and the busiest master. */
static void master_sum(const struct tree_master *master, struct simulation *sum)
{
    struct simulation star;
    if (master->leaf) {
        scenario_simulator_sum(master->leaf->simulator, &star);
        simulation_join(sum, &star);
        return;
    }
    if (!master->children) {
        star_sum(&master->loop.star, &star);
        simulation_join(sum, &star);
        return;
    }
    sum->master_busy_s = fmax(sum->master_busy_s, master->loop.star.master_busy_s);
    sum->port_busy_s = fmax(sum->port_busy_s, master->loop.star.port_busy_s);
    for (size_t k = 0; k < master->plan->child_count; k++)
        master_sum(&master->children[k], sum);
}

static bool master_check(const struct platform *platform, const struct plan *plan,
                         struct failure *failure)
{
    bool good = plan_source_check(platform, plan, failure);
    for (size_t k = 0; good && k < plan->child_count; k++)
        good = master_check(platform, &plan->children[k], failure);
    return good;
}

/* ---- groups that decide by themselves -------------------------------------------------------- */

static bool leaf_begin(struct tree_simulator *simulator, size_t k, struct failure *failure)
{
    const struct tree_setup *setup = simulator->setup;
    const struct plan *plan = plan_leaf(setup->plan, k);
    struct leaf *leaf = &simulator->leaves[k];
    struct star_part *part = &leaf->part;
    const int64_t ranks = simulator->alike.worker_count + 1;
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
    leaf->simulator = scenario_simulator_new(&part->platform, leaf->dispatch, &part->scenario,
                                             simulator->trace ? &leaf->trace : NULL, 0, failure);
    return leaf->simulator != NULL;
}

static bool leaves_begin(struct tree_simulator *simulator, struct failure *failure)
{
    bool good = true;
    simulator->leaves = calloc(simulator->count, sizeof *simulator->leaves);
    if (!simulator->leaves)
        return failure_memory(failure, "simulating a tree");
    for (size_t k = 0; good && k < simulator->count; k++)
        good = leaf_begin(simulator, k, failure);
    return good;
}

static bool leaves_end(struct tree_simulator *simulator, struct failure *failure)
{
    bool good = true;
    for (size_t k = 0; good && simulator->leaves && k < simulator->count; k++)
        good = leaf_end(&simulator->leaves[k], failure);
    return good;
}

static bool leaves_tell(const struct tree_simulator *simulator, struct failure *failure)
{
    bool good = true;
    for (size_t k = 0; good && simulator->leaves && k < simulator->count; k++) {
        const struct leaf *leaf = &simulator->leaves[k];
        good = !simulator->trace || star_part_trace(&leaf->part, &leaf->trace, simulator->trace) ||
               failure_memory(failure, "simulating a tree");
        if (simulator->setup->decided)
            simulator->setup->decided(simulator->setup->self, (int)k, leaf->inner);
    }
    return good;
}

static void leaves_release(struct tree_simulator *simulator)
{
    for (size_t k = 0; simulator->leaves && k < simulator->count; k++) {
        struct leaf *leaf = &simulator->leaves[k];
        scenario_simulator_free(&leaf->simulator);
        dispatch_free(&leaf->dispatch);
        trace_release(&leaf->trace);
        star_part_release(&leaf->part);
    }
    free(simulator->leaves);
}

/* ---- all of it ------------------------------------------------------------------------------- */

static bool masters_simulate(struct tree_simulator *simulator, struct simulation *simulation,
                             struct failure *failure)
{
    struct tree_master master;
    struct simulation sum = {.packages = 0};
    bool good = master_init(&master, simulator, simulator->setup->plan) ||
                failure_memory(failure, "simulating a tree");
    master.arrived = HUGE_VAL;
    good = good && master_run(&master, failure) && leaves_end(simulator, failure) &&
           leaves_tell(simulator, failure);
    if (good) {
        master_sum(&master, &sum);
        *simulation = sum;
    }
    master_release(&master);
    return good;
}

static bool tree_check(const struct platform *platform, const struct plan *plan,
                       struct failure *failure)
{
    if (loop_needs_events(platform))
        return failure_set(failure, FAILURE_INFEASIBLE,
                           "groups with masters of their own are for the model single-port, and "
                           "for results that workers write: give a plan without children");
    return master_check(platform, plan, failure);
}

bool tree_simulate(const struct platform *platform, const struct plan *plan,
                   const struct variation *variation, struct trace *trace,
                   struct simulation *simulation, struct failure *failure)
{
    const struct tree_setup setup = {.platform = platform, .plan = plan};
    const struct platform *drawn = variation && variation->drawn ? variation->drawn : platform;
    struct tree_simulator simulator = {.setup = &setup,
                                       .alike = platform_unplaced(drawn),
                                       .placed = platform,
                                       .variation = variation,
                                       .trace = trace};
    return tree_check(platform, plan, failure) && masters_simulate(&simulator, simulation, failure);
}

bool simulate_tree(const struct tree_setup *setup, struct trace *trace,
                   struct simulation *simulation, struct failure *failure)
{
    struct tree_simulator simulator = {.setup = setup,
                                       .alike = platform_unplaced(setup->platform),
                                       .placed = setup->platform,
                                       .count = plan_leaves(setup->plan),
                                       .trace = trace};
    if (!tree_check(setup->platform, setup->plan, failure))
        return false;
    const bool good =
        leaves_begin(&simulator, failure) && masters_simulate(&simulator, simulation, failure);
    leaves_release(&simulator);
    return good;
}

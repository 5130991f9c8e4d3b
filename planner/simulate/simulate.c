#include "planner/simulate/simulate.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "planner/model/plan_cursor.h"
#include "planner/simulate/evaluate.h"
#include "planner/simulate/extrapolate.h"
#include "planner/simulate/loop.h"
#include "planner/simulate/scenario.h"

/* A plan as the loop's source. */
struct plan_source {
    const struct platform *platform;
    struct plan_cursor cursor;
    const double *loads;     /* of the round entry whose costs are filled in */
    struct star_cost *costs; /* owned; of that, per slot */
    struct star_cost mapped; /* the package's at hand, where core tasks differ along the job */
    size_t *lasts; /* owned; where results come back at the end: each slot's last entry with a
                    * package; NULL: nobody asks */
};

static bool class_holds(const struct platform_class *class, int64_t worker)
{
    return worker >= class->first && worker - class->first < class->count;
}

static bool window_refuse(const struct plan *plan, int64_t slot, double load,
                          struct failure *failure)
{
    return failure_set(failure, FAILURE_MISMATCH,
                       "a package of %.15g tasks for worker %" PRId64
                       " lies in no window of the profile: "
                       "make the plan again with this profile",
                       load, plan->workers[slot] + 1);
}

/* Costs per slot of one round entry. Neighbours mostly share window and class, so what held for
 * the slot before is tried first. */
static bool costs_fill(struct plan_source *source, const double *loads, struct failure *failure)
{
    const struct plan *plan = source->cursor.plan;
    const struct platform_window *window = NULL;
    const struct platform_class *class = NULL;
    double load_before = 0;
    for (int64_t slot = 0; slot < plan->worker_count; slot++) {
        double load = loads[slot];
        int64_t worker = plan->workers[slot];
        if (!(load > 0))
            continue;
        if (!window || load != load_before) {
            const struct platform_window *found = platform_find(source->platform, load);
            if (!found)
                return window_refuse(plan, slot, load, failure);
            class = found == window ? class : NULL;
            window = found;
            load_before = load;
        }
        if (!class || !class_holds(class, worker))
            class = platform_worker(window, worker);
        source->costs[slot] = star_cost_of(window, class, load);
    }
    source->loads = loads;
    return true;
}

/* Of the package at hand; its slot's, unless core tasks differ along the job. */
static const struct star_cost *cost_at(struct plan_source *source)
{
    const struct plan_cursor *cursor = &source->cursor;
    if (!work_differs(&source->platform->work))
        return &source->costs[cursor->slot];
    const struct platform_window *window = platform_find(source->platform, cursor->load);
    const int64_t worker = cursor->plan->workers[cursor->slot];
    source->mapped = source->costs[cursor->slot];
    source->mapped.compute_s *= platform_weight(
        source->platform, platform_worker(window, worker)->compute, cursor->first, cursor->load);
    return &source->mapped;
}

static bool is_last(const struct plan_source *source)
{
    const struct plan_cursor *cursor = &source->cursor;
    return source->lasts && cursor->repeats == 0 && source->lasts[cursor->slot] == cursor->entry;
}

/* For who traces, or goes from event to event; else the loop takes a few nanoseconds a package. */
static void package_describe(const struct plan_source *source, struct loop_package *package)
{
    const struct plan_cursor *cursor = &source->cursor;
    package->rank = cursor->plan->workers[cursor->slot] + 1;
    package->first = cursor->first;
    package->load = cursor->load;
    package->round = cursor->round;
    package->index = cursor->index;
    package->last = is_last(source);
}

static enum loop_answer plan_next(void *self, struct loop *loop, struct loop_package *package,
                                  struct failure *failure)
{
    struct plan_source *source = self;
    struct plan_cursor *cursor = &source->cursor;
    if (!plan_cursor_next(cursor))
        return LOOP_END;
    if (cursor->loads != source->loads && !costs_fill(source, cursor->loads, failure))
        return LOOP_FAILED;
    package->worker = cursor->slot;
    package->cost = cost_at(source);
    if (loop->trace || loop->events)
        package_describe(source, package);
    return LOOP_SEND;
}

static bool workers_exist(const struct platform *platform, const struct plan *plan,
                          struct failure *failure)
{
    for (int64_t slot = 0; slot < plan->worker_count; slot++)
        if (plan->workers[slot] < 0 || plan->workers[slot] >= platform->worker_count)
            return failure_set(failure, FAILURE_MISMATCH,
                               "the plan uses worker %" PRId64 ", but there are %" PRId64
                               ": make the plan again "
                               "with this profile",
                               plan->workers[slot] + 1, platform->worker_count);
    return true;
}

/* Tens of milliseconds' worth, without and with a cost map; beyond, rounds that repeat themselves
 * are skipped. */
enum { PACKAGES_MOST = 2000000, PACKAGES_MAPPED = 200000 };

/* With its map, by playing so many. */
static bool mapped_simulate(const struct platform *platform, const struct plan *plan,
                            struct simulation *simulation, struct failure *failure)
{
    struct scenario scenario = SCENARIO_INIT;
    struct dispatch *dispatch = dispatch_new_plan(plan);
    scenario.played = PACKAGES_MAPPED / 4;
    if (!dispatch)
        return failure_memory(failure, "simulating a plan");
    const bool good = simulate_scenario(platform, dispatch, &scenario, NULL, simulation, failure);
    dispatch_free(&dispatch);
    return good;
}

/* Every load must lie in a window, which the scenario does not ask. */
static bool loads_fit(const struct platform *platform, const struct plan *plan,
                      struct failure *failure)
{
    for (size_t r = 0; r < plan->round_count; r++)
        for (int64_t slot = 0; slot < plan->worker_count; slot++) {
            const double load = plan->rounds[r].loads[slot];
            if (load > 0 && !platform_find(platform, load))
                return window_refuse(plan, slot, load, failure);
        }
    return true;
}

/* What is too much to be played package by package. */
static bool large_simulate(const struct platform *platform, const struct plan *plan,
                           struct simulation *simulation, struct failure *failure)
{
    if (loop_needs_events(platform))
        return loads_fit(platform, plan, failure) &&
               extrapolate_plan(platform, plan, simulation, NULL, NULL, failure);
    if (!work_differs(&platform->work) || plan->real_valued)
        return evaluate_plan(platform, plan, simulation, failure);
    return loads_fit(platform, plan, failure) &&
           mapped_simulate(platform, plan, simulation, failure);
}

static void source_release(struct plan_source *source)
{
    free(source->costs);
    free(source->lasts);
}

/* To be released in any case. False: out of memory. */
static bool source_init(struct plan_source *source, const struct platform *platform,
                        const struct plan *plan)
{
    const size_t slots = (size_t)plan->worker_count;
    *source = (struct plan_source){.platform = platform, .cursor = PLAN_CURSOR(plan)};
    source->costs = calloc(slots, sizeof *source->costs);
    if (platform->results != RESULTS_END)
        return source->costs != NULL;
    source->lasts = calloc(slots, sizeof *source->lasts);
    for (size_t r = 0; source->lasts && r < plan->round_count; r++)
        for (size_t slot = 0; slot < slots; slot++)
            if (plan->rounds[r].loads[slot] > 0)
                source->lasts[slot] = r;
    return source->costs && source->lasts;
}

bool simulate_packages(const struct platform *platform, const struct plan *plan,
                       struct trace *trace, struct simulation *simulation, double *ends,
                       struct failure *failure)
{
    struct plan_source source;
    struct loop loop = {.trace = NULL};
    const struct loop_source asked = {.next = plan_next, .self = &source};
    bool good =
        (source_init(&source, platform, plan) && loop_init(&loop, platform, plan->worker_count)) ||
        failure_memory(failure, "simulating a plan");
    if (good) {
        loop.trace = trace;
        loop.master = (int32_t)plan->master;
        loop_restart(&loop, platform, plan->workers);
        good = loop_run(&loop, &asked, failure);
    }
    if (good)
        star_sum(&loop.star, simulation);
    for (int64_t k = 0; good && ends && k < plan->worker_count; k++)
        ends[k] = loop.star.workers[k].packages > 0 ? loop.star.workers[k].end_s : 0;
    loop_release(&loop);
    source_release(&source);
    return good;
}

/* ---- masters side by side ------------------------------------------------------------------ */

/* Sums of the ends of a simulation's workers, and of their squares, from what it says of them. */
static void ends_add(const struct simulation *of, double *sum_s, double *squares_s2)
{
    const double used = (double)of->workers_used;
    const double all_s = used * of->latest_end_s - of->idle_last_s;
    const double deviation_s = used > 0 ? of->end_variation * all_s / used : 0;
    *sum_s += all_s;
    *squares_s2 += used > 0 ? used * deviation_s * deviation_s + all_s * all_s / used : 0;
}

/* The time after the last end of workers, and how these ends vary, when all others are known. */
static void ends_settle(struct simulation *joined, double sum_s, double squares_s2)
{
    const double used = (double)joined->workers_used, mean_s = used > 0 ? sum_s / used : 0;
    const double variance_s2 = used > 0 ? squares_s2 / used - mean_s * mean_s : 0;
    joined->idle_last_s = fmax(0, used * joined->latest_end_s - sum_s);
    joined->end_variation = mean_s > 0 ? sqrt(fmax(0, variance_s2)) / mean_s : 0;
}

void simulation_join(struct simulation *simulation, const struct simulation *other)
{
    double sum_s = 0, squares_s2 = 0;
    const bool first = simulation->workers_used == 0;
    ends_add(simulation, &sum_s, &squares_s2);
    ends_add(other, &sum_s, &squares_s2);
    simulation->makespan_s = fmax(simulation->makespan_s, other->makespan_s);
    simulation->master_busy_s = fmax(simulation->master_busy_s, other->master_busy_s);
    simulation->port_busy_s = fmax(simulation->port_busy_s, other->port_busy_s);
    simulation->output_s = fmax(simulation->output_s, other->output_s);
    simulation->worker_busy_s += other->worker_busy_s;
    simulation->start_s += other->start_s;
    simulation->idle_first_s += other->idle_first_s;
    simulation->idle_between_s += other->idle_between_s;
    simulation->packages += other->packages;
    simulation->workers_used += other->workers_used;
    simulation->earliest_end_s =
        first ? other->earliest_end_s : fmin(simulation->earliest_end_s, other->earliest_end_s);
    simulation->latest_end_s = fmax(simulation->latest_end_s, other->latest_end_s);
    ends_settle(simulation, sum_s, squares_s2);
}

static bool stars_simulate(const struct platform *platform, const struct plan *plan,
                           struct trace *trace, struct simulation *simulation,
                           struct failure *failure)
{
    struct simulation joined = {.packages = 0};
    for (size_t k = 0; k < plan->star_count; k++) {
        struct simulation star;
        if (plan->stars[k].master > platform->worker_count)
            return failure_set(failure, FAILURE_MISMATCH,
                               "the plan's master is rank %" PRId64 ", but ranks end at %" PRId64
                               ": make the plan again with this profile",
                               plan->stars[k].master, platform->worker_count);
        if (!simulate_plan(platform, &plan->stars[k], trace, &star, failure))
            return false;
        simulation_join(&joined, &star);
    }
    *simulation = joined;
    return true;
}

bool simulate_plan(const struct platform *platform, const struct plan *plan, struct trace *trace,
                   struct simulation *simulation, struct failure *failure)
{
    const size_t events = trace ? trace->count : 0;
    if (plan->star_count > 0)
        return stars_simulate(platform, plan, trace, simulation, failure);
    if (!workers_exist(platform, plan, failure))
        return false;
    const int64_t most = work_differs(&platform->work) ? PACKAGES_MAPPED : PACKAGES_MOST;
    if (!trace && plan_packages(plan) > most)
        return large_simulate(platform, plan, simulation, failure);
    const bool good = simulate_packages(platform, plan, trace, simulation, NULL, failure);
    if (!good && trace)
        trace->count = events;
    return good;
}

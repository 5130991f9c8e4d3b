#include "planner/simulate/simulate.h"

#include <inttypes.h>
#include <stdlib.h>

#include "planner/model/plan_cursor.h"
#include "planner/simulate/evaluate.h"
#include "planner/simulate/scenario.h"
#include "planner/simulate/star.h"

/* A plan while it is simulated. */
struct plan_state {
    const struct platform *platform;
    const struct plan *plan;
    struct star star;
    struct star_cost *costs; /* owned; of the round entry at hand, per slot */
    struct trace *trace;     /* may be NULL */
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
static bool costs_fill(struct plan_state *state, const double *loads, struct failure *failure)
{
    const struct plan *plan = state->plan;
    const struct platform_window *window = NULL;
    const struct platform_class *class = NULL;
    double load_before = 0;
    for (int64_t slot = 0; slot < plan->worker_count; slot++) {
        double load = loads[slot];
        int64_t worker = plan->workers[slot];
        if (!(load > 0))
            continue;
        if (!window || load != load_before) {
            const struct platform_window *found = platform_find(state->platform, load);
            if (!found)
                return window_refuse(plan, slot, load, failure);
            class = found == window ? class : NULL;
            window = found;
            load_before = load;
        }
        if (!class || !class_holds(class, worker))
            class = platform_worker(window, worker);
        state->costs[slot] = star_cost_of(window, class, load);
    }
    return true;
}

/* Of the package at hand; its slot's, unless core tasks differ along the job. */
static struct star_cost cost_at(const struct plan_state *state, const struct plan_cursor *cursor)
{
    struct star_cost cost = state->costs[cursor->slot];
    if (work_differs(&state->platform->work)) {
        const struct platform_window *window = platform_find(state->platform, cursor->load);
        const int64_t worker = state->plan->workers[cursor->slot];
        cost.compute_s *= platform_weight(state->platform, platform_worker(window, worker)->compute,
                                          cursor->first, cursor->load);
    }
    return cost;
}

/* All packages, without and with a trace; only the bookkeeping differs. */
static bool packages_send(struct plan_state *state, struct failure *failure)
{
    const struct plan *plan = state->plan;
    struct plan_cursor cursor = PLAN_CURSOR(plan);
    const double *loads = NULL; /* whose costs are filled in */
    struct star_times times;
    while (plan_cursor_next(&cursor)) {
        if (cursor.loads != loads && !costs_fill(state, cursor.loads, failure))
            return false;
        loads = cursor.loads;
        const struct star_cost cost = cost_at(state, &cursor);
        star_send(&state->star, cursor.slot, &cost, &times);
    }
    return true;
}

static bool packages_trace(struct plan_state *state, struct failure *failure)
{
    const struct plan *plan = state->plan;
    struct plan_cursor cursor = PLAN_CURSOR(plan);
    const double *loads = NULL;
    struct star_times times;
    while (plan_cursor_next(&cursor)) {
        if (cursor.loads != loads && !costs_fill(state, cursor.loads, failure))
            return false;
        loads = cursor.loads;
        const struct star_cost cost = cost_at(state, &cursor);
        star_send(&state->star, cursor.slot, &cost, &times);
        const struct trace_event event = {.round = cursor.round,
                                          .package = cursor.index,
                                          .first = (int64_t)cursor.first,
                                          .tasks = (int64_t)cursor.load};
        if (!star_trace(&times, plan->workers[cursor.slot], event, state->trace))
            return failure_memory(failure, "tracing the simulation");
    }
    return true;
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
    if (!work_differs(&platform->work) || plan->real_valued)
        return evaluate_plan(platform, plan, simulation, failure);
    return loads_fit(platform, plan, failure) &&
           mapped_simulate(platform, plan, simulation, failure);
}

bool simulate_plan(const struct platform *platform, const struct plan *plan, struct trace *trace,
                   struct simulation *simulation, struct failure *failure)
{
    struct plan_state state = {.platform = platform, .plan = plan, .trace = trace};
    size_t events = trace ? trace->count : 0;
    if (!workers_exist(platform, plan, failure))
        return false;
    const int64_t most = work_differs(&platform->work) ? PACKAGES_MAPPED : PACKAGES_MOST;
    if (!trace && plan_packages(plan) > most)
        return large_simulate(platform, plan, simulation, failure);
    state.costs = calloc((size_t)plan->worker_count, sizeof *state.costs);
    if (!state.costs || !star_init(&state.star, platform, plan->worker_count)) {
        free(state.costs);
        return failure_memory(failure, "simulating a plan");
    }
    star_restart(&state.star, platform, plan->workers);
    bool good = trace ? packages_trace(&state, failure) : packages_send(&state, failure);
    if (good)
        star_sum(&state.star, simulation);
    else if (trace)
        trace->count = events;
    free(state.costs);
    star_release(&state.star);
    return good;
}

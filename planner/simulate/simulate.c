#include "planner/simulate/simulate.h"

#include <inttypes.h>
#include <stdlib.h>

#include "planner/model/plan_cursor.h"
#include "planner/simulate/evaluate.h"
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
                       load, plan->workers[slot]);
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
        star_send(&state->star, cursor.slot, &state->costs[cursor.slot], &times);
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
        star_send(&state->star, cursor.slot, &state->costs[cursor.slot], &times);
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
                               plan->workers[slot], platform->worker_count);
    return true;
}

/* About a second's worth; beyond, rounds that repeat themselves are skipped. */
enum { PACKAGES_MOST = 20000000 };

bool simulate_plan(const struct platform *platform, const struct plan *plan, struct trace *trace,
                   struct simulation *simulation, struct failure *failure)
{
    struct plan_state state = {.platform = platform, .plan = plan, .trace = trace};
    size_t events = trace ? trace->count : 0;
    if (!workers_exist(platform, plan, failure))
        return false;
    if (!trace && plan_packages(plan) > PACKAGES_MOST)
        return evaluate_plan(platform, plan, simulation, failure);
    state.costs = calloc((size_t)plan->worker_count, sizeof *state.costs);
    if (!state.costs || !star_init(&state.star, platform, plan->worker_count)) {
        free(state.costs);
        return failure_memory(failure, "simulating a plan");
    }
    bool good = trace ? packages_trace(&state, failure) : packages_send(&state, failure);
    if (good)
        star_sum(&state.star, simulation);
    else if (trace)
        trace->count = events;
    free(state.costs);
    star_release(&state.star);
    return good;
}

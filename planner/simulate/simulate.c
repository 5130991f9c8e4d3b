#include "planner/simulate/simulate.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "planner/simulate/evaluate.h"
#include "planner/simulate/extrapolate.h"
#include "planner/simulate/loop.h"
#include "planner/simulate/plan_source.h"
#include "planner/simulate/scenario.h"
#include "planner/simulate/tree.h"

/* Packages that are simulated one by one, without and with a cost map: some tens of milliseconds.
 * Beyond these, rounds that repeat are skipped. */
enum { PACKAGES_MOST = 2000000, PACKAGES_MAPPED = 200000 };

/* Simulates with the cost map, a limited number of packages one by one. */
static bool mapped_simulate(const struct platform *platform, const struct plan *plan,
                            struct simulation *simulation, struct failure *failure)
{
    struct scenario scenario = SCENARIO_INIT;
    struct dispatch *dispatch = dispatch_new_plan(plan);
    scenario.simulated = PACKAGES_MAPPED / 4;
    if (!dispatch)
        return failure_memory(failure, "simulating a plan");
    const bool good = simulate_scenario(platform, dispatch, &scenario, NULL, simulation, failure);
    dispatch_free(&dispatch);
    return good;
}

/* Every load must lie in a window; simulating a scenario does not check that. */
static bool loads_fit(const struct platform *platform, const struct plan *plan,
                      struct failure *failure)
{
    for (size_t r = 0; r < plan->round_count; r++)
        for (int64_t slot = 0; slot < plan->worker_count; slot++) {
            const double load = plan->rounds[r].loads[slot];
            if (load > 0 && !platform_find(platform, load))
                return plan_source_refuse(plan, slot, load, failure);
        }
    return true;
}

/* Evaluates a plan with too many packages to simulate one by one, without what the master
 * computes. */
static bool rounds_simulate(const struct platform *platform, const struct plan *plan,
                            struct simulation *simulation, struct failure *failure)
{
    if (loop_needs_events(platform))
        return loads_fit(platform, plan, failure) &&
               extrapolate_plan(platform, plan, simulation, NULL, NULL, failure);
    if (!platform_differs(platform) || plan->real_valued)
        return evaluate_plan(platform, plan, simulation, failure);
    return loads_fit(platform, plan, failure) &&
           mapped_simulate(platform, plan, simulation, failure);
}

/* Adds what the master computes: no package waits for it. */
static bool large_simulate(const struct platform *platform, const struct plan *plan,
                           struct simulation *simulation, struct failure *failure)
{
    struct own_share own = own_share_of(platform, plan);
    struct own_span span = {.seconds = 0};
    if (!rounds_simulate(platform, plan, simulation, failure))
        return false;
    if (own_share_next(&own, 0, HUGE_VAL, &span))
        simulation->makespan_s =
            fmax(simulation->makespan_s, simulation->master_busy_s + span.seconds);
    simulation->own_s = span.seconds;
    return true;
}

/* ---- masters side by side ------------------------------------------------------------------ */

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
    if (plan->child_count > 0)
        return tree_simulate(platform, plan, NULL, trace, simulation, failure);
    if (!plan_source_check(platform, plan, failure))
        return false;
    const int64_t most = platform_differs(platform) ? PACKAGES_MAPPED : PACKAGES_MOST;
    if (!trace && plan_packages(plan) > most)
        return large_simulate(platform, plan, simulation, failure);
    const bool good = simulate_packages(platform, plan, trace, simulation, NULL, failure);
    if (!good && trace)
        trace->count = events;
    return good;
}

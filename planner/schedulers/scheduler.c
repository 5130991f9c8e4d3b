#include "planner/schedulers/scheduler.h"

#include <math.h>
#include <string.h>

#include "planner/schedulers/bound.h"
#include "planner/schedulers/fewer.h"
#include "planner/schedulers/schedulers.h"
#include "planner/simulate/periods.h"
#include "planner/simulate/simulate.h"

static const struct scheduler table[] = {
    {SCHEDULER_QUICK, "SCOW, maximal production: periodic rounds, the port is never idle",
     scow_mp_make, SCHEDULER_FEWER_UNEQUAL},
    {"scow-pwu", "SCOW, perfect utilization: periodic rounds, the workers are never idle",
     scow_pwu_make, SCHEDULER_FEWER_UNEQUAL},
    {"periodic", "the linear model's steady state, with all latencies in every period",
     periodic_make, SCHEDULER_FEWER_ALWAYS},
    {"umr", "uniform multi-round: growing rounds without gaps", umr_make, SCHEDULER_FEWER_UNEQUAL},
    {"umr2", "multi-round with resource selection: growing or shrinking rounds", umr2_make,
     SCHEDULER_FEWER_UNEQUAL},
    {"umr-scow", "a ramp of uniform rounds, then SCOW", umr_scow_make, SCHEDULER_FEWER_UNEQUAL},
    {"mi", "multi-installment: the linear model's rounds", multi_installment_make,
     SCHEDULER_FEWER_UNEQUAL},
    {"single", "one package per worker, all ending together", single_round_make,
     SCHEDULER_FEWER_UNEQUAL},
    {"static", "one package per worker, proportional to its speed", static_split_make,
     SCHEDULER_FEWER_ALWAYS},
    {"optimal", "linear programming over all loads, orders, workers and rounds", optimal_make,
     SCHEDULER_FEWER_NEVER},
};

const struct scheduler *scheduler_list(size_t *count)
{
    *count = sizeof table / sizeof table[0];
    return table;
}

const struct scheduler *scheduler_find(const char *name)
{
    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++)
        if (strcmp(table[i].name, name) == 0)
            return &table[i];
    return NULL;
}

bool scheduler_make(const struct scheduler *scheduler, const struct schedule_request *request,
                    struct plan *plan, struct failure *failure)
{
    struct plan made = {.kernel = NULL};
    struct failure refused = FAILURE_INIT;
    double makespan_s = HUGE_VAL;
    if (scheduler->make(request, &made, &refused))
        makespan_s = made.predicted.makespan_s;
    else if (refused.code != FAILURE_INFEASIBLE)
        return failure_set(failure, refused.code, "%s", refused.text);
    if (!fewer_try(scheduler, request, &made, &makespan_s, failure)) {
        plan_release(&made);
        return false;
    }
    if (makespan_s == HUGE_VAL)
        return failure_set(failure, refused.code, "%s does not apply: %s", scheduler->name,
                           refused.text);
    made.scheduler = strdup(scheduler->name);
    if (made.scheduler == NULL) {
        plan_release(&made);
        return failure_memory(failure, "planning");
    }
    *plan = made;
    return true;
}

bool schedule_auto(const struct schedule_request *request, struct plan *plan,
                   struct failure *failure)
{
    struct plan best = {.kernel = NULL};
    struct failure first = FAILURE_INIT;
    bool found = false;
    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++) {
        struct plan made = {.kernel = NULL};
        struct failure refused = FAILURE_INIT;
        if (!scheduler_make(&table[i], request, &made, &refused)) {
            if (refused.code == FAILURE_INFEASIBLE) {
                failure_set(&first, refused.code, "%s", refused.text);
                continue;
            }
            plan_release(&best);
            return failure_set(failure, refused.code, "%s", refused.text);
        }
        if (!found || made.predicted.makespan_s < best.predicted.makespan_s) {
            plan_release(&best);
            best = made;
        } else {
            plan_release(&made);
        }
        found = true;
    }
    if (!found)
        return failure_set(failure, first.code, "no scheduler has a plan (%s)", first.text);
    *plan = best;
    return true;
}

bool schedule_predict(const struct platform *platform, struct plan *plan, struct failure *failure)
{
    struct simulation simulation;
    double bound_s = 0;
    if (!simulate_plan(platform, plan, NULL, &simulation, failure) ||
        !bound_makespan(platform, plan->tasks, plan->real_valued, &bound_s, failure))
        return false;
    const struct periods periods = periods_of_plan(platform, plan);
    const double makespan_s = simulation.makespan_s;
    const double network_s = fmax(simulation.port_busy_s, simulation.master_busy_s);
    const double workers_s = makespan_s * (double)simulation.workers_used;
    plan->predicted = (struct plan_prediction){
        .known = true,
        .makespan_s = makespan_s,
        .period_s = periods.period_s,
        .worker_utilization = periods.worker_utilization,
        .worker_busy_share = workers_s > 0 ? simulation.worker_busy_s / workers_s : 0,
        .network_utilization = makespan_s > 0 ? fmin(network_s / makespan_s, 1) : 0,
        .lower_bound_s = bound_s,
        .gap = bound_s > 0 ? makespan_s / bound_s - 1 : 0,
        .output_s = simulation.output_s,
    };
    return true;
}

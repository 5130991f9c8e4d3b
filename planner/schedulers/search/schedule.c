#include "planner/schedulers/search/schedule.h"

#include <math.h>
#include <stdlib.h>

#include "planner/schedulers/bounds/bound.h"
#include "planner/simulate/periods.h"
#include "planner/simulate/simulate.h"

static bool unsound(const char *why, struct failure *failure)
{
    return failure_set(failure, FAILURE_MISMATCH, "the plan is not a valid one: %s", why);
}

static bool workers_check(const struct platform *platform, const struct plan *plan,
                          struct failure *failure)
{
    bool *seen = calloc((size_t)platform->worker_count, sizeof *seen);
    bool good = true;
    if (!seen)
        return failure_memory(failure, "planning");
    for (int64_t k = 0; good && k < plan->worker_count; k++) {
        const int64_t worker = plan->workers[k];
        if (worker < 0 || worker >= platform->worker_count)
            good = unsound("an unknown worker", failure);
        else if (seen[worker])
            good = unsound("the same worker twice", failure);
        else
            seen[worker] = true;
    }
    free(seen);
    return good;
}

static bool round_check(const struct platform *platform, const struct plan *plan,
                        const struct plan_round *round, double *tasks, struct failure *failure)
{
    double sum = 0;
    for (int64_t k = 0; k < plan->worker_count; k++) {
        const double load = round->loads[k];
        if (!(load >= 0) || (!plan->real_valued && load != floor(load)) ||
            (load > 0 && platform_find(platform, load) == NULL))
            return unsound("a package whose size is in no window", failure);
        sum += load;
    }
    *tasks += (double)round->repeat * sum;
    return (round->repeat >= 1 && sum > 0) || unsound("a round without a package", failure);
}

bool plan_check(const struct platform *platform, const struct plan *plan, struct failure *failure)
{
    double tasks = 0;
    if (!workers_check(platform, plan, failure))
        return false;
    for (size_t r = 0; r < plan->round_count; r++)
        if (!round_check(platform, plan, &plan->rounds[r], &tasks, failure))
            return false;
    return fabs(tasks - plan->tasks) <= (plan->real_valued ? 1e-6 * plan->tasks : 0) ||
           unsound("loads that do not sum to the job's tasks", failure);
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
        .master_utilization = periods.master_utilization,
        .utilization = periods.master_utilization + periods.worker_utilization,
        .worker_busy_share = workers_s > 0 ? simulation.worker_busy_s / workers_s : 0,
        .network_utilization = makespan_s > 0 ? fmin(network_s / makespan_s, 1) : 0,
        .lower_bound_s = bound_s,
        .gap = bound_s > 0 ? makespan_s / bound_s - 1 : 0,
        .output_s = simulation.output_s,
    };
    return true;
}

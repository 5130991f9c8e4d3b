/* The packages of one star one by one, and what several stars come to together: simulations of
 * plans (simulate.c), of those cut short (extrapolate.c) and of trees stand on these. */
#include <math.h>

#include "planner/simulate/loop.h"
#include "planner/simulate/plan_source.h"
#include "planner/simulate/simulate.h"

bool simulate_packages(const struct platform *platform, const struct plan *plan,
                       struct trace *trace, struct simulation *simulation, double *ends,
                       struct failure *failure)
{
    struct plan_source source;
    struct loop loop = {.trace = NULL};
    const struct loop_source asked = {.next = plan_source_next,
                                      .computes = plan->own.tasks > 0 ? plan_source_computes : NULL,
                                      .self = &source};
    bool good = (plan_source_init(&source, platform, plan) &&
                 loop_init(&loop, platform, plan->worker_count)) ||
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
    plan_source_release(&source);
    return good;
}

/* ---- several stars -------------------------------------------------------------------------- */

/* Adds up the ends of a simulation's workers and their squares, which follow from the mean and
 * deviation that it gives. */
static void ends_add(const struct simulation *of, double *sum_s, double *squares_s2)
{
    const double used = (double)of->workers_used;
    const double all_s = used * of->latest_end_s - of->idle_last_s;
    const double deviation_s = used > 0 ? of->end_variation * all_s / used : 0;
    *sum_s += all_s;
    *squares_s2 += used > 0 ? used * deviation_s * deviation_s + all_s * all_s / used : 0;
}

/* Computes idle time and the deviation of ends for all stars together, from these sums. */
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

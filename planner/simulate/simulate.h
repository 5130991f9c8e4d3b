/*
 * The event simulation: what "predicted makespan" means (single port, B receive buffers, master
 * running ahead of the port, synchronous or asynchronous output; model of de la Torre, section 3).
 */
#ifndef PLANNER_SIMULATE_SIMULATE_H
#define PLANNER_SIMULATE_SIMULATE_H

#include <stdbool.h>
#include <stdint.h>

#include "planner/base/failure.h"
#include "planner/model/plan.h"
#include "planner/model/platform.h"
#include "planner/model/trace.h"

/* Of several masters side by side: of all their workers. */
struct simulation {
    double makespan_s;
    double master_busy_s; /* envelopes and sends; of the busiest master */
    double port_busy_s;   /* links; of the busiest port */
    double own_s;         /* the master's computing of core tasks */
    double worker_busy_s; /* receive, compute and output, summed over workers; with asynchronous
                           * output, simultaneous operations of a worker count once */
    double output_s; /* output of the busiest worker that did not overlap with other operations */
    double start_s;  /* before their first packages, summed over the workers used */
    double earliest_end_s, latest_end_s; /* of workers that had a package */
    /* Idle time of the workers used, by cause: before their first package but for their starts,
     * between packages, and after their last until the last of all has ended. */
    double idle_first_s, idle_between_s, idle_last_s;
    double end_variation; /* coefficient of variation of the workers' ends */
    int64_t packages, workers_used;
};

/* Take what another master did at the same time into *simulation, all 0 before the first one. */
void simulation_join(struct simulation *simulation, const struct simulation *other);
/* Simulate `plan` on `platform`, with its cost map if loads are whole; every event is added to
 * `trace` (may be NULL). Without a trace, rounds that repeat themselves are summed up beyond two
 * million packages (evaluate.h), with a map beyond 200,000 (fast_forward.h). Fails when a load lies
 * in no window, a worker does not exist, or memory runs out. Loads may be fractional. What the
 * master computes itself counts, too; where rounds are summed up, as if no package waited for it.
 */
bool simulate_plan(const struct platform *platform, const struct plan *plan, struct trace *trace,
                   struct simulation *simulation, struct failure *failure);
/* The same, with every package simulated, however many there are. `ends` (may be NULL) gets, for
 * each of the plan's workers in activation order, when it has done its last package, 0 for one
 * without work. */
bool simulate_packages(const struct platform *platform, const struct plan *plan,
                       struct trace *trace, struct simulation *simulation, double *ends,
                       struct failure *failure);

#endif

/*
 * The periods of a plan: the rounds that it repeats or, where it repeats none, all of its rounds.
 *
 * De la Torre, Scheduling Divisible Tasks under Production or Utilization Constraints, Definition
 * 9: a round of k packages takes T = max(master time, link time, longest worker time), and the
 * workers' utilisation is U_c = sum (r_i + w_i)(x_i) / (k T), (4.35); of several rounds, the sums
 * of both. What the start, the last round and the end leave idle is not in it.
 */
#ifndef PLANNER_SIMULATE_PERIODS_H
#define PLANNER_SIMULATE_PERIODS_H

#include <stdbool.h>

#include "planner/model/plan.h"
#include "planner/model/platform.h"
#include "planner/model/trace.h"

struct periods {
    double period_s;           /* T of the round that the plan repeats most */
    double worker_utilization; /* U_c, 0..1 */
};

/* Loads outside of every window cost nothing here. */
struct periods periods_of_plan(const struct platform *platform, const struct plan *plan);
/* U_c of what happened, by the same rounds of `plan`; NULL: of all rounds. A worker's events are in
 * the order of time; no round or rank is below 0. False: out of memory. */
bool periods_of_trace(const struct trace *trace, const struct plan *plan,
                      double *worker_utilization);

#endif

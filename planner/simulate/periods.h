/*
 * The periods of a plan: the rounds that it repeats or, where it repeats none, all of its rounds.
 *
 * De la Torre, Scheduling Divisible Tasks under Production or Utilization Constraints, Definition
 * 9: a round of k packages takes T = max(master time, link time, longest worker time), the master's
 * or the links' utilisation is U_h = sum h_i(x_i) / T, (4.34), of the busier one, and the workers'
 * U_c = sum (r_i + w_i)(x_i) / (k T), (4.35); of several rounds, the sums of both. What the start,
 * the last round and the end leave idle is not in it.
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
    double master_utilization; /* U_h, 0..1 */
};

/* Loads outside of every window cost nothing here. */
struct periods periods_of_plan(const struct platform *platform, const struct plan *plan);
/* U_c and U_h of what happened, summed up block by block. */
struct period_sums {
    const struct plan *plan;    /* borrowed; NULL: all rounds count */
    bool repeats, behind;       /* results were written while workers went on */
    struct round_times *rounds; /* owned; from `first` on, those before are summed up */
    int64_t first, count;
    struct worker_round *workers; /* owned; the latest rounds of each rank */
    int64_t ranks;
    double work_s, workers_s, port_s, periods_s; /* of the rounds before `first` */
    int64_t end;                                 /* of the plan's entry that they are in */
    size_t entry;
};

/* By the rounds of `plan`; NULL: by all rounds. To be released. */
void period_sums_init(struct period_sums *sums, const struct plan *plan);
/* The next block; `hidden` is of its events (trace_hidden_next). A worker's events are in the order
 * of time; no round or rank is below 0. False: out of memory. */
bool period_sums_take(struct period_sums *sums, const struct trace *block, const double *hidden);
/* After the last block; the period itself stays 0. */
struct periods period_sums_end(struct period_sums *sums);
void period_sums_release(struct period_sums *sums);
/* The same of a trace in one. False: out of memory. */
bool periods_of_trace(const struct trace *trace, const struct plan *plan, struct periods *periods);

#endif

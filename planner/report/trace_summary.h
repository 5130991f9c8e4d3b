/*
 * A trace in figures: seconds per operation, per worker and per round. Predicted and measured
 * traces go through the same code, so that their difference is theirs alone.
 */
#ifndef PLANNER_REPORT_TRACE_SUMMARY_H
#define PLANNER_REPORT_TRACE_SUMMARY_H

#include <stdbool.h>
#include <stdint.h>

#include "planner/base/failure.h"
#include "planner/model/plan.h"
#include "planner/model/trace.h"

struct worker_summary {
    double seconds[OPERATION_COUNT]; /* link included, envelope and send not: the master's; of
                                      * output what is not hidden */
    double end_s;                    /* of its last operation */
    int64_t packages, tasks;         /* that it computed */
    double hidden_s;                 /* output while it received or computed another package */
};

struct trace_summary {
    double makespan_s; /* last end of a worker's operation minus the first envelope's start */
    double seconds[OPERATION_COUNT]; /* master's and workers' together */
    double hidden_s;                 /* likewise, of output */
    struct worker_summary *workers;  /* owned */
    int64_t worker_count;            /* 1 + the highest worker in the trace */
    int64_t workers_used;            /* that computed a package */
    double *round_ends_s;            /* owned; the last end of a worker's operation in each round */
    int64_t round_count;
    double worker_utilization;  /* of the periods, simulate/periods.h */
    double worker_busy_share;   /* receive, compute and output, of the workers used */
    double network_utilization; /* the master's or the links' share of the makespan, the greater */
    double imbalance;           /* busiest worker over the mean, minus 1 */
    int64_t last_worker;        /* the one that ended last; -1: none */
};

/* Idle is what start and operations of a worker that took part leave of the makespan; idle events
 * of the trace are not read. The periods are those of `plan`; NULL: every round is one. Refuses
 * events that no run can have. */
bool trace_summary_make(const struct trace *trace, const struct plan *plan,
                        struct trace_summary *summary, struct failure *failure);
void trace_summary_release(struct trace_summary *summary);

#endif

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
#include "planner/simulate/periods.h"

struct worker_summary {
    double seconds[OPERATION_COUNT]; /* link included, envelope and send not: the master's; of
                                      * output what is not hidden */
    double end_s;                    /* of its last operation */
    int64_t packages, tasks;         /* that it computed */
    bool hands_out;                  /* a group's master: its packages are others' */
    double hidden_s;                 /* output while it received or computed another package */
};

struct trace_summary {
    double makespan_s; /* last end of a worker's operation, of what is done with its results, or of
                        * the master's computing, minus the first envelope's start */
    double seconds[OPERATION_COUNT]; /* master's and workers' together, but for the next */
    double own_s;                    /* core tasks that the master computed itself, */
    int64_t own_tasks;               /* so many */
    double hidden_s;                 /* likewise, of output */
    struct worker_summary *workers;  /* owned */
    int64_t worker_count;            /* 1 + the highest worker in the trace */
    int64_t workers_used;            /* that computed a package */
    double *round_ends_s;       /* owned; the last end of a worker's operation in each of the first
                                 * ROUNDS_LISTED rounds at most */
    int64_t round_count;        /* of all */
    double worker_utilization;  /* of the periods, simulate/periods.h */
    double master_utilization;  /* there, of the master or the links, the busier one */
    double worker_busy_share;   /* receive, compute and output, of the workers used */
    double network_utilization; /* the master's or the links' share of the makespan, the greater */
    double imbalance;           /* busiest worker over the mean, minus 1 */
    int64_t last_worker;        /* the one that ended last; -1: none */
};

enum { ROUNDS_LISTED = 100000 };

/* False: no run can have it. */
bool trace_event_check(const struct trace_event *event, struct failure *failure);

/* A trace that is summed up block by block. */
struct trace_summing {
    struct trace_summary made;
    struct period_sums periods;
    struct trace_outputs outputs;
    int64_t round_room;
    double start_s; /* the first envelope's start; HUGE_VAL: there was none yet */
};

/* Idle is what start and operations of a worker that took part leave of the makespan; idle events
 * of the trace are not read. The periods are those of `plan`; NULL: every round is one. Refuses
 * events that no run can have. */
bool trace_summary_make(const struct trace *trace, const struct plan *plan,
                        struct trace_summary *summary, struct failure *failure);
/* The same block by block; to be released, and empty once it has ended. */
void trace_summing_init(struct trace_summing *summing, const struct plan *plan);
bool trace_summing_take(struct trace_summing *summing, const struct trace *block,
                        struct failure *failure);
/* To be released, too. */
void trace_summing_end(struct trace_summing *summing, struct trace_summary *summary);
void trace_summing_release(struct trace_summing *summing);
void trace_summary_release(struct trace_summary *summary);
/* Worker `worker` of a summary; all zero when it is not in there. */
struct worker_summary trace_summary_worker(const struct trace_summary *summary, int64_t worker);

#endif

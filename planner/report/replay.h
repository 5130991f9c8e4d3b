/*
 * A run's own costs, put back into the event simulation: what is left of the difference between
 * prediction and run is then the simulation's, and the rest the costs'.
 *
 * Every package keeps what each operation took it in the run, not a mean over packages: a mean
 * would charge to the simulation that packages differ. The link is the exception, for a trace says
 * when a transfer could begin and when the worker saw its end, and a worker that computes looks up
 * late. A package holds the port from when it could leave, or when the port was done with the one
 * before, until it or one sent after it had arrived.
 */
#ifndef PLANNER_REPORT_REPLAY_H
#define PLANNER_REPORT_REPLAY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "planner/base/failure.h"
#include "planner/model/trace.h"
#include "planner/report/report.h"
#include "planner/simulate/star.h"

struct replay_package {
    int64_t worker; /* -1: the trace does not say */
    int64_t round, first, tasks;
    struct star_cost cost; /* in the run */
    bool lost;             /* it went to a worker that did not report it any more */
    bool again;            /* handed out again: to a worker that had reported all but one */
    double not_before_s;   /* the loss that it was sent after */
};

struct replay {
    struct replay_package *packages; /* owned; in the order of sending */
    size_t count;
    double *prepared_s;   /* owned; of each worker, how long its start took */
    int64_t worker_count; /* 1 + the highest worker */
    int buffers;          /* that the workers had, PLATFORM_BUFFERS unless set otherwise */
    bool write_behind;    /* results were written while workers went on */
    bool twice;           /* a package has been computed more than once */
    bool complete;        /* every package once, each with its worker: it can be replayed */
};

/* Events as trace_summary_make takes them. To be released. */
bool replay_init(struct replay *replay, const struct trace *measured, struct failure *failure);
/* Of a run that lost workers at these times, ascending: a package that nobody has reported went to
 * one of them, and what was sent after a loss was not sent before it was noticed. Then it may be
 * complete. */
void replay_lose(struct replay *replay, const struct trace *measured, const struct run_loss *losses,
                 int64_t count);
/* From here on packages take what the profile says, and no more what they took: what is predicted
 * of the decisions that the run has made. */
void replay_price(struct replay *replay, const struct platform *platform);
/* Simulate a complete one; its events are appended to `trace`. */
bool replay_trace(const struct replay *replay, struct trace *trace, struct failure *failure);
void replay_release(struct replay *replay);

#endif

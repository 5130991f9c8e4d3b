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
#include "planner/model/platform.h"
#include "planner/model/trace.h"
#include "planner/report/report.h"
#include "planner/simulate/loop.h"

struct replay_package {
    int64_t worker; /* -1: the trace does not say */
    int64_t round, first, tasks;
    struct star_cost cost; /* in the run */
    bool lost;             /* it went to a worker that did not report it any more */
    bool last;             /* it is known to be its worker's last one */
    bool again;            /* handed out again: to a worker that had reported all but one */
    double not_before_s;   /* the loss that it was sent after */
};

/* How a run is replayed; all borrowed. */
struct replay_setup {
    int64_t workers;               /* 1 + the highest worker */
    int buffers;                   /* that the workers had; 0: PLATFORM_BUFFERS */
    bool write_behind;             /* results were written while workers went on */
    enum results results;          /* do they come back? */
    enum operating operating;      /* what went on side by side */
    const struct run_loss *losses; /* of a run that lost workers, ascending by time: a package that
                                    * nobody has reported went to one of them, and what was sent
                                    * after a loss was not sent before it was noticed */
    int64_t loss_count;
    const struct platform *price; /* packages take what it says, and not what they took: what is
                                   * predicted of the decisions that the run has made; NULL */
    const int64_t *lasts; /* by worker, the number of its last package; NULL: only known of the last
                           * packages */
    struct own_share *own; /* what the master computes itself; it is used up. NULL: nothing */
    /* By worker: computing, and what goes over the link, takes so many times what it took, as where
     * others had none of its processor and of the network; NULL. */
    const struct replay_alone {
        double compute, link;
    } * alone;
    int64_t alone_count;
    struct trace *trace; /* gets the events of the simulation; NULL: there is none */
    /* Called with every package, in the order of sending; NULL. */
    void (*package)(void *self, const struct replay_package *package);
    void *self;
};

/* A run's trace, read block by block. A package's transfer is known when the next so many packages
 * are: those are kept. */
enum { REPLAY_LAG = 4096 };

struct replay {
    struct replay_setup setup;
    struct replay_package *packages; /* owned; those that are kept, from number `first` on */
    struct replay_transfer *transfers;
    int64_t first, count;
    double *prepared_s;                 /* owned; of each worker, how long its start took */
    double port_s;                      /* the port was done with the package before `first` */
    int64_t end;                        /* after the last core task of those before */
    struct platform like;               /* borrows `price`'s windows; without it, it has none */
    struct loop loop;                   /* with a trace */
    double (*ends_s)[PLATFORM_BUFFERS]; /* owned; by worker, and of all lost ones together: the last
                                         * ends, the latest first */
    bool complete; /* every package so far was there once, with its worker: it can be replayed */
};

/* False: out of memory. To be released. */
bool replay_init(struct replay *replay, const struct replay_setup *setup, struct failure *failure);
/* The next block; events as trace_summary_make takes them. False: out of memory, or the trace that
 * is made cannot go on. From the first package on that makes it incomplete, nothing is replayed. */
bool replay_take(struct replay *replay, const struct trace *block, struct failure *failure);
/* After the last block. */
bool replay_end(struct replay *replay, struct failure *failure);
void replay_release(struct replay *replay);

#endif

/*
 * What master and workers hold while a run goes on, and what it came to. The master packs and sends
 * what a decision object says (master/master.h), workers compute and write (worker/worker.h): by
 * point-to-point messages only between the first package and the last result.
 */
#ifndef SPMD_PROTOCOL_RUN_H
#define SPMD_PROTOCOL_RUN_H

#include <stdbool.h>
#include <stdint.h>

#include "planner/base/failure.h"
#include "planner/dispatch/dispatch.h"
#include "planner/model/task_range.h"
#include "planner/model/trace.h"
#include "spmd/input/input.h"
#include "spmd/job/job.h"
#include "spmd/job/summary.h"
#include "spmd/launch/progress.h"
#include "spmd/output/losses.h"
#include "spmd/output/store.h"
#include "spmd/output/trace_writer.h"
#include "spmd/protocol/emulation.h"
#include "spmd/protocol/membership.h"
#include "spmd/protocol/run_had.h"
#include "spmd/transport/comm.h"
#include "spmd/transport/liveness.h"

struct counted;
struct engine;
struct joining;
struct masters;
struct wire_result;

/* What a package's worker told of it before, and returned; borrowed until the next is asked for. */
struct run_given {
    const struct wire_result *report;
    size_t report_size;
    const void *packed;
    size_t packed_size;
};

/* What every rank holds during a run; all borrowed. */
struct run {
    const struct comm *comm;
    struct membership *members; /* the master's */
    /* Of one of several masters side by side, and of its workers: the run of all of them, which
     * begins when each one's can; NULL: there is one master. And what masters tell each other. */
    const struct run *whole;
    struct masters *masters;
    /* The master's of a group that gets its packages from a master above it: its part there, as a
     * worker's; NULL: it has all core tasks itself. And what hands out those that have come. */
    const struct run *above;
    struct dispatch *stream;
    bool heads;                /* its workers are masters of groups, which read by themselves what
                                * they pack */
    const int *behind;         /* then: of each rank of the job, the member that it works behind, or
                                * is; 0: none of them */
    bool apart;                /* each takes part by itself; false: a loss ends the run */
    struct liveness *liveness; /* then: by which they look after each other; NULL: nobody does */
    struct process master;     /* then: a worker's: the master's, as it was told of (beginning.h) */
    double patience_s;         /* then: a worker that was silent for less is not lost */
    double longest_s;          /* the longest package by the plan; the master's; 0: not known */
    const struct job *job;
    struct input *input; /* the master's; with a staged job, every rank's own */
    struct store *store;
    struct losses *losses;             /* in the output; NULL: nothing is kept of them */
    const struct emulation *costs;     /* by the profile; NULL: not known */
    const struct emulation *emulation; /* those of a job that sleeps; NULL otherwise */
    bool collects;                     /* the master writes what workers return to it */
    bool keeps;                        /* then: they keep it until everything is handed out */
    bool copies; /* the master's: what is overdue is handed out once more (dispatch_recovery_copy),
                  * and whoever has it then is not waited for */
    const struct counted *counted; /* workers take packages by themselves (counting.h); NULL: the
                                    * master sends all */
    bool joins; /* the master's: nobody is there at first, and workers come and go (joining.h) */
    const struct joining *joining; /* then: what is known of those that do */
    /* A worker's: asked between two packages whether it is to leave, and then called once the
     * master has taken all that it has done, which does not return; NULL: it stays. */
    bool (*leaves)(void *self);
    void (*leave)(void *self);
    void *leaves_self;
    /* A worker's that returns results: those of this package are there, and need not be computed;
     * NULL: of none. */
    bool (*given)(void *self, const struct package *package, struct run_given *given);
    void *given_self;
    bool one_by_one;         /* the master sends no package before the last one has arrived */
    bool weighs_output;      /* workers say for how much of their output they wait for the store */
    bool senses;             /* workers say what they have of their processors while they compute */
    struct engine **kept;    /* a worker's: its engine outlives runs, and is there from the second
                              * one on (then to be freed); NULL: it does not */
    int64_t largest_package; /* core tasks */
    int64_t tasks;           /* that this run is to do; the master's, where each is apart */
    int64_t failing_most; /* the master's: the run is given up when the first core tasks, so many,
                           * have all failed; 0: it never is */
    int threads;          /* OpenMP threads of this rank */
    struct energy_watch *energy;  /* of its node, by the first rank there; NULL: nothing to tell */
    const char *again;            /* what to do to go on with it, for sentences */
    int buffers;                  /* packages that a worker receives ahead, >= 1 */
    struct trace_writer *tracing; /* the master's; NULL: the outcome keeps the whole trace */
    int64_t remembered;           /* then: events that the outcome keeps, too: the first ones */
};

enum {
    RUN_EVENTS_PER_PACKAGE = OPERATION_OUTPUT + 2
}; /* with an idle time; rows of the trace, beside workers' starts */
/* Events that a survey's fits are made of: more than a survey has, as a rule. */
enum { RUN_REMEMBERED = 1 << 17 };
enum { RUN_REJECTIONS = 3 }; /* of which reasons are told */

/* Of a group of ranks. */
struct rank_list {
    int *items; /* owned; ascend; NULL: none */
    int count;
};

/* What the master knows at the end. */
struct run_outcome {
    struct trace trace; /* owned; times from the first envelope's start; of a run that writes its
                         * trace, what is remembered of it */
    bool trace_cut;     /* what it wrote lacks the end */
    int64_t packages;   /* reported */
    struct summary summary;
    char *state;            /* owned; of a reduction over all tasks; NULL: none */
    char *told, *replanned; /* owned; of a watched plan, when and why what remained was planned
                             * anew: lines and a JSON array; NULL: it was not watched */
    char *copied;           /* owned; packages that were handed out once more, a JSON array; NULL:
                             * none was */
    char *moved;            /* owned; core tasks that went from one master's workers to another's, a
                             * JSON array; NULL: none did */
    char *json;             /* owned; the same in words, when the run has reached its end */
    struct rejection rejections[RUN_REJECTIONS]; /* those with the lowest numbers that were told */
    int rejection_count;
    double startup_s;  /* from the master process's start to the first package; 0: not known */
    double makespan_s; /* from the trace's origin; with several masters, from begun_s, once all
                        * are joined */
    double begun_s;    /* the first envelope's start, in the trace */
    double worked_s, stalled_s; /* sums over packages: receiving, computing and output; for how much
                                 * of that the store was waited for (run->weighs_output) */
    struct run_had_list had;    /* owned; where the run senses */
    struct plan_prediction predicted; /* of the plan that was executed */
    bool stopped;                     /* as asked, with packages left that nobody has begun */
    bool given_up;                    /* and not as asked: all that were tried had failed */
    char *failures;                   /* owned; then: lines about the first of them; NULL: none */
    const char *ends; /* borrowed; stopped because that one ends the run soon; NULL: as asked */
    bool master_lost; /* stopped because one of several masters is lost */
    bool resumed;     /* went on with what a run before had done */
    int64_t kept;     /* then: core tasks that had been done before */
    char *losses;     /* owned; lines about workers that were lost; NULL: none was */
    bool broken;      /* on every rank: some are lost, and do not answer */
    struct rank_list lost;      /* then: which */
    struct process_list others; /* on every rank: that it may end when they do not answer */
};

/* Among the few that are told: those with the lowest numbers, sorted. */
void rejection_keep(struct run_outcome *outcome, const struct rejection *rejection);
void run_outcome_release(struct run_outcome *outcome);

#endif

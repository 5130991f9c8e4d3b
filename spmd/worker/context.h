/*
 * What a worker works with: packages in, an engine that computes them, results out. Runs and
 * calibration use the same one, so that what is measured is what runs.
 */
#ifndef SPMD_WORKER_CONTEXT_H
#define SPMD_WORKER_CONTEXT_H

#include "planner/dispatch/dispatch.h"
#include "spmd/job/engine.h"
#include "spmd/job/summary.h"
#include "spmd/node/processor_time.h"
#include "spmd/protocol/returns.h"
#include "spmd/protocol/run.h"
#include "spmd/transport/inbox.h"

struct worker_context {
    const struct run *run; /* borrowed */
    int member;            /* this worker's number in the run, once it has begun */
    struct inbox *inbox;
    struct returns *returns; /* where the master writes; NULL: this rank does */
    struct engine *engine;
    char *package;                  /* owned; of a staged job: what the worker has read by itself */
    struct link_request cancelling; /* for the master's word to stop */
    bool cancelled;
    struct processor_counter counter; /* of the thread that computes here */
    double stalled_s;                 /* of the last output, where run->weighs_output says so */
    bool own; /* what failed is this rank's own trouble: reading its input, writing results */
    /* With results that are written behind: what is to be done now and then meanwhile, and until
     * when an emulated store is busy. */
    void (*meanwhile)(void *self); /* NULL: nothing */
    void *self;
    double due_s;      /* 0: it is not emulated */
    double begun_s;    /* its engine was, in this run; 0: it has outlived an earlier one */
    double prepared_s; /* an emulated start ends; 0: it is not emulated */
};

/* How long the parts of computing a package took. */
struct compute_times {
    double receive_s;          /* inside MPI, and reading a staged package */
    double worked_s, queued_s; /* of its threads, where run->senses says so and somebody counts */
};

/* Local. False with *failure set: it was already, out of memory, or the task could not start;
 * release all the same. */
bool worker_context_init(struct worker_context *context, const struct run *run,
                         struct failure *failure);
void worker_context_release(struct worker_context *context);
/* Local. The worker starts now, where that is emulated: no package is worked on before it has. */
void worker_context_start(struct worker_context *context);
/* Local. When what this rank has begun for its job was ready; 0: it needed no time, or nobody knows
 * yet. */
double worker_context_prepared(const struct worker_context *context);
/* Local. Wait for the master's word to stop, which it sends once in every run, at the end if not
 * before: one that came later would stop whatever is next on these ranks. */
void worker_context_finish(struct worker_context *context);
/* Local. Compute a package taken from the inbox. False: it failed (*failure set), or the master has
 * said to stop (context->cancelled). */
bool worker_context_compute(struct worker_context *context, const struct inbox_package *in,
                            struct compute_times *times, struct failure *failure);
/* Local. Results computed last into the store and into *summary. */
bool worker_context_output(struct worker_context *context, struct summary *summary,
                           struct failure *failure);

/* The same where it is the master who writes: packed, so that they are free; *report says what
 * follows it. */
bool worker_context_return(struct worker_context *context, struct wire_result *report,
                           struct failure *failure);
/* Local. What was returned is under way: where an operating model has the worker's processor send
 * it, that waits until it is taken. */
void worker_context_returned(struct worker_context *context);
/* Local. Of a run whose workers keep them: return what is kept of packages up to that number. */
void worker_context_give(struct worker_context *context, int64_t index);

/* The same in three steps, for a job whose results are written behind its computing; see
 * store_stage. Between worker_context_write and the time when worker_context_written says yes, the
 * next package can be computed and staged. */

/* Local. The part that takes this rank's processor. */
bool worker_context_stage(struct worker_context *context, struct summary *summary,
                          struct failure *failure);
/* Local. What is staged, of so many core tasks, is being written from now on. Returns when it was
 * handed over. */
double worker_context_write(struct worker_context *context, int64_t tasks);
/* Local. Is it written, or could not be (*failure is set then)? *end_s: when it was. */
bool worker_context_written(struct worker_context *context, double *end_s, struct failure *failure);
/* Local. Wait until it may be written, in small steps, or until something is to be done beside:
 * meanwhile is called, and packages come in. */
void worker_context_await(struct worker_context *context);

#endif

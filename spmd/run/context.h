/*
 * What a worker works with: packages in, an engine that computes them, results out. Runs and
 * calibration use the same one, so that what is measured is what runs.
 */
#ifndef SPMD_RUN_CONTEXT_H
#define SPMD_RUN_CONTEXT_H

#include "planner/dispatch/dispatch.h"
#include "spmd/job/engine.h"
#include "spmd/job/summary.h"
#include "spmd/run/run.h"
#include "spmd/transport/inbox.h"

struct worker_context {
    const struct run *run; /* borrowed */
    struct inbox *inbox;
    struct engine *engine;
    char *package;          /* owned; of a staged job: what the worker has read by itself */
    MPI_Request cancelling; /* for the master's word to stop */
    bool cancelled;
    bool own; /* what failed is this rank's own trouble: reading its input, writing results */
};

/* How long the parts of computing a package took. */
struct compute_times {
    double receive_s; /* inside MPI, and reading a staged package */
};

/* Local. False with *failure set: out of memory, or the task could not start; release all the same.
 */
bool worker_context_init(struct worker_context *context, const struct run *run,
                         struct failure *failure);
void worker_context_release(struct worker_context *context);
/* Local. Wait for the master's word to stop, which it sends once in every run, at the end if not
 * before: one that came later would stop whatever is next on these ranks. */
void worker_context_finish(struct worker_context *context);
/* Local. Compute a package taken from the inbox. False: it failed (*failure set), or the master has
 * said to stop (context->cancelled). */
bool worker_context_compute(struct worker_context *context, const struct inbox_package *in,
                            struct compute_times *times, struct failure *failure);
/* Local, for trial writes: what was computed last counts as the results of the tasks from `first`
 * on. */
void worker_context_move(struct worker_context *context, int64_t first);
/* Local. Results computed last into the store and into *summary. */
bool worker_context_output(struct worker_context *context, struct summary *summary,
                           struct failure *failure);

#endif

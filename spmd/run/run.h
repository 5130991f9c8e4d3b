/*
 * A run: one master that packs and sends what a decision object says, workers that compute and
 * write. Point-to-point messages only between the first package and the last result.
 */
#ifndef SPMD_RUN_RUN_H
#define SPMD_RUN_RUN_H

#include <stdbool.h>
#include <stdint.h>

#include "kernel/summary.h"
#include "planner/base/failure.h"
#include "planner/dispatch/dispatch.h"
#include "planner/model/trace.h"
#include "spmd/input/image.h"
#include "spmd/job/job.h"
#include "spmd/job/progress.h"
#include "spmd/output/store.h"
#include "spmd/transport/comm.h"

/* What every rank holds during a run; all borrowed. */
struct run {
    const struct comm *comm;
    const struct job *job;
    struct store *store;
    int64_t largest_package; /* core tasks */
    int threads;             /* OpenMP threads of this rank */
};

enum { RUN_EVENTS_PER_PACKAGE = OPERATION_COUNT }; /* rows of the trace */

/* What the master knows at the end. */
struct run_outcome {
    struct trace trace; /* owned; times from the first envelope's start */
    struct summary summary;
    double makespan_s;
};

/* Core tasks a worker has done, in the order of doing, to be normalised at the end. */
struct share {
    struct package *packages; /* owned */
    int64_t count, capacity;
};

/* Local to the master: send everything `dispatch` says, take in every result, stop the workers.
 * When a worker or the input fails, workers finish what they have, are stopped, and the first
 * sentence is returned. `image` is borrowed. Workers must be in worker_run. */
bool master_run(const struct run *run, struct dispatch *dispatch, struct image *image,
                struct progress *progress, struct run_outcome *outcome, struct failure *failure);
/* Local to a worker: work until the master says stop. Its own failure is in *failure and has been
 * told to the master. */
bool worker_run(const struct run *run, struct share *share, struct failure *failure);
/* Local: the worker's own part of /normalized. */
bool worker_normalize(const struct run *run, const struct share *share,
                      const struct summary *summary, struct failure *failure);
void share_release(struct share *share);
void run_outcome_release(struct run_outcome *outcome);

#endif

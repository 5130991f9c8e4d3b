/* The master of a run: hands out packages, takes reports, and outlives its workers. */
#ifndef SPMD_MASTER_MASTER_H
#define SPMD_MASTER_MASTER_H

#include <stdbool.h>
#include <stdint.h>

#include "planner/base/failure.h"
#include "planner/dispatch/dispatch.h"
#include "spmd/launch/progress.h"
#include "spmd/protocol/run.h"

/* Packages that one worker may have out where copies are made (dispatch_recovery_ahead): as many as
 * it, or the master, has room for while it takes in nothing. */
int64_t master_ahead(const struct run *run);

/* Local to the master, once all ranks have their memory (beginning.h): send everything `dispatch`
 * says, take in every result, stop the workers. When a core task or the input fails, the others are
 * told to stop, and the first sentence is returned. Where a rank has been asked to stop, workers
 * finish what they compute, and nothing else is begun. Workers must be in worker_run.
 *
 * With run->apart, a worker that is lost, sends what it cannot have meant, or has trouble of its
 * own (a disk that is full) gets nothing more; what it had and had not reported counts as never
 * sent, and `dispatch` hands it out again. A core task that costs one worker after the other is
 * given up: it counts as failed. Only when no worker is left, and something to be done, the run
 * fails. */
bool master_run(const struct run *run, struct dispatch *dispatch, struct progress *progress,
                struct run_outcome *outcome, struct failure *failure);

#endif

/*
 * Contents of a profile beside its costs: names of workers, the core task, and the memory of a
 * package.
 */
#ifndef CALIBRATE_LABELS_H
#define CALIBRATE_LABELS_H

#include "planner/base/failure.h"
#include "planner/model/profile.h"
#include "spmd/job/job.h"
#include "spmd/job/kernel.h"
#include "spmd/transport/comm.h"

/* Collective. "node:rank" of worker 0, 1, ...: on the master a list of comm->size - 1 strings, to
 * be freed by labels_workers_free; NULL elsewhere. */
bool labels_workers(const struct comm *comm, char ***names, struct failure *failure);
void labels_workers_free(char ***names, int workers);
/* Local. Memory of a rank for packages in transfer and in work, and for their results: an affine
 * function of the package size, from packages of one and of `largest` core tasks. */
struct memory labels_memory(const struct job *job, int64_t largest, int threads);
/* Local. The core task and its plug-in, if any. */
bool labels_kernel(struct profile *profile, const struct kernel *kernel, struct failure *failure);

#endif

/*
 * One core task, and one way of computing it, on all ranks.
 */
#ifndef SPMD_LAUNCH_METHOD_H
#define SPMD_LAUNCH_METHOD_H

#include <stdbool.h>

#include "planner/base/failure.h"
#include "spmd/job/job.h"
#include "spmd/job/kernel.h"
#include "spmd/transport/comm.h"

/* Local to that rank. Does it compute its job as the master does, by what the core task says of it?
 * With one build, equal jobs do; ranks of different builds are refused, with a description of the
 * two methods. */
bool method_check(const struct job *job, const char *masters, int rank, struct failure *failure);

/* Collective. Has every rank the same plug-in, byte for byte, if any? */
bool kernel_agree(const struct comm *comm, const struct kernel *kernel, struct failure *failure);

#endif

/*
 * One way of computing on all ranks.
 */
#ifndef SPMD_METHOD_H
#define SPMD_METHOD_H

#include <stdbool.h>

#include "planner/failure.h"
#include "spmd/comm.h"
#include "spmd/job.h"

/* Collective. Does every rank compute its job as the master does, by what the kernel says of it?
 * One build makes that so of equal jobs; ranks that started different ones are refused, with the
 * two ways in words. */
bool method_agree(const struct comm *comm, const struct job *job, struct failure *failure);

#endif

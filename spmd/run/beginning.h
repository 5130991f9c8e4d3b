/*
 * How a run begins, by messages between the master and each worker alone: a worker is told that a
 * run is to begin, and answers that it can, or why it cannot; then all begin, or none. Nothing that
 * a worker which comes later could not do.
 */
#ifndef SPMD_RUN_BEGINNING_H
#define SPMD_RUN_BEGINNING_H

#include "spmd/run/run.h"

/* Local to the master. True: all can, and so can the master (*failure is not set); otherwise every
 * rank has the failure of the first that cannot. All that have answered are members, and with
 * run->apart each takes part by itself from here on. */
bool beginning_lead(const struct run *run, struct failure *failure);
/* Local to a worker, the other side of it. Returns its number as a member; 0: not all can. */
int beginning_follow(const struct run *run, struct failure *failure);

#endif

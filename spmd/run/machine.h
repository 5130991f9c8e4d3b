/*
 * The machine that ranks are on, in words: what a profile keeps, to be known again.
 */
#ifndef SPMD_RUN_MACHINE_H
#define SPMD_RUN_MACHINE_H

#include "planner/base/failure.h"
#include "spmd/transport/comm.h"

enum { MACHINE_WORD_SIZE = 200 };

/* Local. "PROCESSOR, 96 cores" where all of these ranks have the same words, or each with its
 * ranks: "A, 96 cores (ranks 0-3); B, 40 cores (rank 4)". Owned; NULL: out of memory. */
char *machine_describe(const char (*words)[MACHINE_WORD_SIZE], int ranks);
/* Collective. The same of these ranks: *machine is owned on the master and NULL elsewhere. */
bool machine_gather(const struct comm *comm, char **machine, struct failure *failure);

#endif

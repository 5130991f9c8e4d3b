/*
 * Instruction sets on many ranks: one pinned by its name, and which rank computes with which.
 */
#ifndef SPMD_LAUNCH_INSTRUCTIONS_H
#define SPMD_LAUNCH_INSTRUCTIONS_H

#include <stdbool.h>

#include "kernel/vector/isa.h"
#include "planner/base/failure.h"
#include "spmd/transport/comm.h"

/* Local. Is `name` ("auto" and "generic" among them) a set that a processor with `had` can be told
 * to use? If not, a sentence with the names that can; `rank` is whose processor it is. */
bool instructions_check(const char *name, const bool had[ISA_COUNT], int rank,
                        struct failure *failure);
/* Local. Compute with that set from now on; refused as above. */
bool instructions_pin(const char *name, const struct comm *comm, struct failure *failure);

/* "avx512", or "avx2 (ranks 1-3, 5), avx512 (rank 4)": used[i] is the set of worker i, rank i + 1.
 * Owned; NULL: out of memory. */
char *instructions_describe(const enum isa *used, int workers);
/* Collective. The same of these ranks, owned, on the master; NULL elsewhere. Out of memory is
 * fatal.
 */
char *instructions_gather(const struct comm *comm);

#endif

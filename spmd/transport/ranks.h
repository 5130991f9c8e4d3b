/*
 * The ranks that a launcher has started, from their beginning to their end.
 */
#ifndef SPMD_TRANSPORT_RANKS_H
#define SPMD_TRANSPORT_RANKS_H

#include "spmd/transport/link.h"

/* Collective, once. Begins MPI, for one thread that calls it; returns the link of all ranks. */
struct link ranks_begin(int *argc, char ***argv);
/* Collective. Nobody sends anything any more: ends MPI, or where that may not come to an end, meets
 * all and leaves MPI as it is: the launcher knows then that these ranks have ended. */
void ranks_end(struct link all);

#endif

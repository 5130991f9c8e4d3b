/*
 * A worker's side of not being alone: while it waits and works it says that it lives, sees whether
 * the master does, and learns that it has been given up.
 *
 * Whether a process is there is asked of the output's file system (spmd/output/hold.h), because MPI
 * cannot say: messages to a dead rank seem to arrive.
 */
#ifndef SPMD_RUN_VIGIL_H
#define SPMD_RUN_VIGIL_H

#include <mpi.h>
#include <stdbool.h>

#include "spmd/output/losses.h"
#include "spmd/transport/comm.h"

struct vigil {
    struct comm_vigil base;
    struct comm *comm;     /* borrowed; calls it from vigil_begin to vigil_end */
    const char *path;      /* borrowed; the output's, for sentences */
    int hold;              /* borrowed */
    bool sees;             /* the master's place was seen taken */
    bool hushed;           /* it says no more that it lives */
    struct losses *losses; /* borrowed; NULL: none */
    MPI_Request lost;
    double told_s, probed_s;
};

/* Local to a worker. Neither moves until vigil_end. */
void vigil_begin(struct vigil *vigil, struct comm *comm, const char *path, int hold);
/* Local. Before something is written: does not return where the master has given this worker up and
 * others may be doing its work. NULL: nothing. */
void vigil_pass(struct vigil *vigil);
/* Local. From here on it says nothing any more: all that the master waits for has been said. */
void vigil_hush(struct vigil *vigil);
/* Local. Is a rank of the run gone, as far as that can be seen? Of NULL: no. */
bool vigil_misses(const struct vigil *vigil);
void vigil_end(struct vigil *vigil);

#endif

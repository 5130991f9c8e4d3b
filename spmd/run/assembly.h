/*
 * Before a run's output is there, its ranks wait for each other in collective calls, and one that
 * is gone would be waited for for ever. Until then master and workers tell each other every second
 * that they live; who hears nothing for too long says so, and all leave.
 */
#ifndef SPMD_RUN_ASSEMBLY_H
#define SPMD_RUN_ASSEMBLY_H

#include <mpi.h>
#include <stdbool.h>

#include "planner/base/failure.h"
#include "spmd/transport/comm.h"

struct assembly {
    struct comm_vigil base;
    struct comm *comm; /* borrowed; calls it from assembly_begin to assembly_end; NULL: over */
    const char *path;  /* borrowed; the output's, for sentences */
    double most_s;     /* silence that is borne */
    double *heard_s;   /* owned; by rank: the workers' for the master, the master's for them */
    struct process *processes; /* owned; by rank, of those that this one listens to */
    double told_s, looked_s;
    int word; /* being received */
    MPI_Request listening;
    int here; /* ranks that have said their last word */
};

/* Collective. Whoever is silent for `most_s`, in collective calls and between two of them, ends the
 * run with FAILURE_STOPPED on all ranks. False with *failure set: out of memory, on all ranks. */
bool assembly_begin(struct assembly *assembly, struct comm *comm, const char *path, double most_s,
                    struct failure *failure);
/* Collective, also where assembly_begin has failed, or nothing has begun (zero), or it is over. */
void assembly_end(struct assembly *assembly);

#endif

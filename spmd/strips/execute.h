/*
 * Executes a plan of strips and writes its output.
 */
#ifndef SPMD_STRIPS_EXECUTE_H
#define SPMD_STRIPS_EXECUTE_H

#include <stdbool.h>

#include "planner/base/failure.h"
#include "planner/base/process.h"
#include "planner/strips/strips_plan.h"
#include "spmd/transport/comm.h"
#include "spmd/transport/liveness.h"

/* What to run; all borrowed and the same on every rank. */
struct strips_execution {
    const struct comm *comm;
    struct liveness *liveness; /* every rank sends its heartbeats until the end */
    double patience_s;         /* as in liveness_part */
    const struct strips_plan *plan;
    const char *plan_text, *profile_text; /* written to the output; profile NULL: none */
    const char *plan_name, *output;
    const char *command_line; /* as it could be typed; NULL: not known */
    const char *isa;          /* the instruction set of each rank, in words */
    int threads;
    bool resume; /* go on with the output, if there is one */
    bool trust;  /* do not compare it with its digest */
    bool quiet;
    bool (*asked)(void *self); /* as in struct strips_run, as the next two */
    bool (*late)(void *self, double s);
    void *self;
};

/* How it ended, on each rank. */
struct strips_ended {
    bool broken;                /* workers are lost: no collective step is possible any more */
    struct process_list others; /* the master's, owned: those that may be ended when they do not
                                 * answer */
};

/* Collective; from the loss of a worker on, no rank waits for all others any more. FAILURE_STOPPED:
 * stopped on request, for lack of time, or because no worker is left; the output then has the grid
 * that was kept last. */
bool strips_execute(const struct strips_execution *execution, struct strips_ended *ended,
                    struct failure *failure);

#endif

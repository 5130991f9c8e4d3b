/*
 * A whole run of strips, from a plan to its output.
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
    struct liveness *liveness; /* until the end, each takes part by itself */
    double patience_s;         /* as liveness_part has it */
    const struct strips_plan *plan;
    const char *plan_text, *profile_text; /* that the output keeps; profile NULL: none */
    const char *plan_name, *output;
    const char *command_line; /* as it could be typed; NULL: not known */
    const char *isa;          /* which rank computes with which instruction set */
    int threads;
    bool resume; /* go on with the output, if it is there */
    bool trust;  /* without comparing it with its digest */
    bool quiet;
    bool (*asked)(void *self); /* as in struct strips_run, as the next two */
    bool (*late)(void *self, double s);
    void *self;
};

/* How it ended, on each rank. */
struct strips_ended {
    bool broken;                /* workers are lost: nothing collective works any more */
    struct process_list others; /* the master's, owned: those that may be ended when they do not
                                 * answer */
};

/* Collective, and local from where workers are lost. Stopped as asked, for want of time, or because
 * no worker is left: FAILURE_STOPPED, and the output has the grid that was kept last. */
bool strips_execute(const struct strips_execution *execution, struct strips_ended *ended,
                    struct failure *failure);

#endif

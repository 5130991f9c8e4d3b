/*
 * A whole run of strips, from a plan to its output.
 */
#ifndef SPMD_STRIPS_EXECUTE_H
#define SPMD_STRIPS_EXECUTE_H

#include <stdbool.h>

#include "planner/base/failure.h"
#include "planner/strips/strips_plan.h"
#include "spmd/transport/comm.h"

/* What to run; all borrowed and the same on every rank. */
struct strips_execution {
    const struct comm *comm;
    const struct strips_plan *plan;
    const char *plan_text, *profile_text; /* that the output keeps; profile NULL: none */
    const char *plan_name, *output;
    const char *command_line; /* as it could be typed; NULL: not known */
    const char *isa;          /* which rank computes with which instruction set */
    int threads;
    bool resume; /* go on with the output, if it is there */
    bool quiet;
    bool (*asked)(void); /* as in struct strips_run, as the next two */
    bool (*late)(void *self, double s);
    void *self;
};

/* Collective. Stopped as asked, or for want of time: FAILURE_STOPPED, and the output has the grid
 * as it is then. */
bool strips_execute(const struct strips_execution *execution, struct failure *failure);

#endif

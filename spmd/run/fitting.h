/*
 * Does a plan fit: its job, the workers that there are, MPI's messages, a node's memory?
 */
#ifndef SPMD_RUN_FITTING_H
#define SPMD_RUN_FITTING_H

#include <stdbool.h>
#include <stdint.h>

#include "planner/base/failure.h"
#include "planner/model/plan.h"
#include "spmd/job/job.h"
#include "spmd/transport/comm.h"

/* What is to fit together; borrowed. */
struct fitting {
    const struct comm *comm;
    const struct job *job;
    const struct plan *plan; /* the user's */
    const char *plan_name;
    const char *input; /* NULL: none */
    int threads;
    bool collects; /* the master writes what workers return */
    bool keeps;    /* then: when everything is computed */
};

/* The packages that are to be sent. */
struct fitting_packages {
    const struct plan *plan; /* whose rounds they are, unless they are assigned on request */
    int64_t largest;         /* core tasks */
    bool by_rule;            /* assigned on request */
    bool resumed;            /* of what is left, for as many workers as there are */
};

/* All: False with *failure set, and the way out in it. */

/* Local, the same on every rank. Is the plan for a job of so many core tasks? */
bool fitting_job(const struct fitting *fitting, struct failure *failure);
/* Local, the same on every rank. Can these packages be sent to these workers? */
bool fitting_plan(const struct fitting *fitting, const struct fitting_packages *packages,
                  struct failure *failure);
/* Local, once ranks know who is on their node (comm_find_node). Has it the memory for packages of
 * so many core tasks? The operating system promises memory that is not there, and kills processes
 * later: so this is asked before. */
bool fitting_memory(const struct fitting *fitting, int64_t largest, struct failure *failure);

#endif

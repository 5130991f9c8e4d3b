/* What a job is, before anything is known of its costs: the plan that scow go begins with. */
#ifndef CALIBRATE_GO_JOB_PLAN_H
#define CALIBRATE_GO_JOB_PLAN_H

#include "planner/command/weights_options.h"
#include "planner/model/plan.h"
#include "spmd/job/kernel.h"
#include "spmd/job/values.h"
#include "spmd/transport/comm.h"

/* What is to be done; borrowed, the same on every rank. */
struct job_wanted {
    const struct kernel *kernel;
    const struct values *values;
    const char *input;                     /* NULL: none */
    int threads;                           /* of a rank; 0: as it was started */
    const struct weights_options *weights; /* what core tasks are worth, if one of them is given */
};

/* Collective. All core tasks to one worker, in one package, which nobody will send: core task,
 * parameters and the number of core tasks count, which the master finds in the input, as it does
 * their weights: *weights is owned by the caller, NULL where none are wanted, and on other ranks;
 * the master's plan keeps them, too, as far as plans do. To be released, also on failure. */
bool job_plan_make(const struct comm *comm, const struct job_wanted *wanted, struct plan *plan,
                   struct task_weights **weights, struct failure *failure);

#endif

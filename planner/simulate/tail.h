/*
 * How much of a plan's end is better assigned on request, by simulations in which packages differ,
 * single ones and whole regions of the job (unequal.h), and workers are not exactly as fast as
 * measured. With equal core tasks, it is at most what balances the workers' ends, and costs at most
 * 1 % if no package differs.
 */
#ifndef PLANNER_SIMULATE_TAIL_H
#define PLANNER_SIMULATE_TAIL_H

#include <stdbool.h>

#include "planner/dispatch/dispatch.h"
#include "planner/model/plan.h"
#include "planner/model/platform.h"

struct plan_tail_request {
    const struct plan *plan; /* whole loads */
    const struct platform *platform;
    const char *rule;
    int64_t workers;  /* existing ones */
    int ahead;        /* packages that a worker has at a time under the rule, >= 1 */
    double deviation; /* relative, of one package's time, beside the following */
    const struct profile_setting *setting; /* how packages differ; NULL: by the deviation alone */
    double speed; /* relative, by how much a worker's speed may be off; with a setting only */
    bool equal;   /* core tasks do not differ: what deviates is the machine */
    double share; /* of the tasks, to be assigned on request; below 0: the best */
    double
        errors; /* above 0: in place of a share, each worker is assigned beforehand what it can be
                 * relied upon for (dependable.h): its rate less so many standard deviations */
};

struct plan_tail {
    struct plan head; /* owned: what is sent as planned */
    struct dispatch_setup
        setup;         /* of the rule, for the remaining tasks; tasks = 0: there is no tail */
    double *weights;   /* owned; setup's */
    double makespan_s; /* where no package differs */
    double share; /* of the tasks, as asked for, as found best, or as none can be relied upon */
    double gain;  /* by how much it shortens the mean makespan where packages do:
                   * relative; 0 where nothing was looked for */
};

/* To be released. False with *failure set: no such rule, or out of memory. */
bool plan_tail_init(struct plan_tail *tail, const struct plan_tail_request *request,
                    struct failure *failure);
void plan_tail_release(struct plan_tail *tail);
/* About how many packages are simulated to find the best share for that number of workers. */
double plan_tail_effort(int64_t workers);

#endif

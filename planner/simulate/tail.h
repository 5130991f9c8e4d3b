/*
 * How much of a plan's end is better dealt on request: as much as evens out how far workers will
 * end apart because packages differ, as far as simulations with such differences say that it pays.
 * Where core tasks are equal, it costs at most 1 % when no package differs.
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
    int64_t workers;  /* that there are */
    int ahead;        /* packages that a worker has at a time under the rule, >= 1 */
    double deviation; /* relative, of one package's time */
    bool equal;       /* core tasks do not differ: what deviates is the machine */
    double share;     /* of the tasks, to be dealt on request; below 0: what is best */
};

struct plan_tail {
    struct plan head;            /* owned: what is sent as planned */
    struct dispatch_setup setup; /* of the rule, for the rest; tasks = 0: there is none */
    double *weights;             /* owned; setup's */
    double makespan_s;           /* where no package differs */
    double gain;                 /* by how much it shortens the mean makespan where packages do:
                                  * relative; 0 where the share was given */
};

/* To be released. False with *failure set: no such rule, or out of memory. */
bool plan_tail_init(struct plan_tail *tail, const struct plan_tail_request *request,
                    struct failure *failure);
void plan_tail_release(struct plan_tail *tail);

#endif

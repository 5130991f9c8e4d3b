/* What no schedule with a master that computes can end before (master_share.h has the model). */
#ifndef PLANNER_STUDIES_MASTER_BOUND_H
#define PLANNER_STUDIES_MASTER_BOUND_H

#include <stdbool.h>

#include "planner/base/failure.h"
#include "planner/model/platform.h"

/* Where bisection for the master's share ends, in core tasks: of whole loads with neighbours, of
 * real-valued ones where rounding of the job's sums is about as large. */
double master_share_width(double tasks, bool real_valued);

/* What bounds a makespan with a master that computes. */
struct master_bound {
    bool (*bound)(const struct platform *platform, double tasks, bool real_valued, double *bound_s,
                  struct failure *failure); /* of the workers' part */
    const struct platform *platform;
    double tasks, task_s; /* task_s 0: the master computes none */
    bool real_valued;
};

/* In *bound_s: whatever the share is, the workers take their bound for the others, which falls with
 * it, and the master the time of its share, which grows: no schedule ends before both cross. */
bool master_bound(const struct master_bound *asked, double *bound_s, struct failure *failure);

#endif

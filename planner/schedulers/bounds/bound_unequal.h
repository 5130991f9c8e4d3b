/* A lower bound on the makespan of any schedule of core tasks that differ along the job. */
#ifndef PLANNER_SCHEDULERS_BOUNDS_BOUND_UNEQUAL_H
#define PLANNER_SCHEDULERS_BOUNDS_BOUND_UNEQUAL_H

#include <stdbool.h>

#include "planner/base/failure.h"
#include "planner/model/platform.h"

/* In *bound_s, for `tasks` core tasks whose costs of computing have mean 1 and are otherwise
 * anything: whichever of them come first, and whoever gets which; where what is sent differs by the
 * platform's bytes, this, too; where the platform's work is that of this job, its heaviest core
 * task counts. The proof is in bound_unequal.c. Fails where memory ends. */
bool bound_unequal(const struct platform *platform, double tasks, bool real_valued, double *bound_s,
                   struct failure *failure);

#endif

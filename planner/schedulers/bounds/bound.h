/* A lower bound on the makespan of any schedule of X tasks on a platform. */
#ifndef PLANNER_SCHEDULERS_BOUNDS_BOUND_H
#define PLANNER_SCHEDULERS_BOUNDS_BOUND_H

#include <stdbool.h>

#include "planner/base/failure.h"
#include "planner/model/platform.h"

/* In *bound_s; the proofs are in bound.c and bound_models.c. Holds for whole loads, with
 * `real_valued` for fractional ones too, which may lie up to one task outside their window. Fails
 * where memory ends. */
bool bound_makespan(const struct platform *platform, double tasks, bool real_valued,
                    double *bound_s, struct failure *failure);
/* The same for single-port platforms without results; it does not ask for either. */
bool bound_single_port(const struct platform *platform, double tasks, bool real_valued,
                       double *bound_s, struct failure *failure);

#endif

/* By when a plan has how much done, for telling how long its run will still take. */
#ifndef SPMD_RUN_PROGRESS_CURVE_H
#define SPMD_RUN_PROGRESS_CURVE_H

#include "planner/model/plan.h"
#include "planner/model/profile.h"
#include "spmd/launch/progress.h"

/* Local. The plan, simulated on its profile (NULL: none); to be released by progress_end. Empty
 * where that cannot be, or would take long. */
struct progress_curve progress_curve_of(const struct plan *plan, const struct profile *profile);

#endif

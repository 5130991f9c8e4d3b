/* What scow simulate --levels does. */
#ifndef PLANNER_COMMAND_SIMULATE_LEVELS_H
#define PLANNER_COMMAND_SIMULATE_LEVELS_H

#include "planner/base/text.h"
#include "planner/model/plan.h"
#include "planner/model/profile.h"

/* A search's levels, of which the plan has the first, by one master and by masters that multiply
 * (studies/level_masters.h), as a table or as one JSON value (scow-levels-1). `workers` 0: all of
 * the profile's. False with *failure set: the profile (`name`) knows of no levels, as usual. */
bool simulate_levels(const struct profile *profile, const char *name, const struct plan *plan,
                     int64_t workers, bool json, struct text *text, struct failure *failure);

#endif

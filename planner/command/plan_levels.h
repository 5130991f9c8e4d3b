/* What a plan says of a search's levels behind the first, which is planned. */
#ifndef PLANNER_COMMAND_PLAN_LEVELS_H
#define PLANNER_COMMAND_PLAN_LEVELS_H

#include "planner/base/text.h"
#include "planner/library/planned.h"

/* A table of what the profile's samples let expect, with a line that says so; of a profile without
 * any, nothing. False with *failure set: out of memory. */
bool plan_levels_add(const struct planned *planned, struct text *text, struct failure *failure);

#endif

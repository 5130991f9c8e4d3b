/* Profiles and plans as people read them. */
#ifndef PLANNER_DESCRIBE_H
#define PLANNER_DESCRIBE_H

#include "planner/plan.h"
#include "planner/profile.h"
#include "planner/text.h"

void describe_profile(const struct profile *profile, struct text *text);
/* `available`: workers that the plan could have used; 0: not known. */
void describe_plan(const struct plan *plan, int64_t available, struct text *text);

#endif

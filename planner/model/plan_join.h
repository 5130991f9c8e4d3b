/*
 * A plan of several masters, side by side or in a tree, as a plan of one, for what only one master
 * can do: every worker gets the packages that it was to get, in the same order, and rank 0 sends
 * all of them. Rounds of the parts go out side by side; ranks that were masters get nothing.
 */
#ifndef PLANNER_MODEL_PLAN_JOIN_H
#define PLANNER_MODEL_PLAN_JOIN_H

#include "planner/model/plan.h"

/* Nothing is predicted of it from here on; one of a single master stays as it is. False: out of
 * memory, and *plan as it was. */
bool plan_join(struct plan *plan);

#endif

/*
 * A plan whose master computes, as one whose master does not, for a master that has other things to
 * do: what it was to compute goes to its workers, in rounds after the others.
 */
#ifndef PLANNER_MODEL_PLAN_REST_MASTER_H
#define PLANNER_MODEL_PLAN_REST_MASTER_H

#include "planner/model/plan.h"

/* No package is larger than those that there are. Nothing is predicted of it from here on; a plan
 * whose master computes nothing stays as it is. False: out of memory, and *plan as it was. */
bool plan_rest_master(struct plan *plan);

#endif

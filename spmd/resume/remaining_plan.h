/* A plan for the remaining tasks of a job, as text, with or without known costs. */
#ifndef SPMD_RESUME_REMAINING_PLAN_H
#define SPMD_RESUME_REMAINING_PLAN_H

#include "planner/base/failure.h"
#include "planner/studies/remaining_plan.h"

/* Local. JSON, owned: as it is measured by that profile (NULL: none; the request's own does not
 * matter), else packages of one size that are no larger than the plan's. NULL with
 * *failure set: out of memory. */
char *remaining_plan(const struct remaining_request *request, const struct profile *profile,
                     struct failure *failure);

#endif

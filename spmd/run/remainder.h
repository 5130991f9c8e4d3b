/* A plan for what is left of a job, as text, whatever is known of costs. */
#ifndef SPMD_RUN_REMAINDER_H
#define SPMD_RUN_REMAINDER_H

#include "planner/base/failure.h"
#include "planner/studies/remainder.h"

/* Local. JSON, owned: as it is measured by the profile in that text (NULL: none; the request's own
 * does not matter), else packages of one size that are no larger than the plan's. NULL with
 * *failure set: out of memory. */
char *remainder_plan(const struct remainder_request *request, const char *profile_text,
                     struct failure *failure);

#endif

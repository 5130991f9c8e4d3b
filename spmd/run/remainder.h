/*
 * A plan for what is left of a job, for the workers that there are now.
 */
#ifndef SPMD_RUN_REMAINDER_H
#define SPMD_RUN_REMAINDER_H

#include <stdint.h>

#include "planner/base/failure.h"
#include "planner/model/plan.h"

struct remainder_request {
    const struct plan *plan;  /* of the whole job; borrowed */
    const char *profile_text; /* NULL: none */
    int64_t tasks;            /* that are left, >= 1 */
    int64_t workers;          /* that there are now, >= 1 */
};

/* Local. The plan as JSON text, owned: by the plan's own scheduler where that can, else by the best
 * of all; without a profile, or with less left than any package in it, packages of one size that
 * are no larger than the plan's. NULL with *failure set: out of memory. */
char *remainder_plan(const struct remainder_request *request, struct failure *failure);

#endif

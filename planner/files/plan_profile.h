/*
 * A profile as a plan sees it: with the workers that the plan assumes beyond those measured
 * (model/beyond.h), and the setting that it was made for.
 */
#ifndef PLANNER_FILES_PLAN_PROFILE_H
#define PLANNER_FILES_PLAN_PROFILE_H

#include <stdbool.h>

#include "planner/base/failure.h"
#include "planner/model/plan.h"
#include "planner/model/profile.h"

struct plan_profile {
    struct profile profile;                /* owned */
    const struct profile_setting *setting; /* of it, with the plan's parameters and threads */
};

/* A copy, which borrows the plan's weights. To be released, also on failure: FAILURE_MISMATCH where
 * the profile has no such setting; too many workers, or out of memory. */
bool plan_profile_init(struct plan_profile *seen, const struct profile *profile,
                       const struct plan *plan, struct failure *failure);
void plan_profile_release(struct plan_profile *seen);

#endif

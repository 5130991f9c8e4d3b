/*
 * What is expected of a search's levels where the first one is planned: how many core tasks each
 * will have, by what samples of them led to when the profile was measured or as the user says, and
 * how long each will take, planned for so many with what its core tasks cost, as scow run plans it
 * when it begins.
 */
#ifndef PLANNER_LIBRARY_EXPECTED_LEVELS_H
#define PLANNER_LIBRARY_EXPECTED_LEVELS_H

#include "planner/base/failure.h"
#include "planner/model/plan.h"
#include "planner/model/profile.h"

/* All borrowed. */
struct expected_levels_request {
    const struct profile *profile;
    const struct profile_setting *setting; /* the plan's */
    int64_t workers;
    const char *path; /* of the profile; its name in messages */
    const char *said; /* of the levels after the first, in their order, separated by commas: N core
                       * tasks, or xF, F times those of the level before; NULL: nothing is */
};

/* Can `said` (not NULL) be read? FAILURE_USAGE and what is wrong. */
bool expected_levels_check(const char *said, struct failure *failure);
/* Into the plan, whose makespan has been predicted; of a profile that knows of no levels, nothing.
 * False with *failure set: out of memory, or something was said and the profile knows of none. */
bool expected_levels_find(const struct expected_levels_request *request, struct plan *plan,
                          struct failure *failure);

#endif

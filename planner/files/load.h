/* Profiles and plans from files, for the commands. */
#ifndef PLANNER_FILES_LOAD_H
#define PLANNER_FILES_LOAD_H

#include "planner/base/failure.h"
#include "planner/model/grouping.h"
#include "planner/model/plan.h"
#include "planner/model/profile.h"
#include "planner/model/waits.h"

/* `digest` becomes the SHA-256 of the file's bytes; it may be NULL. */
bool load_profile(const char *path, struct profile *profile, char digest[65],
                  struct failure *failure);
bool load_plan(const char *path, struct plan *plan, struct failure *failure);
/* The same, with several masters side by side allowed. */
bool load_plan_any(const char *path, struct plan *plan, struct failure *failure);
/* Groups of ranks; classes are the profile's. */
bool load_grouping(const char *path, const struct profile *profile, struct group *whole,
                   struct failure *failure);
bool load_waits(const char *path, struct waits *waits, struct failure *failure);

#endif

/* Selects settings and workers of a profile by the user's options. */
#ifndef PLANNER_LIBRARY_WANTED_H
#define PLANNER_LIBRARY_WANTED_H

#include <stdbool.h>
#include <stdint.h>

#include "planner/base/failure.h"
#include "planner/base/parameter.h"
#include "planner/model/profile.h"

/* --set NAME=VALUE,... (may be NULL) and --block B (0: not given) as parameters, appended. */
bool wanted_read(const char *set, int64_t block, struct parameter_list *wanted,
                 struct failure *failure);
/* Are these parameters of the profile, and is what holds for all of its settings as wanted? `path`
 * is the profile's. */
bool wanted_check(const struct profile *profile, const char *path,
                  const struct parameter_list *wanted, struct failure *failure);
/* -n N beyond the profile (0: not given): it is extended to so many workers by more of the class
 * `like`, a name or the rank of one of its workers (NULL: the last class); `path` is the profile's.
 * Unknown classes are usage. */
bool wanted_workers(struct profile *profile, const char *path, int64_t workers, const char *like,
                    struct failure *failure);
/* --price CLASS=P,... (may be NULL): a class, by its name or one of its ranks, or the master, costs
 * P a second; P without a class: every rank does. Fees stay. `path` is the profile's. */
bool wanted_prices(struct profile *profile, const char *path, const char *prices,
                   struct failure *failure);
/* Have the profile's settings the operating model of that name; NULL: their own. FAILURE_USAGE:
 * there is none. */
bool wanted_model(struct profile *profile, const char *model, struct failure *failure);

#endif

/* One package per worker, of a size that a formula gives: made whole, packed into the profile's
 * windows and offered to the search, for every view of the workers. */
#ifndef PLANNER_SCHEDULERS_ROUNDS_ONE_PACKAGE_H
#define PLANNER_SCHEDULERS_ROUNDS_ONE_PACKAGE_H

#include "planner/schedulers/search/ranking.h"
#include "planner/schedulers/search/schedule.h"

/* Loads of the ranking's workers that sum to `tasks`, each 0 or more. */
typedef void one_package_loads(const struct ranking *ranking, double tasks, double *loads);

/* As `make` of struct scheduler. */
bool one_package_make(const struct schedule_request *request, one_package_loads *loads,
                      struct plan *plan, struct failure *failure);

#endif

/*
 * How many workers one master can feed: the thesis's lambda, the most workers with sum of h/(r+w)
 * <= 1 (Theorem 9 of de la Torre, Scheduling Divisible Tasks under Production or Utilization
 * Constraints), those first that need the least of the port.
 */
#ifndef PLANNER_STUDIES_FEEDING_H
#define PLANNER_STUDIES_FEEDING_H

#include <stdint.h>

#include "planner/base/failure.h"
#include "planner/model/profile.h"

/* How many of a setting's first `worker_most` workers (0: all; *there becomes how many these are)
 * are always busy with packages of `load` core tasks. Fails when out of memory. */
bool feeding_find(const struct profile_setting *setting, int64_t worker_most, double load,
                  int64_t *fed, int64_t *there, struct failure *failure);
/* Could one master keep all of the first `workers` workers busy with `tasks` core tasks? That is
 * with packages of the size that needs the least of master and links, at an end of a window and
 * no larger than each worker's share of the job; for both of them by itself, the shares that the
 * workers need add up to 1 at most ((4.5) and (4.6) are two rows). Fails when out of memory. */
bool feeding_suffices(const struct profile_setting *setting, int64_t workers, double tasks,
                      bool *suffices, struct failure *failure);

#endif

/* The rounds of UMR2, for the scheduler itself and for ramps at the end of other plans. */
#ifndef PLANNER_SCHEDULERS_ROUNDS_UMR2_H
#define PLANNER_SCHEDULERS_ROUNDS_UMR2_H

#include <stdbool.h>
#include <stdint.h>

#include "planner/schedulers/search/ranking.h"

/* loads[round * count + worker], core tasks, not whole, of `rounds` rounds for the ranking's first
 * `count` workers, in all `tasks`. False where a load would be negative. */
bool umr2_fill(const struct ranking *ranking, int64_t count, int64_t rounds, double tasks,
               double *loads);

#endif

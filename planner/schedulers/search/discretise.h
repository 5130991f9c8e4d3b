/*
 * Real loads into packages that exist: whole core tasks, each none at all or within a window, in
 * all exactly as many as there are to hand out.
 */
#ifndef PLANNER_SCHEDULERS_SEARCH_DISCRETISE_H
#define PLANNER_SCHEDULERS_SEARCH_DISCRETISE_H

#include <stdbool.h>
#include <stdint.h>

#include "planner/schedulers/search/ranking.h"

/* Replace wanted[0..count) (>= 0, finite) by loads that sum to `total`, each 0 or within the
 * ranking's window, as near to the wanted ones as largest remainders make them. With fractional
 * loads only the window and the sum are enforced. False where no such loads exist or where memory
 * ended, which sets *out_of_memory (it is left alone otherwise); *wanted is untouched then. */
bool discretise(const struct ranking *ranking, double *wanted, int64_t count, double total,
                bool *out_of_memory);

#endif

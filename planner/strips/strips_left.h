/* New widths of strips when workers of the plan have been lost. */
#ifndef PLANNER_STRIPS_STRIPS_LEFT_H
#define PLANNER_STRIPS_STRIPS_LEFT_H

#include <stdbool.h>
#include <stdint.h>

#include "planner/strips/strips_plan.h"

/* All arrays have an element for each worker, in the plan's order. `there`: the worker is not lost.
 * `s_per_column`: seconds that it takes for a column, measured; 0 or less: as in the plan or, if
 * that does not say, as long as the others take. Fills in whole `widths`, 0 for workers that are
 * lost or whose strip would cost more in borders than it saves; strips stay in their order. Returns
 * how many workers have a strip, 0 if none is left; -1: out of memory. */
int64_t strips_left_plan(const struct strips_plan *plan, const double *s_per_column,
                         const bool *there, int64_t *widths);

#endif

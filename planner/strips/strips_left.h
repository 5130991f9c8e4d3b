/* Widths of strips for those of a plan's workers that are left. */
#ifndef PLANNER_STRIPS_STRIPS_LEFT_H
#define PLANNER_STRIPS_STRIPS_LEFT_H

#include <stdbool.h>
#include <stdint.h>

#include "planner/strips/strips_plan.h"

/* All in the plan's order. `there`: the worker is left. `s_per_column`: what a column takes it, as
 * measured; 0 or less: by the plan, or, if that does not say, as much as any other. Fills in the
 * whole `widths`, 0 of those that are not left or that would only cost borders; strips stay in
 * their order. Returns how many have one, 0 if nobody is left; -1: out of memory. */
int64_t strips_left_plan(const struct strips_plan *plan, const double *s_per_column,
                         const bool *there, int64_t *widths);

#endif

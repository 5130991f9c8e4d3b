/* Plans on a choice of workers, numbered among those that have a package. */
#ifndef PLANNER_STUDIES_SELECTED_PLAN_H
#define PLANNER_STUDIES_SELECTED_PLAN_H

#include <stdbool.h>
#include <stdint.h>

#include "planner/model/plan.h"
#include "planner/studies/kinds.h"

/* The plan is one on `counts` workers of each kind. Workers without a package leave it, and the
 * others are numbered as if there were only they: the first ones of each kind. used[kind] becomes
 * how many these are. False: out of memory, the plan is as before. */
bool selected_plan_settle(struct plan *plan, const struct kinds *kinds, const int64_t *counts,
                          int64_t *used);
/* What the plan says of the workers that it starts: those of its selection, and beyond the profile.
 * Its workers are numbered among `used`. False: out of memory. */
bool selected_plan_note(struct plan *plan, const struct kinds *kinds, const int64_t *used);

#endif

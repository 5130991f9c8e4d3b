/*
 * Jobs that start some of a profile's workers, not the first ones: only a class or two, or so many
 * of each. A plan says which (plan_selection), so that plan and profile together give the same
 * platform again; workers beyond the profile come after the selected ones (beyond.h).
 */
#ifndef PLANNER_MODEL_SELECTION_H
#define PLANNER_MODEL_SELECTION_H

#include <stdbool.h>
#include <stdint.h>

#include "planner/base/text.h"
#include "planner/model/plan.h"
#include "planner/model/profile.h"

/* Add workers after all others. False: out of memory. */
bool selection_add(struct plan_selection *selection, int64_t first, int64_t last);
bool selection_copy(struct plan_selection *to, const struct plan_selection *from);
void selection_release(struct plan_selection *selection);
/* A setting with only these workers, at least one; all else, names included, stays the original's.
 * To be released by selection_setting_release. False: out of memory. */
bool selection_setting(const struct profile_setting *from, const struct plan_selection *selection,
                       struct profile_setting *made);
void selection_setting_release(struct profile_setting *made);
/* Remove all other workers from a profile without workers beyond. A selection without runs changes
 * nothing. FAILURE_MISMATCH: the profile has fewer workers; it is as before. */
bool selection_follow(struct profile *profile, const struct plan_selection *selection,
                      struct failure *failure);
/* "selected    ranks 3 to 4, 7 of the profile", a line of a table; nothing without runs. */
void selection_describe(const struct plan_selection *selection, struct text *text);

#endif

/*
 * Package sizes that a calibration had no time to measure. The profile has a window for them all
 * the same: the costs of the largest sizes that were timed, with a larger uncertainty. A plan may
 * use them, and then says so.
 */
#ifndef PLANNER_MODEL_EXTRAPOLATION_H
#define PLANNER_MODEL_EXTRAPOLATION_H

#include "planner/base/text.h"
#include "planner/model/profile.h"

/* Add a window for packages beyond the last window, up to `most` core tasks, if there are any;
 * timing them would take a budget of `budget_s`. It has the last window's costs; their uncertainty
 * grows with every doubling of the size. If only single core tasks were timed, latency and rate
 * cannot be told apart, and each gets half of the time. */
bool extrapolation_add(struct profile_setting *setting, int64_t most, double budget_s,
                       struct failure *failure);
/* Add a line that names these sizes and the budget that would time them; nothing if there are none.
 */
void extrapolation_describe(const struct extrapolation *extrapolation, struct text *text);

#endif

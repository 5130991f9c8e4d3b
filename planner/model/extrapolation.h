/*
 * Package sizes that were not timed, for a calibration that had no time for them. A profile has
 * windows for them all the same, with the costs of the largest that were timed and what is not
 * known of theirs: a plan may have them, and says so.
 */
#ifndef PLANNER_MODEL_EXTRAPOLATION_H
#define PLANNER_MODEL_EXTRAPOLATION_H

#include "planner/base/text.h"
#include "planner/model/profile.h"

/* One window more: for packages beyond the last one's, up to `most` core tasks; `budget_s` is what
 * it would take to time them. Nothing where there are none. Costs go on as they are, and are less
 * sure by a share of the rate for every doubling; where single core tasks are all that was timed,
 * what one computes may be latency as well as rate, and is taken for half of both. */
bool extrapolation_add(struct profile_setting *setting, int64_t most, double budget_s,
                       struct failure *failure);
/* In a line, if there are such sizes: which, and with what budget they would be timed. */
void extrapolation_describe(const struct extrapolation *extrapolation, struct text *text);

#endif

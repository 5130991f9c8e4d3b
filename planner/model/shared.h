/*
 * Plans for machines that are not one's own: which share of its processor each of the profile's
 * workers will have, and of the bandwidth to it, of what there was when it was measured. Computing,
 * and what goes over the link either way, takes the inverse of that, and is so much less certain; a
 * plan keeps the shares, so that plan and profile together give the same platform again.
 */
#ifndef PLANNER_MODEL_SHARED_H
#define PLANNER_MODEL_SHARED_H

#include <stdbool.h>

#include "planner/base/text.h"
#include "planner/model/plan.h"
#include "planner/model/profile.h"

/* Have the profile's workers these shares, unless it was told already: their computing takes
 * 1 / share as long, and its relative deviation joins what a worker's speed drifts by or, where all
 * have one and the same share, what all drift by together; and so do links and results by
 * 1 / bandwidth. */
void shared_follow(struct profile *profile, const struct plan_shared *shared, size_t count);
/* Take that back of a profile that has followed the plan (beyond_follow), so that it says again
 * what was measured, but for rounding. */
void shared_undo(struct profile *profile, const struct plan *plan);
/* Give them back to a profile of which they were taken so. */
void shared_again(struct profile *profile, const struct plan *plan);
/* What the plan says of its worker 0, 1, ...; shares of 1 where it says nothing. */
struct plan_shared shared_of(const struct plan *plan, int64_t worker);
/* Give `to`, which has none, the other plan's shares. False: out of memory. */
bool shared_copy(struct plan *to, const struct plan *from);
/* "shared      0.52 of the processor at calibration, give or take 0.08, ranks 1 to 4", a line each,
 * and "network" likewise. */
void shared_describe(const struct plan_shared *shared, size_t count, struct text *text);

#endif

/*
 * One worker's own way through a plan: a watched plan goes on with others where one is late.
 */
#ifndef PLANNER_DISPATCH_WATCH_SLOT_H
#define PLANNER_DISPATCH_WATCH_SLOT_H

#include <stddef.h>
#include <stdint.h>

#include "planner/model/plan.h"

/* Where a worker of the plan is. */
struct watch_slot {
    size_t entry;    /* of the plan's rounds */
    int64_t repeats; /* of that entry, after this one */
    int64_t round;
    double left; /* core tasks of the package at hand, not handed out; 0: nothing more to come */
};

/* At this entry and round of the plan, or at the first after it in which the plan's worker number
 * `at` has a package. */
void watch_slot_enter(const struct plan *plan, int64_t at, size_t entry, int64_t round,
                      struct watch_slot *slot);
/* To its next package. */
void watch_slot_advance(const struct plan *plan, int64_t at, struct watch_slot *slot);

#endif

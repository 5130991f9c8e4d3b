/*
 * One worker's position in a plan: in a watched plan the others go on when one is late.
 */
#ifndef PLANNER_DISPATCH_WATCH_SLOT_H
#define PLANNER_DISPATCH_WATCH_SLOT_H

#include <stddef.h>
#include <stdint.h>

#include "planner/model/plan.h"

/* The position of a worker of the plan. */
struct watch_slot {
    size_t entry;    /* of the plan's rounds */
    int64_t repeats; /* of that entry, after this one */
    int64_t round;
    double left; /* core tasks of its present package that are not handed out; 0: there are no more
                  * packages */
};

/* Set the slot to this entry and round of the plan or, if the plan's worker number `at` has no
 * package there, to the first later one in which it has. */
void watch_slot_enter(const struct plan *plan, int64_t at, size_t entry, int64_t round,
                      struct watch_slot *slot);
/* Move the slot to the worker's next package. */
void watch_slot_advance(const struct plan *plan, int64_t at, struct watch_slot *slot);

#endif

/* Tasks that differ, dealt by what they are worth. */
#ifndef PLANNER_DISPATCH_WEIGHTED_H
#define PLANNER_DISPATCH_WEIGHTED_H

#include "planner/dispatch/dispatch.h"

/* Tasks [first, first + count) are worth `weight` each. */
struct weighted_range {
    int64_t count;
    double weight; /* > 0 */
};

/* `inner` (owned; freed also when this fails) deals as many units as there are tasks in these
 * ranges (copied), which follow each other from task 0; a unit is the mean task's worth. What it
 * sends is as many tasks as its units are worth, in ascending order; it hears at once that a
 * package is done that is worth less than the next task. NULL: out of memory. */
struct dispatch *dispatch_new_weighted(struct dispatch *inner, const struct weighted_range *ranges,
                                       int64_t count);

#endif

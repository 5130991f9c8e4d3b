/* Core tasks of different cost, handed out by weight. */
#ifndef PLANNER_DISPATCH_WEIGHTED_H
#define PLANNER_DISPATCH_WEIGHTED_H

#include "planner/dispatch/dispatch.h"

/* `count` consecutive tasks that cost `weight` each. */
struct weighted_range {
    int64_t count;
    double weight; /* > 0 */
};

/* `inner` (owned; freed also when this fails) hands out as many units as these ranges have tasks; a
 * unit costs what the mean task does. The ranges (copied) follow each other from task 0. Its
 * packages of units become packages of as many tasks as these units are worth, in ascending order;
 * one that is worth less than the next task is reported done at once. NULL: out of memory. */
struct dispatch *dispatch_new_weighted(struct dispatch *inner, const struct weighted_range *ranges,
                                       int64_t count);

#endif

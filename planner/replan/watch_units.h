/*
 * A plan whose core tasks have weights, as a plan of units of work that are all alike: what watches
 * it, and plans anew, then counts work in place of core tasks. The unit is a small part of what the
 * mean core task is worth, so that each package keeps its core tasks.
 */
#ifndef PLANNER_REPLAN_WATCH_UNITS_H
#define PLANNER_REPLAN_WATCH_UNITS_H

#include <stdbool.h>
#include <stdint.h>

#include "planner/model/plan.h"
#include "planner/model/platform.h"

struct watch_units {
    struct work work;         /* owned: of the plan's core tasks; none: they are not counted so */
    int64_t units;            /* that all of it is */
    double each;              /* units that the plan's mean core task is worth */
    struct plan plan;         /* owned: in units */
    struct platform platform; /* owned: the same */
    double part_least;        /* units: of smaller ones a core task more or less is too much */
    double deviation;         /* of a package planned anew, by what is rounded to core tasks */
    int64_t largest;          /* core tasks in any package of as many units as the plan's largest */
};

/* Of a plan that is all of what the platform's work is of, or its beginning. Left empty where the
 * platform knows no weights, or where counting by them is no use: of very many packages, of core
 * tasks that all weigh nothing, or where so many weigh so little that packages of them would be far
 * larger than the plan's.
 * False: out of memory; to be released even then. */
bool watch_units_make(struct watch_units *units, const struct platform *platform,
                      const struct plan *plan);
/* Is it not empty? */
static inline bool watch_units_used(const struct watch_units *units)
{
    return units->units > 0;
}
void watch_units_release(struct watch_units *units);

#endif

/*
 * What planning may cost, counted in work and not in seconds, so that the same request gives the
 * same plan on every machine: one unit is about what evaluating one package takes.
 */
#ifndef PLANNER_BASE_EFFORT_H
#define PLANNER_BASE_EFFORT_H

#include <stdbool.h>
#include <stddef.h>

struct effort {
    double left; /* units; below 0 where the last step took more than there was */
};

/* Units that one core of a server of today gets through in a second, and some more. */
#define EFFORT_SECOND 2.5e7

/* NULL: no limit. */
static inline bool effort_spent(const struct effort *effort)
{
    return effort != NULL && effort->left <= 0;
}

static inline void effort_use(struct effort *effort, double units)
{
    if (effort != NULL)
        effort->left -= units;
}

#endif

/*
 * What planning may cost, counted in work and not in seconds, so that the same request gives the
 * same plan on every machine: one unit is about what evaluating one package takes.
 */
#ifndef PLANNER_BASE_EFFORT_H
#define PLANNER_BASE_EFFORT_H

#include <stdbool.h>
#include <stddef.h>

struct effort {
    double left; /* units; negative after a step that took more than was left */
};

/* Units: slightly more than one core of a present server computes in a second. */
#define EFFORT_SECOND 2.5e7

/* Is nothing left? NULL: no limit. */
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

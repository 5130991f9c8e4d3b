/*
 * What makes a package of a simulated run take other than the platform says: its core tasks, its
 * worker, what the whole run has in common. Source of every ensemble (ensemble.h).
 */
#ifndef PLANNER_SIMULATE_VARIATION_H
#define PLANNER_SIMULATE_VARIATION_H

#include <stdint.h>

#include "planner/dispatch/dispatch.h"
#include "planner/model/platform.h"

struct star_cost;

/* Functions may be NULL: then nothing varies in that way. */
struct variation {
    /* Draws what the packages of run number `run` = 0, 1, ... have in common. */
    void (*begin)(void *self, int64_t run);
    /* What a package takes; *cost is what the platform says. Called once a package, in the order of
     * sending. */
    void (*price)(void *self, const struct package *package, struct star_cost *cost);
    /* The mean over packages like it, for what is summed up (fast_forward.h); NULL: what the
     * platform says. */
    void (*mean)(void *self, const struct package *package, struct star_cost *cost);
    /* How heavy these core tasks are in this run, relative, beside the platform's map; NULL: 1. */
    double (*weight)(void *self, double first, double tasks);
    void *self;                   /* borrowed */
    const struct platform *drawn; /* borrowed; what is not priced is as there: workers' starts, and
                                   * what masters of groups are told (tree.h); NULL: as said */
};

#endif

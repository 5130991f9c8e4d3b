/*
 * A search in levels by masters that multiply, as an event simulation: a worker that has done its
 * part of a level becomes the master of what that part leads to, asks the first master for workers,
 * and assigns its part of the next level to them. Nobody waits for a level to be done, and results
 * go to no single master. (L. F. de la Torre, Scheduling Divisible Tasks under Production or
 * Utilization Constraints, 2009, 6.5.3, simulated there, too.)
 *
 * What the source leaves open. A master wants floor(lambda) + 1 workers, lambda being how many it
 * can keep busy (feeding.h); the first master grants no more than the free workers' even share
 * among those that ask at the same time, which limits how thin work is spread. Who gets none, or
 * has fewer than two core tasks, does its part alone. A master is free again when it has sent all,
 * a worker of the last level when it is done. Each core task leads to as many of the next level as
 * any (the profile's samples), and workers cost what the first ones of the profile do.
 */
#ifndef PLANNER_STUDIES_LEVEL_MASTERS_H
#define PLANNER_STUDIES_LEVEL_MASTERS_H

#include "planner/base/failure.h"
#include "planner/model/plan.h"
#include "planner/model/profile.h"

/* All borrowed. */
struct level_masters_setup {
    const struct profile *profiles;    /* by level, with what its core tasks cost (profile_level) */
    const struct level_sample *levels; /* as many */
    size_t level_count;                /* 1 to LEVELS_MOST */
    const struct plan *plan; /* of the first level: parameters, threads, scheduler, tasks */
    int64_t workers;
};

struct level_masters_row {
    int64_t tasks;       /* of the level */
    int64_t masters;     /* that assign them to workers */
    int64_t least, most; /* workers of one; 0 without masters */
    int64_t alone;       /* parts that their workers do alone */
    double longest_s;    /* of one part */
};

struct level_masters {
    struct level_masters_row rows[LEVELS_MOST];
    double makespan_s;
};

/* False with *failure set: out of memory, or more parts than can be simulated. */
bool level_masters_simulate(const struct level_masters_setup *setup,
                            struct level_masters *simulated, struct failure *failure);

#endif

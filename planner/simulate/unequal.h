/*
 * Samples of the times of packages whose core tasks differ, by the deviations that a calibration
 * measured. Each sample has three log-normal factors of mean 1: one of each package, one of each
 * region of the job, common to its packages, and one of each worker's speed. The length of regions
 * is known only up to the largest package that was timed; samples use lengths from that size, or
 * from a hundredth of the job if that is less, up to the whole job. If the job's total was
 * estimated from few core tasks, an expensive part that was not sampled may lie anywhere.
 */
#ifndef PLANNER_SIMULATE_UNEQUAL_H
#define PLANNER_SIMULATE_UNEQUAL_H

#include <stdint.h>

#include "planner/model/profile.h"
#include "planner/simulate/scenario.h"

struct unequal {
    const struct profile_setting *setting; /* borrowed */
    double speed;  /* relative deviation of a worker's speed from what is known of it */
    double region; /* that neighbouring packages have in common, relative */
    uint64_t seed;
    double tasks;                      /* of the job */
    int64_t draws;                     /* as unequal_draw was told */
    double region_tasks;               /* core tasks in a region */
    double unseen_first, unseen_tasks; /* core tasks that nobody has seen, */
    double unseen_more; /* each of which takes this many times the mean time more; 0: none */
};

/* Sample number `draw` of `draws` for a job of `tasks` core tasks. In one sample core tasks cost
 * the same for every worker and every division into packages. */
struct unequal unequal_draw(const struct profile_setting *setting, double speed, double tasks,
                            int64_t draw, int64_t draws);
/* Prices of packages, their means without what a package has for itself, and what core tasks have
 * in common whoever gets them; run k of an ensemble is draw k. Borrows `unequal`, any of the draws,
 * which must outlive it. */
struct variation unequal_variation(struct unequal *unequal);

#endif

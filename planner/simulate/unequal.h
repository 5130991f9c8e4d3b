/*
 * Core tasks that differ: what packages might take, drawn from what calibration saw of them. Three
 * things are drawn, each log-normal of mean 1: what a package has for itself, what neighbouring
 * packages have in common, region by region of the job, and how far every worker's speed is off.
 * Nobody knows how long a region is beyond the largest package that was timed, so that draws go
 * from there, or from a hundredth of the job if that is less, to the whole job. And where few core
 * tasks say what the job takes, something heavy may lie between them, anywhere.
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
    double unseen_more; /* and that each take so many mean ones' time more; 0: none */
};

/* Draw number `draw` of `draws` for a job of so many tasks: equal draws, equal core tasks, whoever
 * gets them and in whatever packages. */
struct unequal unequal_draw(const struct profile_setting *setting, double speed, double tasks,
                            int64_t draw, int64_t draws);
/* Prices of packages, their means without what a package has for itself, and what core tasks have
 * in common whoever gets them; run k of an ensemble is draw k. Borrows `unequal`, any of the draws,
 * which must outlive it. */
struct variation unequal_variation(struct unequal *unequal);

#endif

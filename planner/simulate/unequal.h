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
    double region_tasks;               /* core tasks in a region */
    double unseen_first, unseen_tasks; /* core tasks that nobody has seen, */
    double unseen_more; /* and that each take so many mean ones' time more; 0: none */
};

/* Draw number `draw` of `draws` for a job of so many tasks: equal draws, equal core tasks, whoever
 * gets them and in whatever packages. */
struct unequal unequal_draw(const struct profile_setting *setting, double speed, double tasks,
                            int64_t draw, int64_t draws);
/* A scenario's price; `unequal` is a struct unequal. */
void unequal_price(void *unequal, const struct package *package, struct star_cost *cost);
/* The same without what the package has for itself; and what these core tasks have in common,
 * whoever gets them: a scenario's mean and weight. */
void unequal_mean(void *unequal, const struct package *package, struct star_cost *cost);
double unequal_weight(void *unequal, double first, double tasks);

#endif

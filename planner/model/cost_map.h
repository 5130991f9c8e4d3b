/*
 * Where in a job core tasks are expensive, and how certain the job's total is, as measured by a
 * calibration (strata.h). Costs are relative to the mean core task, whose rate is in the profile's
 * windows. A job with another number of core tasks uses the map by relative position: its last
 * tenth costs what the last tenth of the timed job did.
 */
#ifndef PLANNER_MODEL_COST_MAP_H
#define PLANNER_MODEL_COST_MAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Consecutive core tasks that cost about the same. */
struct cost_region {
    int64_t tasks;
    double cost;  /* of one, relative to the mean; > 0 */
    double until; /* of all up to its end, in mean core tasks; set by cost_map_settle */
    int64_t end;  /* the core task behind it; likewise */
};

struct cost_map {
    int64_t tasks;   /* core tasks of the job that was timed; 0: there is no map */
    int64_t sampled; /* those of them that were timed to find the total */
    double error;    /* standard error of the total beyond that of the rates, relative */
    double unseen;   /* relative: what heavy core tasks that nobody has seen could add */
    struct cost_region *regions; /* owned; NULL: costs do not depend on the position in the job */
    size_t region_count;
};

/* Scale the regions' costs to mean 1 and set their derived members. False: the regions' core tasks
 * do not add up to the map's. */
bool cost_map_settle(struct cost_map *map);
/* To be released. False: out of memory. */
bool cost_map_copy(struct cost_map *map, const struct cost_map *from);
void cost_map_release(struct cost_map *map);
/* Mean cost of core tasks [first, first + count) of a job of `tasks`, relative to the mean of all;
 * 1 without regions. Fractions of core tasks are allowed. */
double cost_map_mean(const struct cost_map *map, double tasks, double first, double count);
/* Relative standard deviation of core tasks between regions. */
double cost_map_deviation(const struct cost_map *map);
/* The share of the work that is in the most expensive `share` of the core tasks; `share` itself if
 * all are equal. */
double cost_map_heaviest(const struct cost_map *map, double share);
/* The total at a given normal deviate, relative to the measured total: at 1.645 the upper end of a
 * 90 % interval. The part that was not sampled can only add. */
double cost_map_total(const struct cost_map *map, double deviate);

#endif

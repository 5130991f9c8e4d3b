/*
 * Where in a job core tasks are heavy, and how sure its total is: what a calibration found of the
 * job whose core tasks it timed (strata.h). Costs are relative to the mean core task, whose rate
 * the profile's windows have. For a job of another number of core tasks the map holds by relative
 * position: what was the last tenth is the last tenth.
 */
#ifndef PLANNER_MODEL_COST_MAP_H
#define PLANNER_MODEL_COST_MAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Core tasks that follow each other and cost about the same. */
struct cost_region {
    int64_t tasks;
    double cost;  /* of one, relative to the mean; > 0 */
    double until; /* of all up to its end, in mean core tasks; set by cost_map_settle */
    int64_t end;  /* the core task behind it; likewise */
};

struct cost_map {
    int64_t tasks;   /* of the job that was timed; 0: there is no map */
    int64_t sampled; /* of them, timed to find the total */
    double error;    /* standard error of the total beyond that of the rates, relative */
    double unseen;   /* relative: what heavy core tasks that nobody has seen could add */
    struct cost_region *regions; /* owned; NULL: the order of core tasks tells nothing */
    size_t region_count;
};

/* All that follows from the regions' core tasks and costs, which are scaled to mean 1. False: the
 * regions have more or less core tasks than the map. */
bool cost_map_settle(struct cost_map *map);
/* To be released. False: out of memory. */
bool cost_map_copy(struct cost_map *map, const struct cost_map *from);
void cost_map_release(struct cost_map *map);
/* What core tasks first .. first + count of a job of `tasks` cost in the mean, relative to the mean
 * of all; 1 without regions. Fractions of core tasks are fine. */
double cost_map_mean(const struct cost_map *map, double tasks, double first, double count);
/* Relative standard deviation of core tasks between regions. */
double cost_map_deviation(const struct cost_map *map);
/* Of the work, what the heaviest `share` of the core tasks has: `share` itself where all are alike.
 */
double cost_map_heaviest(const struct cost_map *map, double share);
/* What the total may be, relative to what was measured, from a normal deviate: at 1.645 it is the
 * upper end of a 90 % interval. What was not seen can only add. */
double cost_map_total(const struct cost_map *map, double deviate);

#endif

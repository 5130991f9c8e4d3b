/*
 * Where in a job core tasks are expensive, and how certain the job's total is, as measured by a
 * calibration (strata.h). Costs are relative to the mean core task, whose rate is in the profile's
 * windows. A job with another number of core tasks uses the map by relative position: its last
 * tenth costs what the last tenth of the timed job did.
 */
#ifndef PLANNER_MODEL_COST_MAP_H
#define PLANNER_MODEL_COST_MAP_H

#include "planner/model/work.h"

struct cost_map {
    struct work work; /* of the job that was timed; no tasks: there is no map; no regions: costs do
                       * not depend on the position in the job */
    int64_t sampled;  /* core tasks of it that were timed to find the total */
    double error;     /* standard error of the total beyond that of the rates, relative */
    double unseen;    /* relative: what heavy core tasks that nobody has seen could add */
};

/* The total at a given normal deviate, relative to the measured total: at 1.645 the upper end of a
 * 90 % interval. The part that was not sampled can only add. */
double cost_map_total(const struct cost_map *map, double deviate);

#endif

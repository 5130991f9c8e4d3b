/*
 * The cost of one operation, piecewise affine: from timings to latencies and rates for a profile,
 * with their uncertainties.
 */
#ifndef CALIBRATE_FIT_COSTS_H
#define CALIBRATE_FIT_COSTS_H

#include "calibrate/fit/points.h"
#include "calibrate/fit/segments.h"
#include "planner/base/failure.h"
#include "planner/model/cost.h"

struct piece {
    double least, greatest; /* package sizes that it comes from */
    struct measured_cost cost;
    double gain; /* of the break before it: segments.h */
};

struct costs {
    struct points points;
    struct piece pieces[SEGMENTS_MOST]; /* ascending; with no timings one that costs nothing */
    int count;
};

/* A latency or rate that cannot be told from 0 is 0, with its standard error; a cost below what the
 * clock can tell is none. Fails only when out of memory, never because of noise. */
bool costs_fit(const struct samples *samples, const struct sample_choice *choice,
               struct costs *costs, struct failure *failure);
/* The same from points at hand. */
bool costs_from_points(const struct points *points, struct costs *costs, struct failure *failure);
/* The piece for packages of about so many tasks; borrowed. */
const struct piece *costs_find(const struct costs *costs, double tasks);

#endif

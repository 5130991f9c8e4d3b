/*
 * The cost of one operation, piecewise affine: from timings to latencies and rates for a profile,
 * with their uncertainties.
 */
#ifndef CALIBRATE_FIT_COSTS_H
#define CALIBRATE_FIT_COSTS_H

#include <stdbool.h>

#include "calibrate/fit/points.h"
#include "planner/base/failure.h"
#include "planner/model/cost.h"

/* ---- line ---------------------------------------------------------------------------------- */

/*
 * The affine cost that fits points best, by weighted least squares, with the covariance of its two
 * coefficients (LAPACK's QR; Björck, Numerical Methods for Least Squares Problems, 1996, 2.8).
 */

struct line {
    double latency_s, s_per_task;
    double latency_variance, rate_variance, covariance; /* s^2 */
    double chi2; /* weighted sum of squared residuals; weights by the points' errors */
};

/* `count` >= 1 points. One point: a line through the origin. False: out of memory. */
bool line_fit(const struct point *points, int count, struct line *line);
/* The same with one coefficient only: costs in proportion to tasks, or constant. */
struct line line_proportional(const struct point *points, int count);
struct line line_constant(const struct point *points, int count);

static inline double line_at(const struct line *line, double tasks)
{
    return line->latency_s + line->s_per_task * tasks;
}

/* ---- segments ------------------------------------------------------------------------------ */

/*
 * Where one affine cost does not do: the optimal piecewise-affine segmentation of points, by
 * dynamic programming over the places where it may break (Bellman & Roth, Curve Fitting by
 * Segmented Straight Lines, JASA 64, 1969), the number of pieces by the Bayesian information
 * criterion (Schwarz, Annals of Statistics 6, 1978; three parameters a break).
 */

enum { SEGMENTS_MOST = 8 };

struct segment {
    int first, count; /* of the points */
    struct line line;
    double gain; /* by how much chi square would rise without the break before it; the first: 0 */
};

/* ---- costs --------------------------------------------------------------------------------- */

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

/*
 * The affine cost that fits points best, by weighted least squares, with the covariance of its two
 * coefficients (LAPACK's QR; Björck, Numerical Methods for Least Squares Problems, 1996, 2.8).
 */
#ifndef CALIBRATE_FIT_LINE_H
#define CALIBRATE_FIT_LINE_H

#include <stdbool.h>

#include "calibrate/fit/points.h"

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

#endif

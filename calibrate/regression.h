/*
 * Affine costs from measured points.
 */
#ifndef CALIBRATE_REGRESSION_H
#define CALIBRATE_REGRESSION_H

#include "planner/model/cost.h"

enum regression_result {
    REGRESSION_GOOD,
    REGRESSION_CONSTANT, /* does not grow with the package: rate 0, latency the weighted mean */
    REGRESSION_EMPTY,    /* no points, or a point that is not positive and finite */
    REGRESSION_MEMORY
};

/* Fit y[i] = latency + rate * x[i] (seconds, core tasks; n points, x ascending) by least squares
 * with weights 1 / y^2, that is, of relative errors (LAPACK dgels). A negative latency is not
 * physical: then the line goes through the origin. *cost is untouched when there is no fit. */
enum regression_result regression_fit(const double *x, const double *y, int n,
                                      struct measured_cost *cost);

#endif

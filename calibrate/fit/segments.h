/*
 * Where one affine cost does not do: the optimal piecewise-affine segmentation of points, by
 * dynamic programming over the places where it may break (Bellman & Roth, Curve Fitting by
 * Segmented Straight Lines, JASA 64, 1969), the number of pieces by the Bayesian information
 * criterion (Schwarz, Annals of Statistics 6, 1978; three parameters a break).
 */
#ifndef CALIBRATE_FIT_SEGMENTS_H
#define CALIBRATE_FIT_SEGMENTS_H

#include <stdbool.h>

#include "calibrate/fit/line.h"

enum { SEGMENTS_MOST = 8 };

struct segment {
    int first, count; /* of the points */
    struct line line;
    double gain; /* by how much chi square would rise without the break before it; the first: 0 */
};

/* At least three points and a factor of two in size to a piece, where there is more than one.
 * False: out of memory. */
bool segments_find(const struct points *points, struct segment segments[SEGMENTS_MOST], int *count);

#endif

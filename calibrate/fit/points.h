/*
 * Timings of one operation, package size by package size: means with their standard errors, and the
 * parts of the variation by noise, by place and by pass.
 *
 * A package is timed at many places of the job, at each in several passes. The mean over places is
 * what a job adds up; how places differ among themselves beyond the noise is its spread
 * (spreads.h); how whole passes differ is the machine's drift.
 */
#ifndef CALIBRATE_FIT_POINTS_H
#define CALIBRATE_FIT_POINTS_H

#include <stdbool.h>

#include "calibrate/fit/noise.h"
#include "calibrate/fit/sample.h"

enum { POINTS_MOST = 96, PASSES_MOST = 64 };

/* All packages of one size. */
struct point {
    double tasks;
    double mean_s;
    double error_s; /* standard error of the mean, smoothed over neighbouring sizes */
    double freedom; /* how many degrees the error itself had before that */
    int64_t timings, places;
};

struct points {
    struct point items[POINTS_MOST]; /* ascending in tasks */
    int count;
    struct noise noise;
    double drift; /* relative standard deviation of whole passes, that all ranks have in common */
    double drift_own;        /* the same, separately for each rank */
    double drift_freedom;    /* degrees that both have: pairs of passes */
    double off[PASSES_MOST]; /* relative deviation of each pass; NAN: it has no timings twice */
    double bound; /* no timing counts as more than so many times another one of the same package */
    bool grows;   /* with the tasks, by its nature: a constant would be nonsense */
    int64_t timings, outliers; /* that were cut to the bound */
    double kept;               /* what cutting has left of the sum of all timings; 1: all */
};

/* From chosen samples, which are sorted and get cut to the bound; count may be 0. */
void points_make(struct sample *samples, int64_t count, struct points *points);
/* The same points, less sure by a share of their means. */
struct points points_loosen(const struct points *points, double share);

#endif

/*
 * Raw timings: what every cost comes from, and what --probes writes.
 */
#ifndef CALIBRATE_SAMPLE_H
#define CALIBRATE_SAMPLE_H

#include <stdbool.h>
#include <stdint.h>

#include "planner/model/trace.h"

/* One timed block of repeats. */
struct sample {
    int setting; /* of the calibration, from 0 */
    int rank;    /* the worker concerned; 0: the master */
    enum operation operation;
    int64_t first, tasks; /* the package */
    int64_t repeats;
    double seconds; /* of one repeat, the block's mean */
};

struct samples {
    struct sample *items; /* owned */
    int64_t count;
    size_t capacity;
};

/* False: out of memory, samples unchanged. */
bool samples_add(struct samples *samples, const struct sample *sample);
void samples_release(struct samples *samples);

/* One point per package size for an operation: the median of the blocks at each place of the
 * image, then the mean over the places (packages at the image's edge are smaller; a plan meets
 * them all). rank < 0: all ranks together. Returns the number of points, ascending in x; x and y
 * have room for `most`; -1: out of memory. */
int samples_points(const struct samples *samples, int setting, int rank, enum operation operation,
                   double *x, double *y, int most);
/* How much computing packages of one size differs between places, the relative standard deviation
 * of what is left once every place's own repeats are averaged (over all ranks). Returns the number
 * of sizes with two places or more, at most `most`, ascending; -1: out of memory. */
int samples_spread(const struct samples *samples, int setting, int64_t *tasks, double *deviations,
                   int most);
/* Tab-separated, one line a sample, owned; NULL: out of memory. */
char *samples_print(const struct samples *samples);

#endif

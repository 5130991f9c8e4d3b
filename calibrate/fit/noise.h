/*
 * How far timings of one and the same package are apart: by a part of the time that it takes, as
 * clocks and caches make it, and by seconds, whatever it takes, as other processes and slices of a
 * processor do.
 */
#ifndef CALIBRATE_FIT_NOISE_H
#define CALIBRATE_FIT_NOISE_H

#include "calibrate/fit/sample.h"

struct noise {
    double together;  /* relative standard deviation of all, weighted by time */
    double deviation; /* of which so much is relative; */
    double jitter_s;  /* and so much, the standard deviation, does not go with the time */
};

/* Of sorted timings, of which those of packages that were timed more than once count. All is 0
 * where there are none such. */
struct noise noise_find(const struct sample *samples, int64_t count);

#endif

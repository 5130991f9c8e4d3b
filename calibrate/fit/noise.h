/*
 * The noise of timings of one and the same package: a part in proportion to its time, as caches and
 * clock rates cause it, and a part in seconds that does not depend on it, as other processes cause
 * it.
 */
#ifndef CALIBRATE_FIT_NOISE_H
#define CALIBRATE_FIT_NOISE_H

#include "calibrate/fit/sample.h"

struct noise {
    double together;  /* relative standard deviation of all, weighted by time */
    double deviation; /* of which so much is relative; */
    double jitter_s;  /* and so much, the standard deviation, does not depend on the time */
};

/* Of sorted timings, of which those of packages that were timed more than once count. All is 0
 * where there are none such. */
struct noise noise_find(const struct sample *samples, int64_t count);

#endif

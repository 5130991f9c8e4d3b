/*
 * The spread of packages of one size between places, over all sizes together.
 *
 * A package is timed in several passes, whose noise is not the same: the products of two timings of
 * one package, each less the mean of its size, have the variance between places for a mean,
 * whatever the noise. That variance goes with the size n as task / n + region: what tasks have each
 * for themselves evens out in a package, what all tasks of a region have in common does not (the
 * components of a mixed model; Searle, Casella, McCulloch, Variance Components, Wiley, 1992). Large
 * packages are timed at few places only, which may be alike by chance: their spread is estimated
 * from the small ones.
 */
#ifndef CALIBRATE_FIT_SPREADS_H
#define CALIBRATE_FIT_SPREADS_H

#include <stddef.h>

#include "calibrate/fit/sample.h"
#include "planner/model/profile.h"

/* From samples in samples_choose's order, as they were timed; `drift` is that of passes, relative.
 * Sizes with several places that were timed more than once, each as its own places and all sizes
 * together say; the fewer the places, the more the others. All 0 where packages cannot be told to
 * differ. Fills at most SPREADS_MOST and returns how many. */
size_t spreads_find(const struct sample *samples, int64_t count, double drift,
                    struct spread *spreads);

#endif

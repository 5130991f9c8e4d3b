/*
 * What the time of packages has to do with the weights of their core tasks, by least squares of the
 * mean time of a package's core tasks on their mean weight: t/n = latency/n + a + b u, none of the
 * three below 0 (a calibration knows each of them as a cost). Residuals are relative to what is
 * fitted, as noise is; those far off, where something else ran, count by Huber's weights (Robust
 * Estimation of a Location Parameter, 1964).
 */
#ifndef CALIBRATE_FIT_WEIGHING_FIT_H
#define CALIBRATE_FIT_WEIGHING_FIT_H

#include <stdbool.h>

#include "calibrate/fit/two_way.h"
#include "planner/base/failure.h"
#include "planner/model/cost.h"
#include "planner/model/sample.h"
#include "planner/model/weights.h"

/* Of the setting's timings of computing by ranks 1 to `workers`, whose terms are as in `terms`, if
 * that knows any. With too few packages to tell, times are taken to be in proportion to weights; a
 * constant of 1: weights tell nothing. *compute: what packages of core tasks of mean weight cost
 * the mean worker by the same fit; all 0 where there is none. */
bool weighing_fit(const struct samples *samples, int setting, int workers,
                  const struct two_way *terms, struct weighing *weighing, struct cost *compute,
                  struct failure *failure);

#endif

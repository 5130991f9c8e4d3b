/*
 * The estimate of a job from few core tasks, if there was no time for strata (strata_fit.h).
 *
 * Where packages show that core tasks differ, nothing tells sizes, places and workers apart: the
 * rate is what all of them took by their core tasks (the ratio estimator; Cochran, Sampling
 * Techniques, 6.2), the same for all workers, with the error that their residuals give it. Where
 * all were alike, a share of 3 in as many as were timed may still be unlike them, with 95 % (the
 * rule of three; Hanley, Lippman-Hand, JAMA 249, 1983).
 */
#ifndef CALIBRATE_FIT_FEW_PLACES_H
#define CALIBRATE_FIT_FEW_PLACES_H

#include <stdbool.h>
#include <stdint.h>

#include "calibrate/fit/sample.h"
#include "planner/base/failure.h"
#include "planner/model/profile.h"

/* So many core tasks, timed anywhere in the job, are enough: more would change the estimate little.
 */
enum { FEW_PLACES_ENOUGH = 64 };

/* Apply the estimate to the setting fitted to the samples of `setting`, for a job of `tasks` core
 * tasks. Nothing if enough core tasks, or all, were timed, or if there is a map by strata. False:
 * out of memory. */
bool few_places_apply(const struct samples *samples, int setting, int64_t tasks,
                      struct profile_setting *fitted, struct failure *failure);

#endif

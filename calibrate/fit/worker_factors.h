/*
 * Workers that differ while core tasks differ, too, where no two of them have computed the same
 * ones: packages of one size are drawn from all over the job, so that their mean logarithms tell
 * workers apart, as far as chance allows (two_way.h, with sizes as places).
 */
#ifndef CALIBRATE_FIT_WORKER_FACTORS_H
#define CALIBRATE_FIT_WORKER_FACTORS_H

#include <stdbool.h>

#include "planner/model/sample.h"

/* By how much longer than the others each worker takes to compute, of warm timings by ranks 1 to
 * `workers`: factors[i] is worker i's, caller's storage. Workers whose difference may be by chance,
 * or is less than a tenth, have equal factors; all 1: no worker differs. False: out of memory. */
bool worker_factors(const struct samples *samples, int setting, int workers, double *factors);

#endif

/*
 * Workers that differ while core tasks differ, too, where no two of them have computed the same
 * ones: packages of one size are drawn from all over a region of the job, so that their mean
 * logarithms tell workers apart, as far as chance allows (two_way.h: the logarithm of a timing is a
 * worker's term plus a term of region and size plus an error).
 */
#ifndef CALIBRATE_FIT_WORKER_FACTORS_H
#define CALIBRATE_FIT_WORKER_FACTORS_H

#include <stdbool.h>
#include <stddef.h>

#include "planner/model/sample.h"
#include "planner/model/strata.h"

/* By how much longer than the mean worker each takes to compute. */
struct worker_factors {
    double *factors; /* owned; by worker, of mean 1; equal where the difference may be by chance, or
                      * is less than a tenth */
    double *errors;  /* owned; standard error of each, relative; all 0: no worker differs */
    int workers;
};

/* The job that was timed; borrowed. */
struct worker_timings {
    const struct samples *samples; /* those of `setting` that are warm count, by ranks 1 to workers;
                                    * not packages across the border of two regions */
    int setting, workers;
    const struct region *regions; /* NULL: core tasks do not depend on their position in the job */
    size_t region_count;
};

/* To be released, also on failure. False: out of memory. */
bool worker_factors_find(const struct worker_timings *timings, struct worker_factors *found);
void worker_factors_release(struct worker_factors *factors);

#endif

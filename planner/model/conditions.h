/*
 * Compares the conditions of a run with those of the calibration that its profile comes from.
 * Measured times hold for one machine, one number of workers on a node, one number of threads and
 * one method of computing.
 */
#ifndef PLANNER_MODEL_CONDITIONS_H
#define PLANNER_MODEL_CONDITIONS_H

#include "planner/base/text.h"
#include "planner/model/profile.h"

/* The conditions of a run; all borrowed. NULL and 0: not known, and not compared. */
struct conditions {
    const char *processor; /* model of the master's */
    const char *isa;       /* "avx512", or "avx2 (ranks 1-3, 5), avx512 (rank 4)" */
    const char *method;    /* how core tasks are computed */
    int threads, workers_per_node;
};

/* Do two instruction sets as above name the same ones, whichever ranks use them? */
bool conditions_isa_alike(const char *one, const char *other);
/* Add a line, beginning with `head`, for every difference that changes times. `setting` is that of
 * the run; NULL: the profile has none for it. */
void conditions_compare(const struct conditions *here, const struct profile *profile,
                        const struct profile_setting *setting, const char *head, struct text *text);

#endif

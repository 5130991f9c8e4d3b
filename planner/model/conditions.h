/*
 * What a run has in common with the calibration that its profile comes from, and what not: times
 * hold for one machine, so many workers on a node, so many threads, and one way of computing.
 */
#ifndef PLANNER_MODEL_CONDITIONS_H
#define PLANNER_MODEL_CONDITIONS_H

#include "planner/base/text.h"
#include "planner/model/profile.h"

/* A run's; all borrowed. NULL and 0: not known, and not compared. */
struct conditions {
    const char *processor; /* model of the master's */
    const char *isa;       /* "avx512", or "avx2 (ranks 1-3, 5), avx512 (rank 4)" */
    const char *method;    /* how core tasks are computed */
    int threads, workers_per_node;
};

/* Do two instruction sets as above name the same ones, whichever ranks use them? */
bool conditions_isa_alike(const char *one, const char *other);
/* A line, behind `head`, for everything that makes the profile's times other than the run's.
 * `setting` is the run's, NULL where the profile has none. */
void conditions_compare(const struct conditions *here, const struct profile *profile,
                        const struct profile_setting *setting, const char *head, struct text *text);

#endif

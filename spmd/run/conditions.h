/*
 * What a run has in common with the calibration that its profile comes from, and what not: times
 * hold for one machine, so many workers on a node, so many threads, and one way of computing.
 */
#ifndef SPMD_RUN_CONDITIONS_H
#define SPMD_RUN_CONDITIONS_H

#include "planner/model/plan.h"
#include "spmd/job/job.h"

/* A run's; all borrowed. */
struct conditions {
    const struct plan *plan;
    const struct job *job;
    const char *profile_text; /* NULL: none, nothing to compare with */
    const char *isa;
    int threads, workers_per_node;
};

/* Local. The model of this machine's processor, owned; NULL where the system does not say. */
char *conditions_processor(void);
/* Local to the master. A line on standard error for everything that makes the profile's times
 * other than this run's. */
void conditions_compare(const struct conditions *conditions);

#endif

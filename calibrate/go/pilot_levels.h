/*
 * What makes the first packages of a run differ: workers, and core tasks, which are told apart by
 * their weights, where these are known, or by regions of the job. No MPI.
 */
#ifndef CALIBRATE_GO_PILOT_LEVELS_H
#define CALIBRATE_GO_PILOT_LEVELS_H

#include "calibrate/fit/worker_factors.h"
#include "planner/model/weights.h"
#include "spmd/run/pilot.h"

struct pilot_levels {
    struct worker_factors workers; /* owned; without factors: nothing is known */
    struct weighing weighing;      /* with weights; a constant of 1: these tell nothing */
    struct cost compute;          /* of core tasks of mean weight, by the mean worker, of the job */
    struct task_weights *weights; /* owned: of the core tasks that are surveyed, as they are there;
                                   * NULL: not known, or they tell nothing */
    struct work work;             /* owned: what these take by that; no tasks: not known */
};

/* Of the timings in the run's trace so far; `given` (may be NULL) are the whole job's weights.
 * Factors of workers and what is known of core tasks depend on each other: regions, or what weights
 * explain, are found again in timings that the factors have levelled, until these stay as they are.
 * To be released, also on failure. False: out of memory. */
bool pilot_levels_find(const struct pilot_context *context, const struct survey_timings *timings,
                       const struct task_weights *given, struct pilot_levels *found);
/* As a survey asks for them; borrowed. */
struct survey_levels pilot_levels_survey(const struct pilot_levels *levels);
void pilot_levels_release(struct pilot_levels *levels);

#endif

/*
 * A search in levels (SCOW_LEVELS), run as one job: each level is a run of its own over the same
 * link and with the same ranks, planned when it begins, from the user's profile, for as many core
 * tasks as the level before has left. Its output takes the place of the one before, which is kept
 * beside it (spmd/resume/levels_kept.h).
 *
 * What a level is made of is in its output, so that a search which was stopped or killed goes on
 * within a level as any run does, and between two from what the last one has left. Where workers
 * are lost, the others do what remains of the level, and the next ones are planned for those that
 * are left.
 */
#ifndef SPMD_RUN_LEVELS_H
#define SPMD_RUN_LEVELS_H

#include "spmd/run/execute.h"

struct levels_setup {
    struct comm *comm;
    struct liveness *liveness; /* begun, for the first level */
    double assembly_s;         /* liveness_begin's, for those after it */
    const char *results;       /* FILE of FILE.level1.1, ...: where emitted bytes go, as the user
                                * said; NULL: beside the output */
};

/* Can it be run in levels as asked for? FAILURE_USAGE or FAILURE_MISMATCH: what is in the way. */
bool levels_check(const struct execution *execution, struct failure *failure);
/* Collective. As execute_run of one level after the other, of which the master prints what came
 * out, from `execution` (the first level's, or the search's) and the setup. The outcome is the last
 * level's. */
bool levels_run(const struct execution *execution, const struct levels_setup *setup,
                struct run_outcome *outcome, struct failure *failure);

#endif

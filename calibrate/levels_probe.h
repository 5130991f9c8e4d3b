/*
 * What the levels of a search cost, and how many core tasks each leads to, as far as a sample
 * tells: the master computes some core tasks of the first level, makes the next one of what these
 * have left, computes some of that, and so on. Only how levels compare is of interest, so one rank
 * is enough; what they cost on the others is known of the first level.
 *
 * What a part of a level leads to is not what a part of the next one is: searches that prune know
 * less then, so that more is expected than will come.
 */
#ifndef CALIBRATE_LEVELS_PROBE_H
#define CALIBRATE_LEVELS_PROBE_H

#include "planner/base/failure.h"
#include "planner/model/profile.h"
#include "spmd/job/job.h"
#include "spmd/transport/comm.h"

struct levels_probe {
    const struct comm *comm; /* whose others see that this rank lives */
    const struct job *job;   /* of the first level */
    struct input *input;
    int threads;
    double budget_s; /* for all levels; 0: some core tasks of the first, which tell that there are
                      * others */
};

/* Local to the master. Into the setting: as many levels as the sample has, and the budget allows.
 * False with *failure set: core tasks cannot be computed, or memory ended. */
bool levels_probe(const struct levels_probe *probe, struct profile_setting *setting,
                  struct failure *failure);

#endif

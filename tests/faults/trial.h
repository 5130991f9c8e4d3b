/* One run under faults, gone on with until it is done, and what must be true of it. */
#ifndef TESTS_FAULTS_TRIAL_H
#define TESTS_FAULTS_TRIAL_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/* What happened in all trials so far, so that one can see that faults are met. */
struct trial_counts {
    int64_t trials, parts, losses, writes, revived, stopped;
    double simulated_s;
};

/* From then on nothing is wrong in any trial, core tasks sleep by an operating model, and a run
 * takes as long as the simulation of its plan. */
void trial_keep_calm(void);
/* False: something was wrong, said in world.wrong. `log`: NULL: silent. */
bool trial_run(uint64_t seed, FILE *log, struct trial_counts *counts);

#endif

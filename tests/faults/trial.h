/* One run under faults, gone on with until it is done, and what must be true of it. */
#ifndef TESTS_FAULTS_TRIAL_H
#define TESTS_FAULTS_TRIAL_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "spmd/layout/trace_file.h"

/* What happened in all trials so far, so that one can see that faults are met. */
struct trial_counts {
    int64_t trials, parts, losses, writes, revived, stopped;
    double simulated_s;
};

/* From then on nothing is wrong in any trial, core tasks sleep by an operating model, and a run
 * takes as long as the simulation of its plan. */
void trial_keep_calm(void);
/* From then on all trials are of several masters. */
void trial_several(void);
/* Or are searches in levels. */
void trial_searches(void);
/* False: something was wrong, said in world.wrong. `log`: NULL: silent. */
bool trial_run(uint64_t seed, FILE *log, struct trial_counts *counts);

/* One run of a plan, that nothing disturbs, and of which the trace stays. */
struct trial_planned {
    const char *plan; /* JSON; borrowed */
    int64_t tasks, largest;
    int workers, buffers;
    double most; /* its time may be so far, relatively, from that of the plan's simulation */
};

struct trial_outcome {
    double makespan_s;
    int64_t packages, writes;
    size_t master_peak; /* bytes of memory that the master had at most */
    struct trace_part part;
};

/* By the costs that models_give has been given. False: something was wrong, said in world.wrong. */
bool trial_plan(const struct trial_planned *planned, struct trial_outcome *outcome);

#endif

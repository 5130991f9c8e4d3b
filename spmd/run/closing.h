/*
 * The end of a run's output, by messages between the master and each worker alone: a collective
 * call would wait for ever for one that is lost. Every worker normalises a share, says whether all
 * that it wrote is there, and hears how the run ends; what a worker that is lost on the way leaves
 * undone, the master does.
 */
#ifndef SPMD_RUN_CLOSING_H
#define SPMD_RUN_CLOSING_H

#include "planner/model/usage.h"
#include "spmd/protocol/message.h"
#include "spmd/protocol/run.h"
#include "spmd/worker/worker.h"

/* Of one rank; borrowed. */
struct closing {
    const struct run *run;
    const struct input *input; /* that this rank has read from; NULL: none */
    const char *digest;        /* the input's, as the run began */
    /* Shares of the whole job, not what each has done: that is not all, or each sees all of it. */
    bool even;
    struct run_usage *used; /* the master's: what all ranks have used is added */
};

/* Local to the master: tell every worker how to end its part, and hear that it has. Where the input
 * has changed, nothing in the output counts. Failures are of the run. */
bool closing_lead(const struct closing *closing, enum wire_ending ending,
                  const struct summary *summary, struct failure *failure);
/* Local to the master. This is how the run ends: the outcome's `broken`, `lost` and `others` are
 * found, and told to workers. */
void closing_verdict(const struct closing *closing, const struct failure *verdict,
                     struct run_outcome *outcome);
/* Local to a worker: its part, until it knows how the run ended: *failure, the outcome's summary
 * and these three are those of the run. */
void closing_follow(const struct closing *closing, const struct done_packages *done,
                    struct run_outcome *outcome, struct failure *failure);

#endif

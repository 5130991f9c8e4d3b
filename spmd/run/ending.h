/*
 * How a run ends: everybody ends its part (closing.h), the input is what it was when the run began,
 * and the master seals the output, marks it as stopped, or clears what cannot be trusted.
 */
#ifndef SPMD_RUN_ENDING_H
#define SPMD_RUN_ENDING_H

#include "planner/base/failure.h"
#include "spmd/input/digest.h"
#include "spmd/protocol/run.h"
#include "spmd/run/closing.h"
#include "spmd/run/pilot.h"
#include "spmd/worker/worker.h"

/* Of one rank; borrowed. */
struct ending {
    struct closing closing;
    const char *output;
    struct digest *digest;     /* the master's: of the input, as far as it has got */
    const char *begun_with;    /* SHA-256 of the input that a run before had, if that has not been
                                * compared yet; NULL: it has, or there was none */
    const struct plan *plan;   /* the user's */
    const struct pilot *pilot; /* of a run that was measured while it worked; NULL: it was not */
    const char *again;         /* what to do to go on with a run that was stopped */
};

/* Local to the master. The last package is done, or something failed: complete *outcome. */
void ending_lead(const struct ending *ending, struct run_outcome *outcome, struct failure *failure);
/* Local to a worker: its part, until it knows how the run ended. */
void ending_follow(const struct ending *ending, const struct done_packages *done,
                   struct run_outcome *outcome, struct failure *failure);

#endif

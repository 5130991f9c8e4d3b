/*
 * Which strata of the job are timed next, and by whom: every round halves strata, so that there are
 * ever more of them, all over the job (planner/model/strata.h). New places go to the workers in
 * turn, in an order by chance; and every worker times some places that others have timed, so that
 * slow workers and heavy places can be told apart (two_way.h). No clock, no I/O.
 */
#ifndef CALIBRATE_FIT_STRATA_DESIGN_H
#define CALIBRATE_FIT_STRATA_DESIGN_H

#include "calibrate/fit/design.h"
#include "calibrate/fit/sample.h"

/* What is to be timed; all but the seed stays as it is. */
struct strata_design {
    const struct samples *samples; /* borrowed; what has been timed */
    int setting;                   /* of them */
    int64_t tasks;                 /* of the job */
    int workers;
    int64_t package; /* core tasks in each */
    uint64_t seed;   /* goes on from round to round */
};

/* The next round, of one part, with at most `each_most` >= 1 packages for a worker; of no packages
 * where no stratum can be halved any more. To be released. False: out of memory. */
bool strata_design_next(struct strata_design *design, int64_t each_most, struct design_pass *pass,
                        struct failure *failure);

#endif

/* What taking the next number from a counter that all share takes workers, in place of asking the
 * master for a package (run --dca). */
#ifndef CALIBRATE_RANK_FETCHES_H
#define CALIBRATE_RANK_FETCHES_H

#include "planner/model/profile.h"
#include "spmd/transport/comm.h"

/* Pure. Of worker 0, 1, ..., seconds, 0 where it is not known: each class gets the mean of those of
 * its workers that are known. */
void rank_fetches_put(const double *workers_s, int64_t count, struct profile *profile);
/* Collective. Measured now; the profile is the master's. False with *failure set, on all ranks. */
bool rank_fetches_find(const struct comm *comm, struct profile *profile, struct failure *failure);

#endif

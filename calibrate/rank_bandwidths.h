/* What the bandwidth to workers is while they are measured: what their links' costs are worth where
 * others use the network, too (planner/studies/shares.h). */
#ifndef CALIBRATE_RANK_BANDWIDTHS_H
#define CALIBRATE_RANK_BANDWIDTHS_H

#include "planner/model/profile.h"
#include "spmd/transport/bandwidth.h"

/* Pure. Of worker 0, 1, ...: each class gets the mean of those of its workers that are known. */
void rank_bandwidths_put(const struct bandwidth *workers, int64_t count, struct profile *profile);
/* Collective. Measured now, of all nodes together for most_s; *found is owned, and the master's
 * alone, by rank. False with *failure set, on all ranks. */
bool rank_bandwidths_probe(const struct comm *comm, double most_s, struct bandwidth **found,
                           struct failure *failure);
/* Collective. Measured now; the profile is the master's. False with *failure set, on all ranks. */
bool rank_bandwidths_find(const struct comm *comm, struct profile *profile,
                          struct failure *failure);

#endif

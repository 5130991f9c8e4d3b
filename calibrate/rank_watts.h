/*
 * What ranks take of their nodes' power, on average over a calibration, in which workers wait for
 * each other now and then: a run, in which they do not, takes rather more, and tells its profile
 * (planner/report/learn.h).
 */
#ifndef CALIBRATE_RANK_WATTS_H
#define CALIBRATE_RANK_WATTS_H

#include "planner/model/profile.h"
#include "spmd/transport/comm.h"

/* Of one rank; a node's energy is said by the first rank there. */
struct rank_power {
    char node[LINK_NAME_SIZE];
    double watts; /* of its node, from that rank; 0: from the others, or not known */
    int rank;
};

/* Pure. A node's watts in equal shares to the ranks on it: watts[rank], 0 where they are not known.
 * `ranks` is sorted by node. */
void rank_watts_share(struct rank_power *ranks, int count, double *watts);
/* Pure. Each class of workers gets the mean of its workers, the master its own. */
void rank_watts_put(const double *watts, struct profile *profile);
/* Collective. Put them into the master's profile: the energy that this rank has to tell (NaN: it is
 * not known) was taken in so many seconds. */
bool rank_watts_gather(const struct comm *comm, double energy_j, double seconds,
                       struct profile *profile, struct failure *failure);

#endif

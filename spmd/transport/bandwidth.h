/*
 * The bandwidth from the master to other nodes, as messages of one size find it: each is sent, and
 * answered when all of it is there, and the median of a few counts. So the Network Weather Service
 * does it (R. Wolski, Dynamically forecasting network performance, Cluster Computing 1, 1998). The
 * time is that of message and answer, latencies included: what is found later is compared with what
 * calibration found in the same way, over the link by which packages travel.
 */
#ifndef SPMD_TRANSPORT_BANDWIDTH_H
#define SPMD_TRANSPORT_BANDWIDTH_H

#include "planner/base/failure.h"
#include "spmd/transport/comm.h"

enum { BANDWIDTH_BYTES = 1 << 20 };

/* To one rank's node. */
struct bandwidth {
    double bytes_s; /* 0: not known */
    bool first;     /* this is the rank of the node that has answered */
};

/* Pure. Of `ranks` ranks with these machines' names, `size` bytes each, who answers for whom: the
 * first other than rank 0 on the same machine. Rank 0: itself. */
void bandwidth_stands(const char *names, size_t size, int ranks, int *stands);
/* Collective, waits. One node after the other, until most_s have passed: those that are left are
 * not known. `found`, the master's alone, has as many as there are ranks; the master's own is not
 * known. False with *failure set, on all ranks: out of memory. */
bool bandwidth_probe(const struct comm *comm, double most_s, struct bandwidth *found,
                     struct failure *failure);

#endif

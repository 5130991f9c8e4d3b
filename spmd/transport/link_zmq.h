/*
 * A link (link.h) over ZeroMQ, for workers that come and go: the master listens, and a process that
 * has the job's access file joins at any time. Every connection is encrypted and authenticated by
 * both sides (CURVE); of a peer without the keys no byte reaches anybody here.
 *
 * Members are ranks 1, 2, .. in the order of joining; a number is never given twice. Between
 * workers there are no messages. Steps of all ranks together are each rank's own: it is alone in
 * them.
 *
 * All of this is local, and for one thread.
 */
#ifndef SPMD_TRANSPORT_LINK_ZMQ_H
#define SPMD_TRANSPORT_LINK_ZMQ_H

#include <stdbool.h>

#include "planner/base/failure.h"
#include "spmd/transport/access.h"
#include "spmd/transport/link.h"

/* The master's: listens at access->address, whose port may be 0: then the system chooses one, and
 * *access gets it. So many members are let in, one after the other; who comes later hears so. False
 * with *failure set: the address is not of this machine, or another process has it; *in_use (may be
 * NULL) tells of the latter. */
bool link_zmq_listen(struct link *link, struct access *access, int members, bool *in_use,
                     struct failure *failure);
/* A worker's: waits for the master to let it in, at most so long. False with *failure set: nobody
 * answers there, the keys are others, or it is full. */
bool link_zmq_join(struct link *link, const struct access *access, double patience_s,
                   struct failure *failure);
/* The master's: how many members have joined so far. */
int link_zmq_joined(struct link link);
/* Its messages on their way are dropped after so many seconds. Of one that is not open (all zero):
 * nothing. */
void link_zmq_close(struct link *link, double linger_s);

#endif

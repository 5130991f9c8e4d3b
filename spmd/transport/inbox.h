/*
 * A worker's packages on their way in: one buffer being worked on and some more posted ahead, so
 * that the next packages travel while this one is computed. A large message advances only while its
 * receiver is inside MPI: call inbox_progress between core tasks.
 */
#ifndef SPMD_TRANSPORT_INBOX_H
#define SPMD_TRANSPORT_INBOX_H

#include <stdbool.h>
#include <stddef.h>

#include "planner/base/failure.h"
#include "spmd/transport/comm.h"
#include "spmd/transport/wire.h"

struct inbox;

struct inbox_package {
    struct wire_package header;
    const void *bytes; /* borrowed until inbox_done; aligned to 64 */
    double transit_s;  /* when it began to arrive, at the earliest; on the master's clock */
    double arrived_s;  /* when it was complete */
};

/* Local. Posts `ahead` + 1 receives for packages of at most `bytes` after the header. NULL with
 * *failure set: out of memory. */
struct inbox *inbox_new(const struct comm *comm, int ahead, size_t bytes, struct failure *failure);
/* What a worker has to look after while it waits; all zero: nothing. */
struct inbox_idle {
    double (*call)(void *self); /* returns seconds until something of it is due; 0: nothing is */
    void *self;
};

/* Local. Wait for the next package, in the order of sending. */
void inbox_take(struct inbox *inbox, struct inbox_idle idle, struct inbox_package *package);
/* Local. The same, where it is there already; false: it is not. */
bool inbox_look(struct inbox *inbox, struct inbox_package *package);
/* Local. The receive of the next package, for who waits for it beside other things; borrowed. */
struct link_request *inbox_awaited(struct inbox *inbox);
/* Local. The package taken last is no longer needed; its buffer is posted again. */
void inbox_done(struct inbox *inbox);
/* Local. Let transfers advance; never waits. Adds up the time it takes. */
void inbox_progress(struct inbox *inbox);
/* Local. Seconds spent inside inbox_progress since the last call of this function. */
double inbox_progress_s(struct inbox *inbox);
/* Local. Receives still posted are cancelled. Sets *inbox NULL. */
void inbox_free(struct inbox **inbox);

#endif

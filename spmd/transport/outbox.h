/*
 * The master's packages on their way: a ring of send buffers. A package is written into the next
 * buffer while earlier ones travel; with all buffers travelling, the oldest is waited for.
 */
#ifndef SPMD_TRANSPORT_OUTBOX_H
#define SPMD_TRANSPORT_OUTBOX_H

#include <stddef.h>

#include "planner/base/failure.h"
#include "spmd/transport/comm.h"
#include "spmd/transport/wire.h"

struct outbox;

/* Called while waiting, so that results are taken in meanwhile. */
struct outbox_idle {
    void (*call)(void *self); /* NULL: nothing */
    void *self;
};

/* Local. `buffers` buffers for packages of at most `bytes` behind the header. NULL with *failure
 * set: out of memory. */
struct outbox *outbox_new(const struct comm *comm, int buffers, size_t bytes,
                          struct failure *failure);
/* Local. Where the next package's bytes go (aligned to 64, borrowed until outbox_post); waits for
 * a buffer to be free. */
void *outbox_claim(struct outbox *outbox, struct outbox_idle idle);
/* Local. Send the claimed buffer with `bytes` behind the header to `rank`; does not wait. It leaves
 * at departure_s on the communicator's clock, or with the first call after that; 0: at once. */
void outbox_post(struct outbox *outbox, int rank, const struct wire_package *header, size_t bytes,
                 double departure_s);
/* Local. Let transfers advance; never waits. */
void outbox_progress(struct outbox *outbox);
/* Local. Wait until everything posted has left. */
void outbox_drain(struct outbox *outbox, struct outbox_idle idle);
/* Local. Nothing may be travelling. Sets *outbox NULL. */
void outbox_free(struct outbox **outbox);

#endif

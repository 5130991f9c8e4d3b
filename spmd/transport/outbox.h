/*
 * The master's packages on their way: a set of send buffers. A package is written into a free one
 * while earlier ones travel, so that a worker without room for its package holds up the others only
 * once all buffers wait for it. To each worker packages travel in the order of posting.
 */
#ifndef SPMD_TRANSPORT_OUTBOX_H
#define SPMD_TRANSPORT_OUTBOX_H

#include <stdbool.h>
#include <stddef.h>

#include "planner/base/failure.h"
#include "spmd/transport/comm.h"
#include "spmd/transport/wire.h"

struct outbox;

/* The master's naps while it waits, over those of its workers: with as many workers as cores it
 * takes from them what it spends on waking up. */
enum { OUTBOX_NAPS = 4 };

/* Called while waiting, so that results are taken in meanwhile. */
struct outbox_idle {
    void (*call)(void *self); /* NULL: nothing */
    void *self;
    struct link_request *request; /* of a result; NULL: none */
};

struct outbox_setup {
    int buffers;     /* at least 2 */
    size_t bytes;    /* the most of a package, after the header */
    bool one_by_one; /* no package leaves before the link is done with the last one */
    bool overtaking; /* packages for different ranks need not leave in the order of posting */
    bool early;      /* one may leave before its time when the link is done with the last one */
    /* Called when a package has left, with the time of that; NULL: nothing */
    void (*left)(void *self, const struct wire_package *header, double left_s);
    void *self; /* borrowed */
};

/* Local. NULL with *failure set: out of memory. */
struct outbox *outbox_new(const struct comm *comm, const struct outbox_setup *setup,
                          struct failure *failure);
/* Local. Lets transfers advance. Would outbox_claim return at once? */
bool outbox_has_room(struct outbox *outbox);
/* Local. Where the next package's bytes go (aligned to 64, borrowed until outbox_post); waits for
 * any buffer to be free. */
void *outbox_claim(struct outbox *outbox, struct outbox_idle idle);
/* Local. Send the claimed buffer with `bytes` after the header to `rank`; does not wait. It leaves
 * at departure_s on the communicator's clock, or with the first call after that, and never before
 * those posted earlier; 0: at once; HUGE_VAL: when outbox_depart says. */
void outbox_post(struct outbox *outbox, int rank, const struct wire_package *header, size_t bytes,
                 double departure_s);
/* Local. The first for that rank of which nobody knew is to leave then. False: there is none. */
bool outbox_depart(struct outbox *outbox, int rank, double departure_s);
/* Local. Let transfers advance; never waits. True: everything posted has left. */
bool outbox_progress(struct outbox *outbox);
/* Local. What the next departure waits for: left_s and requests[1] of *awaited. */
void outbox_await(const struct outbox *outbox, struct awaited *awaited);
/* Local. Give up everything that waits to leave for, or travels to, a rank that may be gone: its
 * memory stays where it is, for who may still read it. False with *failure set: out of memory for
 * other buffers in its place. */
bool outbox_abandon(struct outbox *outbox, int rank, struct failure *failure);
/* Local. Wait until everything posted has left. */
void outbox_drain(struct outbox *outbox, struct outbox_idle idle);
/* Local. Nothing may be travelling. Sets *outbox NULL. */
void outbox_free(struct outbox **outbox);

#endif

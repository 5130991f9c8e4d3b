/*
 * What the master has found out or made, for all ranks, as one message: values and texts, one
 * behind the other, which are taken out in the order in which they were put in. Ranks of one run
 * share an architecture and a program, so that nothing says what is what.
 */
#ifndef SPMD_TRANSPORT_BUNDLE_H
#define SPMD_TRANSPORT_BUNDLE_H

#include <stdbool.h>
#include <stddef.h>

#include "planner/base/failure.h"
#include "spmd/transport/comm.h"

/* All zero: empty. */
struct bundle {
    char *bytes; /* owned */
    size_t size, capacity;
    size_t taken; /* of the bytes */
    bool cut;     /* memory ended */
};

/* Local. */
void bundle_put(struct bundle *bundle, const void *data, size_t size);
/* Local. NULL: there is none. */
void bundle_put_text(struct bundle *bundle, const char *text, size_t length);
/* Local. As many bytes as were put in. */
void bundle_take(struct bundle *bundle, void *data, size_t size);
/* Local. The same where they lie, not aligned; borrowed from the bundle. */
void *bundle_next(struct bundle *bundle, size_t size);
/* Local. Owned, zero-terminated; NULL: there is none, or memory ended, with *failure set. */
char *bundle_take_text(struct bundle *bundle, size_t *length, struct failure *failure);
void bundle_release(struct bundle *bundle);
/* Local. Room for so many bytes that will have been put in by somebody else. Out of memory is fatal
 * to all. */
void bundle_room(struct bundle *bundle, size_t size, const struct comm *comm);

/* Collective. The master's on every rank; only its failure counts, and where it has one, every rank
 * has it, and none has a bundle: false. Out of memory elsewhere is fatal. */
bool bundle_share(struct bundle *bundle, const struct comm *comm, struct failure *failure);
/* Collective. The master's text (taken over; NULL: it has none), owned, on every rank; only its
 * failure counts, as above. NULL: there is none, or with *failure set, also where memory ended. */
char *bundle_share_text(char *text, size_t *length, const struct comm *comm,
                        struct failure *failure);

#endif

/*
 * Waits for messages of a run of strips. Waiting is interrupted when a worker is lost; requests
 * that are then incomplete are given up, and memory that the link may still use is kept until the
 * run is over.
 */
#ifndef SPMD_STRIPS_WAITING_H
#define SPMD_STRIPS_WAITING_H

#include <stdbool.h>
#include <stddef.h>

#include "spmd/transport/comm.h"

struct waiting {
    const struct comm *comm;         /* borrowed */
    bool (*interrupted)(void *self); /* is nobody to wait for these messages any more? */
    void *self;
    struct kept_memory *kept; /* owned; blocks that the link may still use */
};

/* False: interrupted; the request is given up, and its memory is to be kept (waiting_keep). */
bool waiting_over(const struct waiting *waiting, struct link_request *request);
bool waiting_send(const struct waiting *waiting, const void *data, size_t bytes, int rank, int tag);
bool waiting_receive(const struct waiting *waiting, void *data, size_t bytes, int rank, int tag);
/* Take ownership of the block, and free it in waiting_release. Does nothing with NULL. */
void waiting_keep(struct waiting *waiting, void *block);
/* At the end of the run, when the link uses none of the blocks any more. */
void waiting_release(struct waiting *waiting);

#endif

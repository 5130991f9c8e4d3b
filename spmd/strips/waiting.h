/*
 * Waiting for messages of a run of strips, which ends early where a worker is lost: nobody waits
 * then for what is still under way, and memory that the link may have yet is kept for it until the
 * run is over.
 */
#ifndef SPMD_STRIPS_WAITING_H
#define SPMD_STRIPS_WAITING_H

#include <stdbool.h>
#include <stddef.h>

#include "spmd/transport/comm.h"

struct waiting {
    const struct comm *comm;         /* borrowed */
    bool (*interrupted)(void *self); /* is all that is under way in vain? */
    void *self;
    struct kept_memory *kept; /* owned; blocks that the link may still have */
};

/* False: interrupted; the request is forgotten, and its memory is to be kept. */
bool waiting_over(const struct waiting *waiting, struct link_request *request);
bool waiting_send(const struct waiting *waiting, const void *data, size_t bytes, int rank, int tag);
bool waiting_receive(const struct waiting *waiting, void *data, size_t bytes, int rank, int tag);
/* The block, which is owned from here on, stays as it is. Of NULL: nothing. */
void waiting_keep(struct waiting *waiting, void *block);
/* At the end of the run, when nobody takes or sends anything of it any more. */
void waiting_release(struct waiting *waiting);

#endif

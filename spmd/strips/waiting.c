#include "spmd/strips/waiting.h"

#include <stdlib.h>

struct kept_memory {
    struct kept_memory *next;
    void *block;
};

bool waiting_over(const struct waiting *waiting, struct link_request *request)
{
    const struct awaited awaited = {.requests = {request}};
    struct pause pause = {0};
    while (!link_test(request)) {
        if (waiting->interrupted(waiting->self)) {
            link_forget(request); /* cancelling may never end, because the other rank may be gone */
            return false;
        }
        comm_pause(waiting->comm, &pause, &awaited);
    }
    return true;
}

bool waiting_send(const struct waiting *waiting, const void *data, size_t bytes, int rank, int tag)
{
    struct link_request request;
    link_send(waiting->comm->link, data, bytes, rank, tag, &request);
    return waiting_over(waiting, &request);
}

bool waiting_receive(const struct waiting *waiting, void *data, size_t bytes, int rank, int tag)
{
    struct link_request request;
    link_receive(waiting->comm->link, data, bytes, rank, tag, &request);
    return waiting_over(waiting, &request);
}

void waiting_keep(struct waiting *waiting, void *block)
{
    struct kept_memory *kept = block ? malloc(sizeof *kept) : NULL;
    if (!kept)
        return; /* out of memory: better never freed than freed while it is used */
    *kept = (struct kept_memory){waiting->kept, block};
    waiting->kept = kept;
}

void waiting_release(struct waiting *waiting)
{
    while (waiting->kept) {
        struct kept_memory *kept = waiting->kept;
        waiting->kept = kept->next;
        free(kept->block);
        free(kept);
    }
}

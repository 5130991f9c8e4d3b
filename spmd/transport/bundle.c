#include "spmd/transport/bundle.h"

#include <assert.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "planner/base/array.h"

void bundle_put(struct bundle *bundle, const void *data, size_t size)
{
    char *room = array_reserve(bundle->bytes, &bundle->capacity, bundle->size + size + 1, 1);
    if (!room || bundle->cut) {
        bundle->cut = true;
        return;
    }
    bundle->bytes = room;
    if (size > 0)
        memcpy(bundle->bytes + bundle->size, data, size);
    bundle->size += size;
}

/* Stands for the length of a text that there is not. */
static const uint64_t no_text = UINT64_MAX;

void bundle_put_text(struct bundle *bundle, const char *text, size_t length)
{
    const uint64_t front = text ? length : no_text;
    bundle_put(bundle, &front, sizeof front);
    if (text)
        bundle_put(bundle, text, length);
}

void *bundle_next(struct bundle *bundle, size_t size)
{
    assert(size <= bundle->size - bundle->taken);
    char *next = bundle->bytes + bundle->taken;
    bundle->taken += size;
    return next;
}

void bundle_take(struct bundle *bundle, void *data, size_t size)
{
    const void *next = bundle_next(bundle, size);
    if (size > 0)
        memcpy(data, next, size);
}

char *bundle_take_text(struct bundle *bundle, size_t *length, struct failure *failure)
{
    uint64_t front;
    bundle_take(bundle, &front, sizeof front);
    *length = front == no_text ? 0 : (size_t)front;
    if (front == no_text)
        return NULL;
    const char *bytes = bundle_next(bundle, *length);
    char *text = malloc(*length + 1);
    if (!text) {
        failure_memory(failure, "taking in what the master has found");
        return NULL;
    }
    memcpy(text, bytes, *length);
    text[*length] = '\0';
    return text;
}

void bundle_release(struct bundle *bundle)
{
    free(bundle->bytes);
    *bundle = (struct bundle){.bytes = NULL};
}

void bundle_room(struct bundle *bundle, size_t size, const struct comm *comm)
{
    bundle_release(bundle);
    bundle->bytes = malloc(size + 1);
    bundle->size = size;
    if (bundle->bytes)
        return;
    fprintf(stderr, "scow: rank %d is out of memory for what the master has found\n", comm->rank);
    link_abort(comm->link, FAILURE_FAILED);
}

bool bundle_share(struct bundle *bundle, const struct comm *comm, struct failure *failure)
{
    struct {
        struct failure failure;
        uint64_t size;
    } head = {.failure = FAILURE_INIT};
    if (bundle->cut)
        failure_memory(failure, "telling all ranks what the master has found");
    if (comm_leads(comm)) {
        head.failure = *failure;
        head.size = bundle->size;
    }
    comm_broadcast(comm, &head, sizeof head);
    if (head.failure.code != FAILURE_NONE) {
        *failure = head.failure;
        return false;
    }
    if (!comm_leads(comm))
        bundle_room(bundle, (size_t)head.size, comm);
    comm_broadcast(comm, bundle->bytes, bundle->size);
    return true;
}

char *bundle_share_text(char *text, size_t *length, const struct comm *comm,
                        struct failure *failure)
{
    struct bundle bundle = {0};
    bundle_put_text(&bundle, text, text ? *length : 0);
    free(text);
    text = bundle_share(&bundle, comm, failure) ? bundle_take_text(&bundle, length, failure) : NULL;
    bundle_release(&bundle);
    return text;
}

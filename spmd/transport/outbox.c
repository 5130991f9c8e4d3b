#include "spmd/transport/outbox.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* Of a package that is ready before it may leave. */
struct departure {
    double at_s; /* 0: it has left */
    int rank;
    size_t size;
};

struct outbox {
    const struct comm *comm;
    int count, next;
    char **buffers;               /* each a header and then the package */
    MPI_Request *requests;        /* MPI_REQUEST_NULL: free, unless it waits for its departure */
    struct departure *departures; /* owned */
};

enum { ALIGNMENT = 64 };

static char *buffer_new(size_t bytes)
{
    size_t whole = sizeof(struct wire_package) + bytes;
    whole = (whole + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    char *buffer = aligned_alloc(ALIGNMENT, whole);
    if (buffer)
        memset(buffer, 0, whole); /* the pages are there before the first package */
    return buffer;
}

struct outbox *outbox_new(const struct comm *comm, int buffers, size_t bytes,
                          struct failure *failure)
{
    struct outbox *outbox = calloc(1, sizeof *outbox);
    if (!outbox)
        goto fail;
    outbox->comm = comm;
    outbox->buffers = calloc((size_t)buffers, sizeof *outbox->buffers);
    outbox->requests = calloc((size_t)buffers, sizeof(MPI_Request));
    outbox->departures = calloc((size_t)buffers, sizeof *outbox->departures);
    if (!outbox->buffers || !outbox->requests || !outbox->departures)
        goto fail;
    for (; outbox->count < buffers; outbox->count++) {
        outbox->requests[outbox->count] = MPI_REQUEST_NULL;
        outbox->buffers[outbox->count] = buffer_new(bytes);
        if (!outbox->buffers[outbox->count])
            goto fail;
    }
    return outbox;
fail:
    failure_memory(failure, "making the master's send buffers");
    outbox_free(&outbox);
    return NULL;
}

static void slot_send(struct outbox *outbox, int slot, int rank, size_t size)
{
    MPI_Isend(outbox->buffers[slot], (int)size, MPI_BYTE, rank, WIRE_PACKAGE, outbox->comm->mpi,
              &outbox->requests[slot]);
}

static bool slot_free(struct outbox *outbox, int slot)
{
    struct departure *departure = &outbox->departures[slot];
    int done = 0;
    if (departure->at_s > 0) {
        if (comm_now(outbox->comm) < departure->at_s)
            return false;
        slot_send(outbox, slot, departure->rank, departure->size);
        departure->at_s = 0;
    }
    MPI_Test(&outbox->requests[slot], &done, MPI_STATUS_IGNORE);
    return done;
}

static void slot_wait(struct outbox *outbox, int slot, struct outbox_idle idle)
{
    struct pause pause = {0};
    while (!slot_free(outbox, slot)) {
        if (idle.call)
            idle.call(idle.self);
        comm_pause(&pause);
    }
}

void *outbox_claim(struct outbox *outbox, struct outbox_idle idle)
{
    slot_wait(outbox, outbox->next, idle);
    return outbox->buffers[outbox->next] + sizeof(struct wire_package);
}

void outbox_post(struct outbox *outbox, int rank, const struct wire_package *header, size_t bytes,
                 double departure_s)
{
    const size_t size = sizeof *header + bytes;
    memcpy(outbox->buffers[outbox->next], header, sizeof *header);
    if (departure_s > 0)
        outbox->departures[outbox->next] = (struct departure){departure_s, rank, size};
    else
        slot_send(outbox, outbox->next, rank, size);
    outbox->next = (outbox->next + 1) % outbox->count;
}

/* From the oldest on, and none before one that is not due yet: two that leave at the same time
 * would change places where that time comes between looking at the one and at the other. */
void outbox_progress(struct outbox *outbox)
{
    for (int i = 0; i < outbox->count; i++) {
        const int slot = (outbox->next + i) % outbox->count;
        slot_free(outbox, slot);
        if (outbox->departures[slot].at_s > 0)
            return;
    }
}

void outbox_drain(struct outbox *outbox, struct outbox_idle idle)
{
    for (int i = 0; i < outbox->count; i++)
        slot_wait(outbox, (outbox->next + i) % outbox->count, idle);
}

void outbox_free(struct outbox **outbox)
{
    struct outbox *box = *outbox;
    if (!box)
        return;
    for (int i = 0; i < box->count; i++) {
        assert(box->requests[i] == MPI_REQUEST_NULL);
        free(box->buffers[i]);
    }
    free(box->buffers);
    free(box->requests);
    free(box->departures);
    free(box);
    *outbox = NULL;
}

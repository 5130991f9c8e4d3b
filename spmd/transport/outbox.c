#include "spmd/transport/outbox.h"

#include <assert.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* Of a package that is ready before it may leave. */
struct departure {
    double at_s; /* not before */
    int rank;
    size_t size;
};

struct outbox {
    const struct comm *comm;
    struct outbox_setup setup;
    int count, next;
    char **buffers;               /* each a header and then the package */
    MPI_Request *requests;        /* MPI_REQUEST_NULL: free, unless it waits for its departure */
    struct departure *departures; /* owned */
    int waiting;                  /* the last so many have not left */
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

struct outbox *outbox_new(const struct comm *comm, const struct outbox_setup *setup,
                          struct failure *failure)
{
    struct outbox *outbox = calloc(1, sizeof *outbox);
    if (!outbox)
        goto fail;
    outbox->comm = comm;
    outbox->setup = *setup;
    outbox->buffers = calloc((size_t)setup->buffers, sizeof *outbox->buffers);
    outbox->requests = calloc((size_t)setup->buffers, sizeof(MPI_Request));
    outbox->departures = calloc((size_t)setup->buffers, sizeof *outbox->departures);
    if (!outbox->buffers || !outbox->requests || !outbox->departures)
        goto fail;
    for (; outbox->count < setup->buffers; outbox->count++) {
        outbox->requests[outbox->count] = MPI_REQUEST_NULL;
        outbox->buffers[outbox->count] = buffer_new(setup->bytes);
        if (!outbox->buffers[outbox->count])
            goto fail;
    }
    return outbox;
fail:
    failure_memory(failure, "making the master's send buffers");
    outbox_free(&outbox);
    return NULL;
}

static void slot_send(struct outbox *outbox, int slot)
{
    const struct departure *departure = &outbox->departures[slot];
    MPI_Isend(outbox->buffers[slot], (int)departure->size, MPI_BYTE, departure->rank, WIRE_PACKAGE,
              outbox->comm->mpi, &outbox->requests[slot]);
    if (outbox->setup.left) {
        struct wire_package header;
        memcpy(&header, outbox->buffers[slot], sizeof header);
        outbox->setup.left(outbox->setup.self, &header, comm_now(outbox->comm));
    }
}

static bool slot_sent(struct outbox *outbox, int slot)
{
    int done = 0;
    MPI_Test(&outbox->requests[slot], &done, MPI_STATUS_IGNORE);
    return done;
}

static int slot_before(const struct outbox *outbox, int slot)
{
    return (slot + outbox->count - 1) % outbox->count;
}

/* The next to leave, if any is waiting. */
static int slot_first(const struct outbox *outbox)
{
    return (outbox->next + outbox->count - outbox->waiting) % outbox->count;
}

static bool slot_may_leave(struct outbox *outbox, int slot)
{
    return comm_now(outbox->comm) >= outbox->departures[slot].at_s &&
           (!outbox->setup.one_by_one || slot_sent(outbox, slot_before(outbox, slot)));
}

static void departures_leave(struct outbox *outbox)
{
    for (; outbox->waiting > 0; outbox->waiting--) {
        const int slot = slot_first(outbox);
        if (!slot_may_leave(outbox, slot))
            return;
        slot_send(outbox, slot);
    }
}

/* The place'th oldest: it has left, and MPI is done with it. */
static bool place_free(struct outbox *outbox, int place)
{
    return place < outbox->count - outbox->waiting &&
           slot_sent(outbox, (outbox->next + place) % outbox->count);
}

static void place_wait(struct outbox *outbox, int place, struct outbox_idle idle)
{
    struct pause pause = {0};
    for (;;) {
        departures_leave(outbox);
        if (place_free(outbox, place))
            return;
        if (idle.call)
            idle.call(idle.self);
        struct awaited awaited = {.requests = {idle.request}};
        outbox_await(outbox, &awaited);
        if (place < outbox->count - outbox->waiting)
            awaited.requests[1] = &outbox->requests[(outbox->next + place) % outbox->count];
        clock_pause(&pause, &awaited);
    }
}

void *outbox_claim(struct outbox *outbox, struct outbox_idle idle)
{
    place_wait(outbox, 0, idle);
    return outbox->buffers[outbox->next] + sizeof(struct wire_package);
}

void outbox_post(struct outbox *outbox, int rank, const struct wire_package *header, size_t bytes,
                 double departure_s)
{
    const int slot = outbox->next;
    memcpy(outbox->buffers[slot], header, sizeof *header);
    outbox->departures[slot] = (struct departure){departure_s, rank, sizeof *header + bytes};
    outbox->next = (outbox->next + 1) % outbox->count;
    outbox->waiting++;
    departures_leave(outbox);
}

void outbox_progress(struct outbox *outbox)
{
    departures_leave(outbox);
    for (int slot = 0; slot < outbox->count; slot++)
        slot_sent(outbox, slot);
}

void outbox_await(const struct outbox *outbox, struct awaited *awaited)
{
    if (outbox->waiting == 0)
        return;
    const int slot = slot_first(outbox);
    awaited->left_s = fmax(0, outbox->departures[slot].at_s - comm_now(outbox->comm));
    if (!(awaited->left_s > 0))
        awaited->requests[1] = &outbox->requests[slot_before(outbox, slot)];
}

void outbox_drain(struct outbox *outbox, struct outbox_idle idle)
{
    for (int place = 0; place < outbox->count; place++)
        place_wait(outbox, place, idle);
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

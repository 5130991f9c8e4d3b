#include "spmd/transport/outbox.h"

#include <assert.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "planner/base/pages.h"

/* The departure of a package that is ready before it may leave. */
struct departure {
    double at_s; /* not before this; HUGE_VAL: not known yet */
    bool waiting;
    bool listed; /* it is among those under way */
    int rank;
    size_t size;
};

struct outbox {
    const struct comm *comm;
    struct outbox_setup setup;
    int count, next;               /* the slot that is claimed, or looked at first */
    char **buffers;                /* each has a header and then the package */
    struct link_request *requests; /* none: the slot is free, unless it waits to leave */
    struct departure *departures;  /* owned */
    int *queue;                    /* owned; ring buffer of the slots that wait to leave */
    int first_waiting, waiting;
    int *under_way; /* owned; slots that have left, but were not completely sent at the last look */
    int under_way_count;
    int last;         /* the slot that left last */
    size_t abandoned; /* buffers that ranks may still read which may be gone */
};

/* Its pages are allocated before the first package. */
static char *buffer_new(size_t bytes)
{
    const size_t whole = sizeof(struct wire_package) + bytes;
    char *buffer = pages_new(whole);
    if (buffer)
        pages_touch(buffer, whole);
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
    outbox->requests = calloc((size_t)setup->buffers, sizeof *outbox->requests);
    outbox->departures = calloc((size_t)setup->buffers, sizeof *outbox->departures);
    outbox->queue = calloc((size_t)setup->buffers, sizeof *outbox->queue);
    outbox->under_way = calloc((size_t)setup->buffers, sizeof *outbox->under_way);
    if (!outbox->buffers || !outbox->requests || !outbox->departures || !outbox->queue ||
        !outbox->under_way)
        goto fail;
    for (; outbox->count < setup->buffers; outbox->count++) {
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

/* Most messages are sent at once, so that only few slots must be looked at. */
static void under_way_look(struct outbox *outbox)
{
    int kept = 0;
    for (int k = 0; k < outbox->under_way_count; k++) {
        const int slot = outbox->under_way[k];
        outbox->departures[slot].listed = !link_test(&outbox->requests[slot]);
        if (outbox->departures[slot].listed)
            outbox->under_way[kept++] = slot;
    }
    outbox->under_way_count = kept;
}

static void under_way_add(struct outbox *outbox, int slot)
{
    if (!outbox->departures[slot].listed)
        outbox->under_way[outbox->under_way_count++] = slot;
    outbox->departures[slot].listed = true;
}

static void slot_send(struct outbox *outbox, int slot)
{
    const struct departure *departure = &outbox->departures[slot];
    link_send(outbox->comm->link, outbox->buffers[slot], departure->size, departure->rank,
              WIRE_PACKAGE, &outbox->requests[slot]);
    under_way_add(outbox, slot);
    if (outbox->setup.left) {
        struct wire_package header;
        memcpy(&header, outbox->buffers[slot], sizeof header);
        outbox->setup.left(outbox->setup.self, &header, comm_now(outbox->comm));
    }
}

static bool slot_sent(struct outbox *outbox, int slot)
{
    return link_test(&outbox->requests[slot]);
}

/* Of the slots that wait to leave, the one in that place, in the order of posting. */
static int *queue_at(const struct outbox *outbox, int place)
{
    return &outbox->queue[(outbox->first_waiting + place) % outbox->count];
}

/* Rank of a package that was given up: it is not sent. */
enum { NOBODY = -1 };

static bool slot_may_leave(struct outbox *outbox, int slot)
{
    const bool now = comm_now(outbox->comm) >= outbox->departures[slot].at_s;
    if (outbox->departures[slot].rank == NOBODY)
        return true;
    if (now && !outbox->setup.one_by_one)
        return true;
    return (now || outbox->setup.early) && slot_sent(outbox, outbox->last);
}

static void slot_leave(struct outbox *outbox, int slot)
{
    outbox->departures[slot].waiting = false;
    if (outbox->departures[slot].rank == NOBODY)
        return;
    slot_send(outbox, slot);
    outbox->last = slot;
}

/* Would this slot overtake one for the same rank, among the first `staying` of the queue? */
static bool slot_passes(const struct outbox *outbox, int slot, int staying)
{
    for (int k = 0; k < staying; k++)
        if (outbox->departures[*queue_at(outbox, k)].rank == outbox->departures[slot].rank)
            return true;
    return false;
}

/* Sends what may leave: in the order of posting, or overtaking those that may not leave yet. */
static void departures_leave(struct outbox *outbox)
{
    int seen = 0, staying = 0;
    for (; seen < outbox->waiting && (staying == 0 || outbox->setup.overtaking); seen++) {
        const int slot = *queue_at(outbox, seen);
        if (!slot_passes(outbox, slot, staying) && slot_may_leave(outbox, slot))
            slot_leave(outbox, slot);
        else
            *queue_at(outbox, staying++) = slot;
    }
    const int left = seen - staying;
    for (int k = staying; left > 0 && k-- > 0;)
        *queue_at(outbox, left + k) = *queue_at(outbox, k);
    outbox->first_waiting = (outbox->first_waiting + left) % outbox->count;
    outbox->waiting -= left;
}

/* Has it left, and is it completely sent? */
static bool slot_free(struct outbox *outbox, int slot)
{
    return !outbox->departures[slot].waiting && slot_sent(outbox, slot);
}

/* Begins behind the slot that was claimed last: that one is the oldest, unless some are late. */
static bool slot_find(struct outbox *outbox)
{
    departures_leave(outbox);
    for (int i = 0; i < outbox->count; i++) {
        const int slot = (outbox->next + i) % outbox->count;
        if (slot_free(outbox, slot)) {
            outbox->next = slot;
            return true;
        }
    }
    return false;
}

static void slot_wait(struct outbox *outbox, int slot, struct outbox_idle idle, struct pause *pause)
{
    if (idle.call)
        idle.call(idle.self);
    struct awaited awaited = {.requests = {idle.request}};
    outbox_await(outbox, &awaited);
    if (!outbox->departures[slot].waiting)
        awaited.requests[1] = &outbox->requests[slot];
    comm_pause(outbox->comm, pause, &awaited);
}

bool outbox_has_room(struct outbox *outbox)
{
    return slot_find(outbox);
}

void *outbox_claim(struct outbox *outbox, struct outbox_idle idle)
{
    struct pause pause = {.longer = OUTBOX_NAPS};
    while (!slot_find(outbox))
        slot_wait(outbox, outbox->next, idle, &pause);
    return outbox->buffers[outbox->next] + sizeof(struct wire_package);
}

void outbox_post(struct outbox *outbox, int rank, const struct wire_package *header, size_t bytes,
                 double departure_s)
{
    const int slot = outbox->next;
    const int last = (outbox->first_waiting + outbox->waiting++) % outbox->count;
    memcpy(outbox->buffers[slot], header, sizeof *header);
    outbox->departures[slot] = (struct departure){
        departure_s, true, outbox->departures[slot].listed, rank, sizeof *header + bytes};
    outbox->queue[last] = slot;
    outbox->next = (slot + 1) % outbox->count;
    departures_leave(outbox);
}

bool outbox_depart(struct outbox *outbox, int rank, double departure_s)
{
    for (int k = 0; k < outbox->waiting; k++) {
        struct departure *departure = &outbox->departures[*queue_at(outbox, k)];
        if (departure->rank != rank || isfinite(departure->at_s))
            continue;
        departure->at_s = departure_s;
        departures_leave(outbox);
        return true;
    }
    return false;
}

/* A message under way cannot be taken back: its receiver may come back and read it. */
static bool slot_abandon(struct outbox *outbox, int slot)
{
    if (outbox->departures[slot].waiting) {
        outbox->departures[slot].rank = NOBODY;
        return true;
    }
    if (slot_sent(outbox, slot))
        return true;
    char *buffer = buffer_new(outbox->setup.bytes);
    if (!buffer)
        return false;
    link_forget(&outbox->requests[slot]);
    outbox->buffers[slot] = buffer;
    outbox->abandoned++;
    return true;
}

bool outbox_abandon(struct outbox *outbox, int rank, struct failure *failure)
{
    for (int slot = 0; slot < outbox->count; slot++)
        if (outbox->departures[slot].rank == rank && !slot_abandon(outbox, slot))
            return failure_memory(failure, "giving up what was sent to a lost worker");
    return true;
}

bool outbox_progress(struct outbox *outbox)
{
    departures_leave(outbox);
    under_way_look(outbox);
    return outbox->waiting == 0 && outbox->under_way_count == 0;
}

/* The time of the next departure; HUGE_VAL: none is known. */
static double departure_next_s(const struct outbox *outbox)
{
    double next_s = HUGE_VAL;
    for (int k = 0; k < outbox->waiting && (k == 0 || outbox->setup.overtaking); k++)
        if (!slot_passes(outbox, *queue_at(outbox, k), k))
            next_s = fmin(next_s, outbox->departures[*queue_at(outbox, k)].at_s);
    return next_s;
}

void outbox_await(const struct outbox *outbox, struct awaited *awaited)
{
    const double next_s = departure_next_s(outbox);
    if (!isfinite(next_s))
        return;
    awaited->left_s = fmax(0, next_s - comm_now(outbox->comm));
    if (!(awaited->left_s > 0) || outbox->setup.early)
        awaited->requests[1] = &outbox->requests[outbox->last];
}

void outbox_drain(struct outbox *outbox, struct outbox_idle idle)
{
    for (int slot = 0; slot < outbox->count; slot++) {
        struct pause pause = {0};
        for (departures_leave(outbox); !slot_free(outbox, slot); departures_leave(outbox))
            slot_wait(outbox, slot, idle, &pause);
    }
}

void outbox_free(struct outbox **outbox)
{
    struct outbox *box = *outbox;
    if (!box)
        return;
    for (int i = 0; i < box->count; i++) {
        assert(!box->requests[i].pending);
        free(box->buffers[i]);
    }
    free(box->buffers);
    free(box->requests);
    free(box->departures);
    free(box->queue);
    free(box->under_way);
    free(box);
    *outbox = NULL;
}

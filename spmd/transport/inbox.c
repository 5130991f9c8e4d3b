#include "spmd/transport/inbox.h"

#include <stdlib.h>
#include <string.h>

#include "planner/base/pages.h"

struct slot {
    char *buffer;
    struct link_request request;
    bool travelling; /* or only posted; false: complete, or being worked on */
    double transit_s, arrived_s;
};

struct inbox {
    const struct comm *comm;
    size_t bytes;       /* of the largest message, including its header */
    struct slot *slots; /* owned */
    int count, next;    /* number of slots; slot of the next package */
    double progress_s;
};

static void slot_post(struct inbox *inbox, struct slot *slot)
{
    slot->transit_s = comm_now(inbox->comm);
    slot->travelling = true;
    link_receive(inbox->comm->link, slot->buffer, inbox->bytes, 0, WIRE_PACKAGE, &slot->request);
}

/* Slots with a buffer are counted in inbox->count. */
static bool slots_make(struct inbox *inbox, int count)
{
    inbox->slots = calloc((size_t)count, sizeof *inbox->slots);
    for (; inbox->slots && inbox->count < count; inbox->count++) {
        struct slot *slot = &inbox->slots[inbox->count];
        slot->buffer = pages_new(inbox->bytes);
        if (!slot->buffer)
            return false;
        pages_touch(slot->buffer, inbox->bytes);
    }
    return inbox->slots != NULL;
}

struct inbox *inbox_new(const struct comm *comm, int ahead, size_t bytes, struct failure *failure)
{
    struct inbox *inbox = calloc(1, sizeof *inbox);
    if (inbox) {
        inbox->comm = comm;
        inbox->bytes = sizeof(struct wire_package) + bytes;
    }
    if (!inbox || !slots_make(inbox, ahead + 1)) {
        failure_memory(failure, "making a worker's receive buffers");
        inbox_free(&inbox);
        return NULL;
    }
    for (int i = 0; i < inbox->count; i++)
        slot_post(inbox, &inbox->slots[i]);
    return inbox;
}

static bool slot_test(struct inbox *inbox, struct slot *slot)
{
    if (!slot->travelling)
        return true;
    const bool done = link_test(&slot->request);
    slot->travelling = !done;
    if (done)
        slot->arrived_s = comm_now(inbox->comm);
    return done;
}

static void slot_take(const struct slot *slot, struct inbox_package *package)
{
    memcpy(&package->header, slot->buffer, sizeof package->header);
    package->bytes = slot->buffer + sizeof package->header;
    package->transit_s = slot->transit_s;
    package->arrived_s = slot->arrived_s;
}

bool inbox_look(struct inbox *inbox, struct inbox_package *package)
{
    struct slot *slot = &inbox->slots[inbox->next];
    const bool there = slot_test(inbox, slot);
    if (there)
        slot_take(slot, package);
    return there;
}

struct link_request *inbox_awaited(struct inbox *inbox)
{
    return &inbox->slots[inbox->next].request;
}

void inbox_take(struct inbox *inbox, struct inbox_idle idle, struct inbox_package *package)
{
    struct slot *slot = &inbox->slots[inbox->next];
    struct awaited awaited = {.requests = {&slot->request}};
    struct pause pause = {0};
    while (!slot_test(inbox, slot)) {
        awaited.left_s = idle.call ? idle.call(idle.self) : 0;
        comm_pause(inbox->comm, &pause, &awaited);
    }
    slot_take(slot, package);
}

void inbox_done(struct inbox *inbox)
{
    slot_post(inbox, &inbox->slots[inbox->next]);
    inbox->next = (inbox->next + 1) % inbox->count;
}

/* A large message waits for its receiver: one that has arrived during this call began to move in
 * it, or when the one before it was there: *free_s. */
static bool slot_progress(struct inbox *inbox, struct slot *slot, double *free_s)
{
    if (!slot->travelling)
        return true;
    bool done = slot_test(inbox, slot);
    if (done) {
        slot->transit_s = *free_s;
        *free_s = slot->arrived_s;
    }
    return done;
}

void inbox_progress(struct inbox *inbox)
{
    const double start = comm_now(inbox->comm);
    double free_s = start;
    /* In the order of arrival; the package that is being worked on counts as arrived. */
    for (int i = 0; i < inbox->count; i++)
        if (!slot_progress(inbox, &inbox->slots[(inbox->next + i) % inbox->count], &free_s))
            break;
    inbox->progress_s += comm_now(inbox->comm) - start;
}

double inbox_progress_s(struct inbox *inbox)
{
    double seconds = inbox->progress_s;
    inbox->progress_s = 0;
    return seconds;
}

static void slot_release(struct slot *slot)
{
    link_cancel(&slot->request);
    free(slot->buffer);
}

void inbox_free(struct inbox **inbox)
{
    if (!*inbox)
        return;
    for (int i = 0; i < (*inbox)->count; i++)
        slot_release(&(*inbox)->slots[i]);
    free((*inbox)->slots);
    free(*inbox);
    *inbox = NULL;
}

#include "spmd/run/membership.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "planner/base/json_text.h"

bool membership_init(struct membership *membership, const struct membership_setup *setup,
                     struct failure *failure)
{
    const size_t ranks = (size_t)setup->comm->size;
    *membership = (struct membership){.comm = setup->comm,
                                      .liveness = setup->liveness,
                                      .path = setup->path,
                                      .command = setup->command,
                                      .workers = setup->workers,
                                      .members = calloc(ranks, sizeof(struct member)),
                                      .losses = calloc(ranks, sizeof(struct loss)),
                                      .processes = calloc(ranks, sizeof(struct process))};
    return (membership->members && membership->losses && membership->processes) ||
           failure_memory(failure, "preparing for the loss of workers");
}

void membership_join(struct membership *membership, int rank, const struct process *process)
{
    liveness_join(membership->liveness, rank, process);
    membership->members[rank] = (struct member){
        .state = rank <= membership->workers ? MEMBER_LIVES : MEMBER_FAILED, .process = *process};
}

void membership_release(struct membership *membership)
{
    free(membership->members);
    free(membership->losses);
    free(membership->processes);
    membership->members = NULL;
    membership->losses = NULL;
    membership->processes = NULL;
}

/* ---- who lives ----------------------------------------------------------------------------- */

void membership_origin(struct membership *membership, double origin_s)
{
    membership->origin_s = origin_s;
}

bool membership_lives(const struct membership *membership, int rank)
{
    return membership->members[rank].state == MEMBER_LIVES;
}

bool membership_lost(const struct membership *membership, int rank)
{
    return membership->members[rank].state == MEMBER_LOST;
}

int membership_living(const struct membership *membership)
{
    int living = 0;
    for (int rank = 1; rank < membership->comm->size; rank++)
        living += membership_lives(membership, rank);
    return living;
}

int membership_find(struct membership *membership)
{
    struct liveness_event event;
    if (!liveness_poll(membership->liveness, &event))
        return 0;
    membership_lose(membership, event.peer, MEMBER_LOST, event.why);
    return event.peer;
}

/* ---- losses -------------------------------------------------------------------------------- */

/* That of this rank, or the place behind the last one. */
static struct loss *loss_of(const struct membership *membership, int rank)
{
    struct loss *loss = membership->losses, *end = loss + membership->loss_count;
    while (loss < end && loss->rank != rank)
        loss++;
    return loss;
}

void membership_lose(struct membership *membership, int rank, enum member_state state,
                     const char *why)
{
    struct member *member = &membership->members[rank];
    struct loss *loss = loss_of(membership, rank);
    if (state == MEMBER_LOST && member->state != MEMBER_LOST)
        liveness_give_up(membership->liveness, rank);
    liveness_await(membership->liveness, rank, false);
    member->state = state;
    if (loss == membership->losses + membership->loss_count) {
        membership->loss_count++;
        *loss = (struct loss){.rank = rank};
        snprintf(loss->why, sizeof loss->why, "%s", why);
    }
}

const char *membership_why(const struct membership *membership, int rank)
{
    return loss_of(membership, rank)->why;
}

void membership_note(struct membership *membership, int rank, int64_t tasks)
{
    struct loss *loss = loss_of(membership, rank);
    if (membership->origin_s > 0 && loss->at_s <= 0)
        loss->at_s = comm_now(membership->comm) - membership->origin_s;
    loss->tasks += tasks;
    fprintf(stderr, "%s: rank %d is lost: %s; it had %" PRId64 " core tasks\n", membership->command,
            rank, loss->why, tasks);
}

bool membership_processes(struct membership *membership, struct process_list *others)
{
    bool broken = false;
    for (int rank = 1; rank < membership->comm->size; rank++)
        broken = broken || membership_lost(membership, rank);
    *others = (struct process_list){membership->processes, 0};
    membership->processes = NULL;
    for (int rank = 1; rank < membership->comm->size; rank++)
        if (!broken || membership_lost(membership, rank))
            others->items[others->count++] = membership->members[rank].process;
    return broken;
}

char *membership_lines(const struct membership *membership)
{
    struct text text = TEXT_INIT;
    for (int k = 0; k < membership->loss_count; k++) {
        const struct loss *loss = &membership->losses[k];
        text_add(&text, "lost        rank %d after ", loss->rank);
        text_add_seconds(&text, loss->at_s);
        text_add(&text, ": %s; %" PRId64 " of its core tasks went to others\n", loss->why,
                 loss->tasks);
    }
    return membership->loss_count > 0 ? text_take(&text) : NULL;
}

char *membership_json(const struct membership *membership)
{
    struct text text = TEXT_INIT;
    if (membership->loss_count == 0)
        return NULL;
    struct json_text json = json_open(&text, "[", ", ");
    for (int k = 0; k < membership->loss_count; k++) {
        const struct loss *loss = &membership->losses[k];
        struct json_text row = json_open_in(&json, NULL, "{", ", ");
        json_count(&row, "worker", loss->rank - 1);
        json_number(&row, "time_s", loss->at_s);
        json_count(&row, "tasks", loss->tasks);
        json_word(&row, "why", loss->why);
        json_close(&row, "}");
    }
    json_close(&json, "]");
    return text_take(&text);
}

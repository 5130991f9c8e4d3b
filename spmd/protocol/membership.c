#include "spmd/protocol/membership.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "planner/base/array.h"
#include "planner/base/json_text.h"

void membership_init(struct membership *membership, const struct membership_setup *setup)
{
    *membership = (struct membership){.comm = setup->comm,
                                      .liveness = setup->liveness,
                                      .path = setup->path,
                                      .command = setup->command,
                                      .expected = setup->comm->size - 1,
                                      .workers = setup->workers};
}

static struct member *member_of(const struct membership *membership, int member)
{
    return &membership->members[member - 1];
}

/* Makes room for the number of that peer. */
static bool number_room_make(struct membership *membership, int peer)
{
    const size_t had = membership->number_room;
    int *numbers = array_reserve(membership->numbers, &membership->number_room, (size_t)peer + 1,
                                 sizeof *numbers);
    if (!numbers)
        return false;
    membership->numbers = numbers;
    if (membership->number_room > had)
        memset(numbers + had, 0, (membership->number_room - had) * sizeof *numbers);
    return true;
}

/* Makes room for one more member. */
static bool room_make(struct membership *membership)
{
    const size_t wanted = (size_t)membership->count + 1;
    struct member *members =
        array_reserve(membership->members, &membership->room, wanted, sizeof *members);
    struct loss *losses =
        array_reserve(membership->losses, &membership->loss_room, wanted, sizeof *losses);
    struct process *processes =
        array_reserve(membership->processes, &membership->process_room, wanted, sizeof *processes);
    membership->members = members ? members : membership->members;
    membership->losses = losses ? losses : membership->losses;
    membership->processes = processes ? processes : membership->processes;
    return members && losses && processes;
}

int membership_join(struct membership *membership, int peer, const struct process *process)
{
    int member = membership_of(membership, peer);
    if (member == 0 && (!room_make(membership) || !number_room_make(membership, peer)))
        return 0;
    if (member == 0)
        member = membership->numbers[peer] = ++membership->count;
    liveness_join(membership->liveness, peer, process);
    *member_of(membership, member) =
        (struct member){.peer = peer,
                        .state = member <= membership->workers ? MEMBER_LIVES : MEMBER_FAILED,
                        .process = *process};
    return member;
}

int membership_of(const struct membership *membership, int peer)
{
    return peer >= 0 && (size_t)peer < membership->number_room ? membership->numbers[peer] : 0;
}

int membership_peer(const struct membership *membership, int member)
{
    return member_of(membership, member)->peer;
}

int membership_rank(const struct membership *membership, int member)
{
    return comm_place(membership->comm, member);
}

void membership_come(struct membership *membership, int member, const char *host, double at_s)
{
    struct member *came = member_of(membership, member);
    membership->comes = true;
    came->came_s = at_s;
    snprintf(came->host, sizeof came->host, "%s", host);
}

void membership_did(struct membership *membership, int member, int64_t tasks)
{
    member_of(membership, member)->packages++;
    member_of(membership, member)->tasks += tasks;
}

void membership_release(struct membership *membership)
{
    free(membership->members);
    free(membership->numbers);
    membership->numbers = NULL;
    membership->number_room = 0;
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

bool membership_lives(const struct membership *membership, int member)
{
    return member_of(membership, member)->state == MEMBER_LIVES;
}

bool membership_lost(const struct membership *membership, int member)
{
    return member_of(membership, member)->state == MEMBER_LOST;
}

int membership_living(const struct membership *membership)
{
    int living = 0;
    for (int member = 1; member <= membership->count; member++)
        living += membership_lives(membership, member);
    return living;
}

void membership_await(struct membership *membership, int member, bool awaited)
{
    liveness_await(membership->liveness, membership_peer(membership, member), awaited);
}

void membership_heard(struct membership *membership, int member)
{
    liveness_heard(membership->liveness, membership_peer(membership, member));
}

/* The loss of that member, or the entry behind the last one. */
static struct loss *loss_of(const struct membership *membership, int member)
{
    struct loss *loss = membership->losses, *end = loss + membership->loss_count;
    while (loss < end && loss->member != member)
        loss++;
    return loss;
}

bool membership_poll(struct membership *membership, struct member_event *event)
{
    struct comm_event told;
    while (comm_poll(membership->comm, &told)) {
        *event = (struct member_event){told.news, told.peer, 0};
        if (told.news == COMM_JOINED) {
            event->member = membership_join(membership, told.peer, &told.process);
            return true;
        }
        event->member = membership_of(membership, told.peer);
        if (event->member > 0) {
            membership_lose(membership, event->member, MEMBER_LOST, told.why);
            loss_of(membership, event->member)->left = told.news == COMM_LEFT;
            return true;
        }
    }
    return false;
}

/* ---- losses -------------------------------------------------------------------------------- */

void membership_lose(struct membership *membership, int member, enum member_state state,
                     const char *why)
{
    struct member *lost = member_of(membership, member);
    struct loss *loss = loss_of(membership, member);
    if (state == MEMBER_LOST && lost->state != MEMBER_LOST)
        liveness_give_up(membership->liveness, lost->peer);
    liveness_await(membership->liveness, lost->peer, false);
    if (lost->state != MEMBER_LOST) /* a lost member does not come back */
        lost->state = state;
    if (loss == membership->losses + membership->loss_count) {
        membership->loss_count++;
        *loss = (struct loss){.member = member};
        snprintf(loss->why, sizeof loss->why, "%s", why);
    }
}

const char *membership_why(const struct membership *membership, int member)
{
    return loss_of(membership, member)->why;
}

void membership_note(struct membership *membership, int member, int64_t tasks)
{
    struct loss *loss = loss_of(membership, member);
    if (membership->origin_s > 0 && loss->at_s <= 0)
        loss->at_s = comm_now(membership->comm) - membership->origin_s;
    loss->tasks += tasks;
    fprintf(stderr, "%s: worker %d %s%s; it had %" PRId64 " core tasks\n", membership->command,
            membership_rank(membership, member), loss->left ? "leaves " : "is lost: ", loss->why,
            tasks);
}

void membership_take(struct membership *membership, const struct loss *loss,
                     enum member_state state)
{
    membership_lose(membership, loss->member, state, loss->why);
    *loss_of(membership, loss->member) = *loss;
}

bool membership_processes(struct membership *membership, struct process_list *others)
{
    bool broken = false;
    for (int member = 1; member <= membership->count; member++)
        broken = broken || membership_lost(membership, member);
    *others = (struct process_list){membership->processes, 0};
    membership->processes = NULL;
    membership->process_room = 0;
    for (int member = 1; member <= membership->count; member++)
        if (!broken || membership_lost(membership, member))
            others->items[others->count++] = member_of(membership, member)->process;
    return broken;
}

int *membership_lost_peers(const struct membership *membership, int *count)
{
    int *lost = calloc((size_t)membership->count + 1, sizeof *lost);
    *count = 0;
    for (int member = 1; lost && member <= membership->count; member++)
        if (membership_lost(membership, member))
            lost[(*count)++] = membership_peer(membership, member);
    return lost;
}

char *membership_lines(const struct membership *membership)
{
    struct text text = TEXT_INIT;
    for (int k = 0; k < membership->loss_count; k++) {
        const struct loss *loss = &membership->losses[k];
        text_add(&text, "%s        worker %d after ", loss->left ? "left" : "lost", loss->member);
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
        json_count(&row, "worker", loss->member - 1);
        json_number(&row, "time_s", loss->at_s);
        json_count(&row, "tasks", loss->tasks);
        if (loss->left)
            json_flag(&row, "left", true);
        json_word(&row, "why", loss->why);
        json_close(&row, "}");
    }
    json_close(&json, "]");
    return text_take(&text);
}

static void came_add(const struct membership *membership, int member, struct json_text *json)
{
    const struct member *came = member_of(membership, member);
    const struct loss *loss = loss_of(membership, member);
    struct json_text row = json_open_in(json, NULL, "{", ", ");
    json_count(&row, "worker", member - 1);
    json_word(&row, "host", came->host);
    json_number(&row, "joined_s", came->came_s);
    json_count(&row, "packages", came->packages);
    json_count(&row, "tasks", came->tasks);
    if (loss < membership->losses + membership->loss_count) {
        json_number(&row, loss->left ? "left_s" : "lost_s", loss->at_s);
        json_word(&row, "why", loss->why);
    }
    json_close(&row, "}");
}

char *membership_came_json(const struct membership *membership)
{
    struct text text = TEXT_INIT;
    if (!membership->comes)
        return NULL;
    struct json_text json = json_open(&text, "[", ", ");
    for (int member = 1; member <= membership->count; member++)
        came_add(membership, member, &json);
    json_close(&json, "]");
    return text_take(&text);
}

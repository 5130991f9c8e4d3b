#include "spmd/run/membership.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "planner/base/json_text.h"
#include "spmd/output/file_lock.h"
#include "spmd/transport/wire.h"

/* How often the master looks, and after which silence it asks whether a process is there. */
static const double look_every_s = 0.25, silence_s = 3;
/* A master that has not looked for longer was itself away or stopped: that was not others' silence.
 */
static const double away_s = 2;
static const double gate_factor = 5; /* times the shortest deadline */
/* A worker may take that many times as long as the longest package between two signs of life, and,
 * while nobody knows how long one takes, that many times the shortest deadline. */
static const double deadline_factor = 10, unknown_factor = 60;

/* ---- beginning and end --------------------------------------------------------------------- */

static bool is_gone(const struct membership *membership, int rank)
{
    const struct member *member = &membership->members[rank];
    return member->seen ? !file_lock_taken(membership->lock, rank)
                        : process_has_ended(&member->process);
}

static void signs_await(struct membership *membership)
{
    link_receive(membership->comm->link, NULL, 0, LINK_ANYBODY, WIRE_ALIVE, &membership->alive);
}

static void signs_take(struct membership *membership)
{
    while (link_test(&membership->alive)) {
        membership_heard(membership, membership->alive.peer);
        signs_await(membership);
    }
}

/* Before the first package somebody waits for everybody, who may take longer to get ready than
 * between two signs of life later on. */
static void gate_look(void *self)
{
    struct membership *membership = self;
    const double most_s = gate_factor * membership->least_s, now = clock_now();
    signs_take(membership);
    for (int rank = 1; rank < membership->comm->size; rank++) {
        const bool gone = is_gone(membership, rank);
        if (!gone && now - membership->members[rank].heard_s < most_s)
            continue;
        fprintf(stderr,
                "%s: %s: rank %d %s before the first package: run the same again with --resume\n",
                membership->command, membership->path, rank, gone ? "is gone" : "does not answer");
        process_kill(&membership->members[rank].process);
        _exit(FAILURE_STOPPED);
    }
}

bool membership_init(struct membership *membership, const struct membership_setup *setup,
                     struct failure *failure)
{
    const size_t ranks = (size_t)setup->comm->size;
    *membership = (struct membership){.comm = setup->comm,
                                      .gate = {gate_look, membership, 0},
                                      .path = setup->path,
                                      .command = setup->command,
                                      .lock = setup->lock,
                                      .workers = setup->workers,
                                      .members = calloc(ranks, sizeof(struct member)),
                                      .losses = calloc(ranks, sizeof(struct loss)),
                                      .least_s = setup->least_s,
                                      .longest_s = setup->predicted_s,
                                      .processes = calloc(ranks, sizeof(struct process))};
    if (!membership->members || !membership->losses || !membership->processes)
        return failure_memory(failure, "preparing for the loss of workers");
    if (setup->least_s > 0)
        signs_await(membership);
    return true;
}

void membership_join(struct membership *membership, int rank, const struct process *process)
{
    membership->members[rank] =
        (struct member){.state = rank <= membership->workers ? MEMBER_LIVES : MEMBER_FAILED,
                        .process = *process,
                        .seen = membership->lock >= 0 && file_lock_taken(membership->lock, rank),
                        .heard_s = clock_now()};
}

void membership_release(struct membership *membership)
{
    if (membership->alive.pending) {
        signs_take(membership); /* sent before their workers' last answers */
        link_cancel(&membership->alive);
    }
    free(membership->members);
    free(membership->losses);
    free(membership->processes);
    membership->members = NULL;
    membership->losses = NULL;
    membership->processes = NULL;
}

void membership_open(struct membership *membership)
{
    membership->looked_s = clock_now();
    membership->gate.next_s = HUGE_VAL;
}

void membership_work(struct membership *membership, bool working)
{
    membership->working = working;
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

bool membership_misses(struct membership *membership)
{
    bool misses = false;
    for (int rank = 1; rank < membership->comm->size; rank++)
        if (is_gone(membership, rank)) {
            misses = true;
            membership->members[rank].heard_s = 0;
        }
    return misses;
}

void membership_await(struct membership *membership, int rank, bool awaited)
{
    struct member *member = &membership->members[rank];
    if (awaited && !member->awaited)
        member->heard_s = fmax(member->heard_s, clock_now());
    member->awaited = awaited;
}

void membership_heard(struct membership *membership, int rank)
{
    membership->members[rank].heard_s = clock_now();
}

void membership_took(struct membership *membership, double seconds)
{
    membership->longest_s = fmax(membership->longest_s, seconds);
}

double membership_deadline(double least_s, double longest_s)
{
    return longest_s > 0 ? fmax(least_s, deadline_factor * longest_s) : unknown_factor * least_s;
}

static double deadline_of(const struct membership *membership)
{
    return membership->working ? membership_deadline(membership->least_s, membership->longest_s)
                               : membership->least_s;
}

/* True: *why says how it was lost. */
static bool is_lost(const struct membership *membership, int rank, double now_s, char *why,
                    size_t size)
{
    const struct member *member = &membership->members[rank];
    const double silent_s = now_s - member->heard_s;
    if (member->state == MEMBER_LOST || silent_s < fmin(silence_s, membership->least_s))
        return false;
    if (is_gone(membership, rank)) {
        snprintf(why, size, "its process is gone");
        return true;
    }
    if (!member->awaited || silent_s < deadline_of(membership))
        return false;
    snprintf(why, size, "it has said nothing for %.0f s", silent_s);
    return true;
}

static void silence_excuse(struct membership *membership, double now_s)
{
    const double away = now_s - membership->looked_s - away_s;
    for (int rank = 1; membership->looked_s > 0 && away > 0 && rank < membership->comm->size;
         rank++) {
        struct member *member = &membership->members[rank];
        member->heard_s = fmin(member->heard_s + away, now_s);
    }
}

int membership_find(struct membership *membership)
{
    char why[80];
    const double now = clock_now();
    if (membership->least_s <= 0 || now - membership->looked_s < look_every_s)
        return 0;
    silence_excuse(membership, now);
    membership->looked_s = now;
    signs_take(membership);
    for (int rank = 1; rank < membership->comm->size; rank++)
        if (is_lost(membership, rank, now, why, sizeof why)) {
            membership_lose(membership, rank, MEMBER_LOST, why);
            membership->looked_s = 0; /* there may be more */
            return rank;
        }
    return 0;
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
    member->state = state;
    member->awaited = false;
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

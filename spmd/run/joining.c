#include "spmd/run/joining.h"

#include <stdio.h>
#include <stdlib.h>

/* A letter comes in pieces: the link has a limit. */
static const size_t piece_bytes = (size_t)1 << 26;

/* ---- the master ---------------------------------------------------------------------------- */

static void asking_await(struct joining *joining)
{
    link_receive(joining->comm->link, NULL, 0, LINK_ANYBODY, WIRE_JOIN, &joining->asking);
}

static void timing_await(struct joining *joining)
{
    link_receive(joining->comm->link, NULL, 0, LINK_ANYBODY, WIRE_TIME, &joining->timing);
}

static void answer_await(struct joining *joining)
{
    link_receive(joining->comm->link, &joining->ready, sizeof joining->ready, LINK_ANYBODY,
                 WIRE_READY, &joining->answering);
}

bool joining_begin(struct joining *joining, const struct comm *comm, const struct letter *letter,
                   const struct joining_tick *tick, struct failure *failure)
{
    *joining = (struct joining){.comm = comm, .tick = *tick};
    joining->letter = letter_write(letter, &joining->letter_size);
    joining->told = calloc((size_t)comm->size, sizeof *joining->told);
    if (!joining->letter || !joining->told)
        return failure_memory(failure, "preparing for workers that join");
    asking_await(joining);
    timing_await(joining);
    answer_await(joining);
    return true;
}

/* And that a run is to begin: it answers when it can. */
static void letter_send(struct joining *joining, int peer)
{
    const struct comm *comm = joining->comm;
    const struct wire_here here = {process_self()};
    const uint64_t size = joining->letter_size;
    comm_send(comm, &size, sizeof size, peer, WIRE_JOIN);
    for (size_t at = 0; at < joining->letter_size; at += piece_bytes) {
        const size_t left = joining->letter_size - at;
        comm_send(comm, joining->letter + at, left < piece_bytes ? left : piece_bytes, peer,
                  WIRE_JOIN);
    }
    comm_send(comm, &here, sizeof here, peer, WIRE_HERE);
    joining->told[peer] = true;
}

static void requests_take(struct joining *joining)
{
    while (link_test(&joining->timing)) {
        const double now_s = clock_now();
        comm_send(joining->comm, &now_s, sizeof now_s, joining->timing.peer, WIRE_TIME);
        timing_await(joining);
    }
    while (link_test(&joining->asking)) {
        const int peer = joining->asking.peer;
        if (!joining->told[peer])
            letter_send(joining, peer);
        asking_await(joining);
    }
}

/* It has answered: where it cannot begin, it hears its own failure again. */
static bool answer_holds(struct joining *joining, int peer, const char *command)
{
    const struct failure *failure = &joining->ready.failure;
    const struct wire_begin begin = {0, *failure};
    if (!joining->told[peer])
        return false;
    joining->told[peer] = false;
    if (failure->code == FAILURE_NONE)
        return true;
    comm_send(joining->comm, &begin, sizeof begin, peer, WIRE_BEGIN);
    fprintf(stderr, "%s: a worker cannot take part: %.*s\n", command, (int)sizeof failure->text - 1,
            failure->text);
    return false;
}

int joining_poll(struct joining *joining, const char *command, struct process *process)
{
    requests_take(joining);
    if (joining->tick.call)
        joining->tick.call(joining->tick.self);
    while (link_test(&joining->answering)) {
        const int peer = joining->answering.peer;
        const bool holds = answer_holds(joining, peer, command);
        *process = joining->ready.process;
        answer_await(joining);
        if (holds)
            return peer;
    }
    return 0;
}

void joining_admit(struct joining *joining, int peer, int member)
{
    struct wire_begin begin = {member, FAILURE_INIT};
    if (member == 0)
        failure_memory(&begin.failure, "letting a worker in");
    comm_send(joining->comm, &begin, sizeof begin, peer, WIRE_BEGIN);
}

void joining_end(struct joining *joining)
{
    if (!joining->comm)
        return;
    link_cancel(&joining->asking);
    link_cancel(&joining->timing);
    link_cancel(&joining->answering);
    free(joining->letter);
    free(joining->told);
    *joining = (struct joining){.comm = NULL};
}

/* ---- a worker ------------------------------------------------------------------------------ */

/* False: the master has not sent it by then. */
static bool receive_until(const struct comm *comm, void *data, size_t bytes, int tag,
                          double until_s)
{
    struct link_request request;
    struct pause pause = {0};
    link_receive(comm->link, data, bytes, 0, tag, &request);
    while (!link_test(&request)) {
        const struct awaited awaited = {.requests = {&request}};
        if (clock_now() > until_s) {
            link_cancel(&request);
            return false;
        }
        comm_pause(comm, &pause, &awaited);
    }
    return request.size == bytes;
}

/* The exchange that took the least time tells the most. */
static bool clock_compare(struct comm *comm, double until_s)
{
    enum { EXCHANGES = 10 };
    double least_s = 0;
    for (int k = 0; k < EXCHANGES; k++) {
        const double sent_s = clock_now();
        double masters_s;
        comm_send(comm, NULL, 0, 0, WIRE_TIME);
        if (!receive_until(comm, &masters_s, sizeof masters_s, WIRE_TIME, until_s))
            return false;
        const double took_s = clock_now() - sent_s;
        if (k > 0 && took_s >= least_s)
            continue;
        least_s = took_s;
        comm->offset_s = masters_s - (sent_s + took_s / 2);
    }
    return true;
}

static char *letter_take(const struct comm *comm, double until_s, size_t *size)
{
    static const uint64_t most = (uint64_t)1 << 40;
    uint64_t announced = 0;
    comm_send(comm, NULL, 0, 0, WIRE_JOIN);
    if (!receive_until(comm, &announced, sizeof announced, WIRE_JOIN, until_s) || announced > most)
        return NULL;
    char *letter = malloc((size_t)announced + 1);
    bool good = letter != NULL;
    for (size_t at = 0; good && at < announced; at += piece_bytes) {
        const size_t left = (size_t)announced - at;
        good = receive_until(comm, letter + at, left < piece_bytes ? left : piece_bytes, WIRE_JOIN,
                             until_s);
    }
    if (!good) {
        free(letter);
        return NULL;
    }
    *size = (size_t)announced;
    return letter;
}

char *joining_ask(struct comm *comm, double patience_s, size_t *size, struct failure *failure)
{
    const double until_s = clock_now() + patience_s;
    char *letter = clock_compare(comm, until_s) ? letter_take(comm, until_s, size) : NULL;
    if (!letter)
        failure_set(failure, FAILURE_STOPPED,
                    "the master has not told of its job within %.0f s: is it at work?", patience_s);
    return letter;
}

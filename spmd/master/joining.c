#include "spmd/master/joining.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "planner/model/beyond.h"
#include "spmd/protocol/beginning.h"
#include "spmd/protocol/run_conditions.h"

/* ---- the master ---------------------------------------------------------------------------- */

static void asking_await(struct joining *joining)
{
    joining->machine = (struct wire_machine){.host = ""};
    link_receive(joining->comm->link, &joining->machine, sizeof joining->machine, LINK_ANYBODY,
                 WIRE_JOIN, &joining->asking);
}

static void machine_keep(struct joining *joining, int peer)
{
    struct wire_machine *machine = &joining->machines[peer];
    *machine = joining->machine;
    machine->host[sizeof machine->host - 1] = '\0';
    machine->processor[sizeof machine->processor - 1] = '\0';
}

int64_t joining_like(const struct joining *joining, int peer, int member)
{
    const struct wire_machine *machine = &joining->machines[peer];
    const struct profile *profile = joining->profile;
    const int64_t rank = profile ? beyond_find(profile, machine->host) : 0;
    const char *processor = profile ? profile->origin.processor : NULL;
    if (rank > 0)
        return rank - 1;
    return !processor || !machine->processor[0] ||
                   strncmp(processor, machine->processor, sizeof machine->processor - 1) == 0
               ? member - 1
               : DISPATCH_UNKNOWN;
}

const char *joining_host(const struct joining *joining, int peer)
{
    return joining->machines[peer].host;
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

/* Sends the job to a worker that joins; it answers when it can begin. */
static void letter_send(struct joining *joining, int peer)
{
    const struct failure none = FAILURE_INIT;
    beginning_tell(joining->comm, peer, &joining->letter, &none);
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
        machine_keep(joining, peer);
        if (!joining->told[peer])
            letter_send(joining, peer);
        asking_await(joining);
    }
}

/* Takes the worker's answer. One that cannot begin is told its own failure, as every worker is told
 * the run's. */
static bool answer_holds(struct joining *joining, int peer)
{
    const struct failure *failure = &joining->ready.failure;
    if (!joining->told[peer])
        return false;
    joining->told[peer] = false;
    if (failure->code == FAILURE_NONE)
        return true;
    beginning_admit(joining->comm, peer, 0, failure);
    fprintf(stderr, "%s: a worker cannot take part: %.*s\n", joining->command,
            (int)sizeof failure->text - 1, failure->text);
    return false;
}

static bool ready_poll(void *self, struct comm_event *event)
{
    struct joining *joining = self;
    requests_take(joining);
    while (link_test(&joining->answering)) {
        const bool holds = answer_holds(joining, joining->answering.peer);
        *event = (struct comm_event){.news = COMM_JOINED,
                                     .peer = joining->answering.peer,
                                     .process = joining->ready.process};
        answer_await(joining);
        if (holds)
            return true;
    }
    return false;
}

void joining_see(const struct joining *joining, int64_t left)
{
    if (joining->tick.call)
        joining->tick.call(joining->tick.self, left);
}

bool joining_begin(struct joining *joining, struct comm *comm, const char *command,
                   const struct letter *letter, const struct joining_tick *tick,
                   struct failure *failure)
{
    *joining = (struct joining){.comm = comm,
                                .command = command,
                                .watch = {.poll = ready_poll, .self = joining},
                                .tick = *tick};
    joining->letter.bytes = letter_write(letter, &joining->letter.size);
    joining->told = calloc((size_t)comm->size, sizeof *joining->told);
    joining->machines = calloc((size_t)comm->size, sizeof *joining->machines);
    if (!joining->letter.bytes || !joining->told || !joining->machines)
        return failure_memory(failure, "preparing for workers that join");
    asking_await(joining);
    timing_await(joining);
    answer_await(joining);
    comm_watch_add(comm, &joining->watch);
    return !tick->begin || tick->begin(tick->self, failure);
}

void joining_end(struct joining *joining)
{
    if (!joining->comm)
        return;
    comm_watch_remove(joining->comm, &joining->watch);
    link_cancel(&joining->asking);
    link_cancel(&joining->timing);
    link_cancel(&joining->answering);
    bundle_release(&joining->letter);
    free(joining->told);
    free(joining->machines);
    *joining = (struct joining){.comm = NULL};
}

/* ---- a worker ------------------------------------------------------------------------------ */

/* Compares the clocks: of several exchanges, the one that took the least time is the most exact. */
static bool clock_compare(struct comm *comm, double until_s)
{
    enum { EXCHANGES = 10 };
    double least_s = 0;
    for (int k = 0; k < EXCHANGES; k++) {
        const double sent_s = clock_now();
        double masters_s;
        comm_send(comm, NULL, 0, 0, WIRE_TIME);
        if (!comm_receive_until(comm, &masters_s, sizeof masters_s, 0, WIRE_TIME, until_s))
            return false;
        const double took_s = clock_now() - sent_s;
        if (k > 0 && took_s >= least_s)
            continue;
        least_s = took_s;
        comm->offset_s = masters_s - (sent_s + took_s / 2);
    }
    return true;
}

static void machine_find(struct wire_machine *machine)
{
    char host[LINK_NAME_SIZE];
    char *processor = run_conditions_processor();
    link_machine(host);
    *machine = (struct wire_machine){.host = ""};
    snprintf(machine->host, sizeof machine->host, "%.*s", (int)sizeof machine->host - 1, host);
    snprintf(machine->processor, sizeof machine->processor, "%.*s",
             (int)sizeof machine->processor - 1, processor ? processor : "");
    free(processor);
}

bool joining_ask(struct comm *comm, double patience_s, struct bundle *letter,
                 struct process *master, struct failure *failure)
{
    const double until_s = clock_now() + patience_s;
    if (clock_compare(comm, until_s)) {
        struct wire_machine machine;
        machine_find(&machine);
        comm_send(comm, &machine, sizeof machine, 0, WIRE_JOIN);
        if (beginning_hear(comm, until_s, letter, master, failure))
            return true;
    }
    return failure_set(failure, FAILURE_STOPPED,
                       "the master has not told of its job within %.0f s: check that it is running",
                       patience_s);
}

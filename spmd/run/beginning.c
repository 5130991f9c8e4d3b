#include "spmd/run/beginning.h"

#include "spmd/transport/wire.h"

/* Local to the master. Whatever it answers, it is there. */
static void answer_take(const struct run *run, int peer, struct failure *failure)
{
    struct wire_ready ready;
    comm_receive(run->comm, &ready, sizeof ready, peer, WIRE_READY);
    if (membership_join(run->members, peer, &ready.process) == 0)
        failure_memory(failure, "preparing for the loss of workers");
    if (ready.failure.code != FAILURE_NONE)
        failure_set(failure, ready.failure.code, "%s", ready.failure.text);
}

/* Local to the master. */
static void all_begin(const struct run *run, struct failure *failure)
{
    const struct comm *comm = run->comm;
    const struct wire_here here = {process_self()};
    const int peers = run->members->expected;
    for (int peer = 1; peer <= peers; peer++)
        comm_send(comm, &here, sizeof here, peer, WIRE_HERE);
    for (int peer = 1; peer <= peers; peer++)
        answer_take(run, peer, failure);
    for (int peer = 1; peer <= peers; peer++) {
        const struct wire_begin begin = {membership_of(run->members, peer), *failure};
        comm_send(comm, &begin, sizeof begin, peer, WIRE_BEGIN);
    }
}

bool beginning_lead(const struct run *run, struct failure *failure)
{
    if (!run->joining)
        all_begin(run, failure);
    if (run->apart)
        liveness_part(run->liveness, run->patience_s, run->longest_s);
    return failure->code == FAILURE_NONE;
}

/* It looks for the master's place while the master waits for its answer. Later that one may be gone
 * already, and its free place would be taken for a file system that shows nobody's. */
int beginning_follow(const struct run *run, struct failure *failure)
{
    const struct comm *comm = run->comm;
    struct wire_here here;
    struct wire_begin begin;
    comm_receive(comm, &here, sizeof here, 0, WIRE_HERE);
    if (run->apart)
        liveness_join(run->liveness, 0, &here.process);
    const struct wire_ready ready = {process_self(), *failure};
    comm_send(comm, &ready, sizeof ready, 0, WIRE_READY);
    comm_receive(comm, &begin, sizeof begin, 0, WIRE_BEGIN);
    if (run->apart)
        liveness_part(run->liveness, run->patience_s, 0);
    *failure = begin.failure;
    return failure->code == FAILURE_NONE ? (int)begin.member : 0;
}

#include "spmd/protocol/beginning.h"

#include "spmd/transport/wire.h"

/* Texts are sent in pieces, because messages have a limit. */
static const size_t piece_bytes = (size_t)1 << 26;
/* A larger size cannot be in a message of ours. */
static const uint64_t told_most = (uint64_t)1 << 40;

/* ---- being told ------------------------------------------------------------------------------ */

static size_t piece_of(size_t size, size_t at)
{
    return size - at < piece_bytes ? size - at : piece_bytes;
}

void beginning_tell(const struct comm *comm, int peer, const struct bundle *told,
                    const struct failure *failure)
{
    const bool holds = failure->code == FAILURE_NONE;
    const struct wire_here here = {holds ? told->size : 0, process_self(), *failure};
    comm_send(comm, &here, sizeof here, peer, WIRE_HERE);
    for (size_t at = 0; at < here.size; at += piece_bytes)
        comm_send(comm, told->bytes + at, piece_of(told->size, at), peer, WIRE_HERE);
}

static bool told_hear(const struct comm *comm, uint64_t size, double until_s, struct bundle *told)
{
    bool good = size <= told_most;
    if (good)
        bundle_room(told, (size_t)size, comm);
    for (size_t at = 0; good && at < told->size; at += piece_bytes)
        good = comm_receive_until(comm, told->bytes + at, piece_of(told->size, at), 0, WIRE_HERE,
                                  until_s);
    return good;
}

bool beginning_hear(const struct comm *comm, double until_s, struct bundle *told,
                    struct process *master, struct failure *failure)
{
    struct wire_here here;
    if (!comm_receive_until(comm, &here, sizeof here, 0, WIRE_HERE, until_s))
        return false;
    *master = here.process;
    if (here.failure.code != FAILURE_NONE) {
        *failure = here.failure;
        return false;
    }
    return told_hear(comm, here.size, until_s, told);
}

/* ---- answering, and beginning ---------------------------------------------------------------- */

/* Local to the master. Whatever the worker answers, it is known to be there. */
static void answer_take(const struct run *run, int peer, struct failure *failure)
{
    struct wire_ready ready;
    comm_receive(run->comm, &ready, sizeof ready, peer, WIRE_READY);
    if (membership_join(run->members, peer, &ready.process) == 0)
        failure_memory(failure, "preparing for the loss of workers");
    if (ready.failure.code != FAILURE_NONE)
        failure_set(failure, ready.failure.code, "%s", ready.failure.text);
}

void beginning_admit(const struct comm *comm, int peer, int member, const struct failure *failure)
{
    const struct wire_begin begin = {.member = member, .failure = *failure};
    comm_send(comm, &begin, sizeof begin, peer, WIRE_BEGIN);
}

/* Local to the master. */
static void all_begin(const struct run *run, struct failure *failure)
{
    const int peers = run->members->expected;
    for (int peer = 1; peer <= peers; peer++)
        answer_take(run, peer, failure);
    for (int peer = 1; peer <= peers; peer++) {
        const struct wire_begin begin = {membership_of(run->members, peer), run->members->origin_s,
                                         *failure};
        comm_send(run->comm, &begin, sizeof begin, peer, WIRE_BEGIN);
    }
}

/* Local to a worker, or to another master of the whole run. It looks whether the master's place is
 * locked while the master waits for its answer. Later the master may be gone, and its free place
 * would be taken for a file system on which locks are not seen. */
static void follow(const struct run *run, struct wire_begin *begin, struct failure *failure)
{
    const struct comm *comm = run->comm;
    if (run->apart)
        liveness_join(run->liveness, 0, &run->master);
    const struct wire_ready ready = {process_self(), *failure};
    comm_send(comm, &ready, sizeof ready, 0, WIRE_READY);
    comm_receive(comm, begin, sizeof *begin, 0, WIRE_BEGIN);
    *failure = begin->failure;
    if (run->apart && failure->code == FAILURE_NONE)
        liveness_part(run->liveness, run->patience_s, 0);
}

/* Together with all other masters and their workers, so that all count time from the same
 * moment. */
static void whole_begin(const struct run *run, struct failure *failure)
{
    const struct run *whole = run->whole;
    struct wire_begin begin;
    if (comm_leads(whole->comm)) {
        membership_origin(whole->members, comm_now(whole->comm));
        beginning_lead(whole, failure);
        membership_origin(run->members, whole->members->origin_s);
    } else {
        follow(whole, &begin, failure);
        membership_origin(run->members, begin.origin_s);
    }
}

bool beginning_lead(const struct run *run, struct failure *failure)
{
    if (!run->joins)
        all_begin(run, failure);
    /* If no rank begins, all end together, and no message would arrive after the last has stopped
     * receiving: so nothing is waited for. */
    if (run->apart && failure->code == FAILURE_NONE)
        liveness_part(run->liveness, run->patience_s, run->longest_s);
    if (run->above) {
        struct wire_begin begin;
        follow(run->above, &begin, failure);
    }
    if (run->whole)
        whole_begin(run, failure);
    return failure->code == FAILURE_NONE;
}

int beginning_follow(const struct run *run, struct failure *failure)
{
    struct wire_begin begin, whole;
    follow(run, &begin, failure);
    if (run->whole)
        follow(run->whole, &whole, failure);
    return failure->code == FAILURE_NONE ? (int)begin.member : 0;
}

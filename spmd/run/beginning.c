#include "spmd/run/beginning.h"

#include "spmd/transport/wire.h"

/* Local to the master. Its answer, whatever it says, shows that it is there. */
static void answer_take(const struct run *run, int rank, struct failure *failure)
{
    struct wire_ready ready;
    comm_receive(run->comm, &ready, sizeof ready, rank, WIRE_READY);
    if (run->members)
        membership_join(run->members, rank, &ready.process);
    if (ready.failure.code != FAILURE_NONE)
        failure_set(failure, ready.failure.code, "%s", ready.failure.text);
}

bool beginning_lead(const struct run *run, struct failure *failure)
{
    const struct comm *comm = run->comm;
    const struct wire_here here = {process_self()};
    for (int rank = 1; rank < comm->size; rank++)
        comm_send(comm, &here, sizeof here, rank, WIRE_HERE);
    for (int rank = 1; rank < comm->size; rank++)
        answer_take(run, rank, failure);
    for (int rank = 1; rank < comm->size; rank++)
        comm_send(comm, failure, sizeof *failure, rank, WIRE_BEGIN);
    liveness_part(run->liveness, run->patience_s, run->longest_s);
    return failure->code == FAILURE_NONE;
}

/* It looks for the master's place while the master waits for its answer. Later that one may be gone
 * already, and its free place would be taken for a file system that shows nobody's. */
bool beginning_follow(const struct run *run, struct failure *failure)
{
    const struct comm *comm = run->comm;
    struct wire_here here;
    comm_receive(comm, &here, sizeof here, 0, WIRE_HERE);
    liveness_join(run->liveness, 0, &here.process);
    const struct wire_ready ready = {process_self(), *failure};
    comm_send(comm, &ready, sizeof ready, 0, WIRE_READY);
    comm_receive(comm, failure, sizeof *failure, 0, WIRE_BEGIN);
    liveness_part(run->liveness, run->patience_s, 0);
    return failure->code == FAILURE_NONE;
}

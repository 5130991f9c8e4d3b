#include "spmd/run/vigil.h"

#include <stdio.h>
#include <unistd.h>

#include "planner/base/failure.h"
#include "spmd/output/hold.h"
#include "spmd/transport/wire.h"

/* How often a worker says that it lives, and asks whether the master does. The latter costs a
 * network file system's server a question. */
static const double tell_every_s = 1, probe_every_s = 3;
/* Who says that the master is gone stays until all others have seen it; who is given up, until the
 * master has said all. */
static const double last_s = 6, said_s = 1, nap_s = 0.1;

static bool master_lives(const struct vigil *vigil)
{
    return !vigil->sees || hold_taken(vigil->hold, 0);
}

/* One worker says it for all: who gets the place behind those of the ranks. What this one works on
 * is not the reason. */
static void master_gone(const struct vigil *vigil)
{
    losses_begin(vigil->losses, 0, 0);
    if (hold_place(vigil->hold, vigil->comm->size)) {
        fprintf(stderr,
                "scow run: %s: the master is gone; what is done is kept: run the same again with "
                "--resume to go on\n",
                vigil->path);
        clock_nap(last_s);
    }
    clock_nap(said_s); /* it has passed through the launcher, which may break when others leave */
    _exit(FAILURE_STOPPED);
}

/* Given up: to end now could make a launcher end those who go on, so that is left to the master's
 * end, as far as it can be seen. */
static void stay_away(const struct vigil *vigil)
{
    while (vigil->sees && master_lives(vigil))
        clock_nap(nap_s);
    clock_nap(last_s);
    _exit(FAILURE_FAILED);
}

void vigil_pass(struct vigil *vigil)
{
    int lost = 0;
    if (!vigil)
        return;
    MPI_Test(&vigil->lost, &lost, MPI_STATUS_IGNORE);
    if (lost)
        stay_away(vigil);
}

static void look(void *self)
{
    struct vigil *vigil = self;
    const double now = clock_now();
    vigil_pass(vigil);
    if (!vigil->hushed && now - vigil->told_s >= tell_every_s) {
        vigil->told_s = now;
        comm_tell(vigil->comm, 0, WIRE_ALIVE);
    }
    if (now - vigil->probed_s >= probe_every_s) {
        vigil->probed_s = now;
        if (!master_lives(vigil))
            master_gone(vigil);
    }
}

void vigil_begin(struct vigil *vigil, struct comm *comm, const char *path, int hold)
{
    const double now = clock_now();
    *vigil = (struct vigil){.base = {look, vigil, now},
                            .comm = comm,
                            .path = path,
                            .hold = hold,
                            .sees = hold >= 0 && hold_taken(hold, 0),
                            .told_s = now,
                            .probed_s = now};
    MPI_Irecv(NULL, 0, MPI_BYTE, 0, WIRE_LOST, comm->mpi, &vigil->lost);
    comm->vigil = &vigil->base;
}

void vigil_hush(struct vigil *vigil)
{
    if (vigil)
        vigil->hushed = true;
}

bool vigil_misses(const struct vigil *vigil)
{
    bool misses = false;
    for (int rank = 0; vigil && vigil->sees && rank < vigil->comm->size; rank++)
        misses = misses || (rank != vigil->comm->rank && !hold_taken(vigil->hold, rank));
    return misses;
}

void vigil_end(struct vigil *vigil)
{
    vigil->comm->vigil = NULL;
    MPI_Cancel(&vigil->lost);
    MPI_Wait(&vigil->lost, MPI_STATUS_IGNORE);
}

#include "spmd/run/heartbeat.h"

#include <stdio.h>
#include <unistd.h>

#include "planner/base/failure.h"
#include "spmd/output/file_lock.h"
#include "spmd/transport/wire.h"

/* How often a worker says that it lives, and asks whether the master does. The latter costs a
 * network file system's server a question. */
static const double tell_every_s = 1, probe_every_s = 3;
/* Who says that the master is gone stays until all others have seen it; who is given up, until the
 * master has said all. */
static const double last_s = 6, said_s = 1, nap_s = 0.1;

static bool master_lives(const struct heartbeat *heartbeat)
{
    const struct heartbeat_sight *sight = &heartbeat->sight;
    return sight->sees ? file_lock_taken(sight->lock, 0) : !process_has_ended(&sight->master);
}

/* And not only: nobody knows otherwise. */
static bool master_seen(const struct heartbeat *heartbeat)
{
    const struct heartbeat_sight *sight = &heartbeat->sight;
    return sight->sees ? file_lock_taken(sight->lock, 0) : process_is_alive(&sight->master);
}

/* One worker says it for all: who gets the place behind those of the ranks, and without places the
 * first. */
static bool speaks(const struct heartbeat *heartbeat)
{
    const struct comm *comm = heartbeat->comm;
    return heartbeat->sight.lock >= 0 ? file_lock_place(heartbeat->sight.lock, comm->size)
                                      : comm->rank == 1;
}

/* What this one works on is not the reason. */
static void master_gone(const struct heartbeat *heartbeat)
{
    losses_begin(heartbeat->losses, 0, 0);
    if (speaks(heartbeat)) {
        fprintf(stderr, "%s: %s: the master is gone; what is done is kept: %s to go on\n",
                heartbeat->words.command, heartbeat->words.path, heartbeat->words.again);
        clock_nap(last_s);
    }
    clock_nap(said_s); /* it has passed through the launcher, which may break when others leave */
    _exit(FAILURE_STOPPED);
}

/* Given up: to end now could make a launcher end those who go on, so that is left to the master's
 * end, as far as it can be seen. */
static void stay_away(const struct heartbeat *heartbeat)
{
    while (master_seen(heartbeat))
        clock_nap(nap_s);
    clock_nap(last_s);
    _exit(FAILURE_FAILED);
}

void heartbeat_pass(struct heartbeat *heartbeat)
{
    if (heartbeat && link_test(&heartbeat->lost))
        stay_away(heartbeat);
}

static void look(void *self)
{
    struct heartbeat *heartbeat = self;
    const double now = clock_now();
    heartbeat_pass(heartbeat);
    if (!heartbeat->stopped && now - heartbeat->told_s >= tell_every_s) {
        heartbeat->told_s = now;
        comm_tell(heartbeat->comm, 0, WIRE_ALIVE);
    }
    if (now - heartbeat->probed_s >= probe_every_s) {
        heartbeat->probed_s = now;
        if (!master_lives(heartbeat))
            master_gone(heartbeat);
    }
}

void heartbeat_begin(struct heartbeat *heartbeat, struct comm *comm,
                     const struct heartbeat_words *words, const struct heartbeat_sight *sight)
{
    const double now = clock_now();
    *heartbeat = (struct heartbeat){.base = {look, heartbeat, now},
                                    .comm = comm,
                                    .words = *words,
                                    .sight = *sight,
                                    .told_s = now,
                                    .probed_s = now};
    link_receive(comm->link, NULL, 0, 0, WIRE_LOST, &heartbeat->lost);
    comm->watch = &heartbeat->base;
}

void heartbeat_stop(struct heartbeat *heartbeat)
{
    if (heartbeat)
        heartbeat->stopped = true;
}

bool heartbeat_misses(const struct heartbeat *heartbeat)
{
    bool misses = heartbeat && !heartbeat->sight.sees;
    for (int rank = 0; heartbeat && !misses && rank < heartbeat->comm->size; rank++)
        misses = rank != heartbeat->comm->rank && !file_lock_taken(heartbeat->sight.lock, rank);
    return misses;
}

void heartbeat_end(struct heartbeat *heartbeat)
{
    heartbeat->comm->watch = NULL;
    link_cancel(&heartbeat->lost);
}

/*
 * Workers that join a run that goes on: each asks, is told of the job (letter.h), makes it ready,
 * and is a member from the moment it says so. What it goes through is what beginning.h has for
 * those that are there from the beginning; only nobody waits for it.
 *
 * Its clock is compared with the master's by questions that the master answers as they come
 * (Cristian, Probabilistic clock synchronization, 1989).
 */
#ifndef SPMD_RUN_JOINING_H
#define SPMD_RUN_JOINING_H

#include <stdbool.h>

#include "planner/base/failure.h"
#include "spmd/run/letter.h"
#include "spmd/transport/comm.h"
#include "spmd/transport/wire.h"

/* Called now and then while workers may join: to see to it that some do. */
struct joining_tick {
    void (*call)(void *self); /* NULL: nothing */
    void *self;
};

struct joining {
    const struct comm *comm; /* borrowed */
    struct joining_tick tick;
    char *letter; /* owned */
    size_t letter_size;
    struct link_request asking, timing, answering;
    struct wire_ready ready; /* being received */
    bool *told;              /* owned; by peer: it has been told of the job, and is no member yet */
};

/* All local to the master. */

/* From here on it listens. False with *failure set: out of memory; to be ended also then. Does not
 * move until joining_end. */
bool joining_begin(struct joining *joining, const struct comm *comm, const struct letter *letter,
                   const struct joining_tick *tick, struct failure *failure);
/* Where the link reaches a worker that is ready; its process into *process. 0: none is. One that
 * says why it is not is told of on standard error, as `command`. */
int joining_poll(struct joining *joining, const char *command, struct process *process);
/* That one begins, as the member of that number; 0: it does not, for want of memory. */
void joining_admit(struct joining *joining, int peer, int member);
/* Nobody is let in any more. Of one that has not begun (all zero): nothing. */
void joining_end(struct joining *joining);

/* Local to a worker: asks, and takes the letter: owned; NULL with *failure set: the master does not
 * send one within so many seconds. Its clock is the master's from then on. */
char *joining_ask(struct comm *comm, double patience_s, size_t *size, struct failure *failure);

#endif

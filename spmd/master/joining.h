/*
 * Workers that join a run that goes on: each asks, is told of the job (letter.h), makes it ready,
 * and is a member from the moment it says so. What it goes through is what beginning.h has for
 * those that are there from the beginning; only nobody waits for it.
 *
 * Its clock is compared with the master's by questions that the master answers as they come
 * (Cristian, Probabilistic clock synchronization, 1989).
 */
#ifndef SPMD_MASTER_JOINING_H
#define SPMD_MASTER_JOINING_H

#include <stdbool.h>

#include "planner/base/failure.h"
#include "planner/base/process.h"
#include "planner/model/profile.h"
#include "spmd/protocol/letter.h"
#include "spmd/transport/bundle.h"
#include "spmd/transport/comm.h"
#include "spmd/transport/wire.h"

/* Of whoever sees to it that some join. */
struct joining_tick {
    /* Once, when nothing that would end the run at its beginning is left to be found out. False
     * with *failure set: it ends all the same. NULL: nothing. */
    bool (*begin)(void *self, struct failure *failure);
    /* Now and then while workers may join, with how many core tasks are not done. NULL: nothing. */
    void (*call)(void *self, int64_t left);
    void *self;
};

struct joining {
    struct comm *comm;   /* borrowed */
    const char *command; /* borrowed; as which sentences speak */
    bool quiet;          /* set once it has begun: nobody is told who joins */
    struct comm_watch watch;
    struct joining_tick tick;
    struct bundle letter; /* owned */
    struct link_request asking, timing, answering;
    struct wire_ready ready; /* being received */
    bool *told;              /* owned; by peer: it has been told of the job, and is no member yet */
    struct wire_machine machine;   /* being received */
    struct wire_machine *machines; /* owned; by peer */
    const struct profile *profile; /* borrowed, set once it has begun; NULL: nothing is known */
};

/* All local to the master. */

/* From here on it listens, and comm_poll tells of workers that are ready, which are to begin
 * (beginning_admit). One that says why it is not ready is told of on standard error. False with
 * *failure set: out of memory, or as the tick has it; to be ended also then. Does not move until
 * joining_end. */
bool joining_begin(struct joining *joining, struct comm *comm, const char *command,
                   const struct letter *letter, const struct joining_tick *tick,
                   struct failure *failure);
/* Now and then, with how many core tasks are not done. */
void joining_see(const struct joining *joining, int64_t left);
/* Which of the profile's workers, from 0 on, the one that the link reaches there is like, when it
 * is the member of that number: the class that is named as its machine; on the processor that the
 * profile is of, or where nobody knows, what the profile has for its number; else DISPATCH_UNKNOWN.
 */
int64_t joining_like(const struct joining *joining, int peer, int member);
/* Where it is, as it has said. */
const char *joining_host(const struct joining *joining, int peer);
/* Nobody is let in any more. Of one that has not begun (all zero): nothing. */
void joining_end(struct joining *joining);

/* Local to a worker: asks, and is told of the job (*letter, to be released) and of the master's
 * process. False with *failure set: not within so many seconds. Its clock is the master's from then
 * on. */
bool joining_ask(struct comm *comm, double patience_s, struct bundle *letter,
                 struct process *master, struct failure *failure);

#endif

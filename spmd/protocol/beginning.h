/*
 * How a run begins, by messages between the master and each worker alone, in three steps. A worker
 * is told what it has to know of the run (HERE), prepares, and answers that it can, or why it
 * cannot (READY); then all begin, or none (BEGIN). Nothing that a worker which comes later could
 * not do: what it is told then is the whole job (letter.h).
 *
 * Who needs nothing to be told, as in probes of a calibration, begins with the second step.
 */
#ifndef SPMD_PROTOCOL_BEGINNING_H
#define SPMD_PROTOCOL_BEGINNING_H

#include "spmd/protocol/run.h"
#include "spmd/transport/bundle.h"

/* Local to the master. That peer hears that a run is to begin, and this of it; or only why none
 * does, where *failure is set. */
void beginning_tell(const struct comm *comm, int peer, const struct bundle *told,
                    const struct failure *failure);
/* Local to a worker, the other side of it: *told, to be released, and the master's process. False
 * with *failure set: the master's; with none set: nothing has come until then, on clock_now
 * (HUGE_VAL: as long as the master lives). Out of memory is fatal. */
bool beginning_hear(const struct comm *comm, double until_s, struct bundle *told,
                    struct process *master, struct failure *failure);

/* Local to the master. That one, which has answered, begins as the member of that number; with
 * *failure set it does not. */
void beginning_admit(const struct comm *comm, int peer, int member, const struct failure *failure);
/* Local to the master. True: all can, and so can the master (*failure is not set); otherwise every
 * rank has the failure of the first that cannot. All that have answered are members, and with
 * run->apart each takes part by itself from here on, if all can. */
bool beginning_lead(const struct run *run, struct failure *failure);
/* Local to a worker, the other side of it: it can, or *failure says why it cannot. Returns its
 * number as a member; 0: not all can. */
int beginning_follow(const struct run *run, struct failure *failure);

#endif

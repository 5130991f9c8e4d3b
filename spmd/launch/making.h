/*
 * Making one job on all ranks: the master opens the input and describes the job in one message,
 * from which everybody opens it, and answers that it computes as the master does, or what is in the
 * way.
 */
#ifndef SPMD_LAUNCH_MAKING_H
#define SPMD_LAUNCH_MAKING_H

#include "spmd/input/input.h"
#include "spmd/job/job.h"
#include "spmd/transport/comm.h"

struct making {
    const struct comm *comm; /* borrowed */
    struct input *input;     /* the master's; of a staged job, every rank's */
    char *input_name;        /* owned; NULL: none */
    char digest[65];         /* input_sha256's, where copies had to be compared; "" otherwise */
    struct job job;
};

/* Collective. `values` are the same on every rank; `input` NULL: none. Values that depend on the
 * machine are those of the master's machine on all ranks. `level` (the master's; NULL elsewhere and
 * as a rule): of a search in levels, what one is made of, in place of the task's description. To be
 * released also on failure. */
bool making_start(struct making *making, const struct comm *comm, const struct scow_task *task,
                  const struct values *values, const char *input, const struct description *level,
                  struct failure *failure);
/* Collective. Another job on the same input, in place of the one there is, if any. */
bool making_again(struct making *making, const struct scow_task *task, const struct values *values,
                  const struct description *level, struct failure *failure);
/* Local. */
void making_release(struct making *making);

#endif

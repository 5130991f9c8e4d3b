/*
 * A worker's results on their way to a master that writes them: packed one package after the other,
 * and at most so many not yet taken. Where the master is slow, the worker waits before it sends
 * more.
 */
#ifndef SPMD_RUN_RETURNS_H
#define SPMD_RUN_RETURNS_H

#include "planner/base/failure.h"
#include "spmd/job/engine.h"
#include "spmd/run/message.h"
#include "spmd/transport/comm.h"

struct returns;

/* Local. `most`: results that may be not yet taken; for packages of `tasks` core tasks. NULL with
 * *failure set: out of memory. */
struct returns *returns_new(const struct comm *comm, const struct job *job, int most, int64_t tasks,
                            struct failure *failure);
/* Bytes of memory that they take, but for what tasks emit. */
double returns_memory(const struct job *job, int most, int64_t tasks);
/* Local. The results are free afterwards; *report says what will follow it. False with *failure
 * set: out of memory, or too much for one message. */
bool returns_pack(struct returns *returns, const struct package_results *results,
                  struct wire_result *report, struct failure *failure);
/* Local. Wait until what has been packed may be sent; false: that was so already. */
bool returns_await(struct returns *returns);
/* Local. Send it. */
void returns_send(struct returns *returns);
/* Local. Waits until everything is taken. Sets *returns NULL. */
void returns_free(struct returns **returns);

#endif

/*
 * A worker's results on their way to a master that writes them: packed one package after the other,
 * and at most so many on the way and not yet taken. Where the master is slow, the worker waits
 * before it sends more. Or they are kept until they are asked for, however many.
 */
#ifndef SPMD_PROTOCOL_RETURNS_H
#define SPMD_PROTOCOL_RETURNS_H

#include "planner/base/failure.h"
#include "spmd/job/engine.h"
#include "spmd/protocol/message.h"
#include "spmd/transport/comm.h"

struct returns;

/* Local. `most`: results that may be sent and not yet taken; for packages of `tasks` core tasks.
 * NULL with *failure set: out of memory. */
struct returns *returns_new(const struct comm *comm, const struct job *job, int most, int64_t tasks,
                            struct failure *failure);
/* Bytes of memory that they take, but for what tasks emit. */
double returns_memory(const struct job *job, int most, int64_t tasks);
/* Local. The results are free afterwards; *report says what will follow it. False with *failure
 * set: out of memory, or too much for one message. */
bool returns_pack(struct returns *returns, const struct package_results *results,
                  struct wire_result *report, struct failure *failure);
/* Local. The same of results that are packed already. */
bool returns_put(struct returns *returns, const void *packed, size_t size,
                 struct wire_result *report, struct failure *failure);
/* Local. Wait until what has been packed may be sent; false: that was so already. */
bool returns_await(struct returns *returns);
/* Local. Send it. */
void returns_send(struct returns *returns);
/* Local. Wait until everything that was sent is taken. */
void returns_finish(struct returns *returns);
/* Local. The same of one that is kept: instead. */
bool returns_keep(struct returns *returns, const struct package_results *results, int64_t index,
                  struct wire_result *report, struct failure *failure);
/* Local. Send what is kept of packages up to that number; waits until it is taken. */
void returns_give(struct returns *returns, int64_t index);
/* Bytes of memory that packages of so many core tasks in all take that are kept. */
double returns_kept_memory(const struct job *job, double packages, double tasks);
/* Local. Waits until everything that was sent is taken. Sets *returns NULL. */
void returns_free(struct returns **returns);

#endif

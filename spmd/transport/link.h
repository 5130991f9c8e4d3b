/*
 * What carries messages between ranks, and nothing of what they say: everything above sends,
 * receives and waits through this header, so that the same master and worker run over MPI
 * (link_mpi.c) and over a simulated network whose messages are late and whose ranks are killed
 * (tests/faults/link_simulated.c).
 *
 * Messages from one rank to another with the same tag arrive in the order of sending. Nothing here
 * waits, unless it says so, and nothing returns an error: a broken MPI ends the job, and a message
 * of a rank that is gone, or to it, may never be over.
 */
#ifndef SPMD_TRANSPORT_LINK_H
#define SPMD_TRANSPORT_LINK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A group of ranks, as this one takes part in it; copied freely. */
struct link {
    intptr_t handle;
};

/* A message on its way, or to come, or a step of all ranks together. All zero: there is none. It
 * stays where it is until it is over. */
struct link_request {
    bool pending;
    int peer;    /* of a message received: who sent it */
    size_t size; /* and its bytes */
    intptr_t handle;
};

/* A number that all ranks share. All zero: there is none. */
struct link_counter {
    intptr_t handle;
};

enum { LINK_ANYBODY = -1, LINK_NAME_SIZE = 256, LINK_VERSION_SIZE = 8192 };
/* The most bytes of one message. */
#define LINK_MOST ((size_t)1 << 30)

int link_rank(struct link link);
int link_size(struct link link);

/* Local. The bytes belong to the link until the request is over. */
void link_send(struct link link, const void *data, size_t bytes, int peer, int tag,
               struct link_request *request);
/* Local. The same, and over only when the other rank has begun to take it: who sends so never has
 * more under way than it knows of. */
void link_send_taken(struct link link, const void *data, size_t bytes, int peer, int tag,
                     struct link_request *request);
/* Local. At most `bytes`, from that rank or LINK_ANYBODY. */
void link_receive(struct link link, void *data, size_t bytes, int peer, int tag,
                  struct link_request *request);
/* Local. Is it over, or was there none? Lets all messages of this rank advance. */
bool link_test(struct link_request *request);
/* Local. A receive that is not wanted any more is over; one whose message has begun to arrive is
 * waited for. Of none: nothing. */
void link_cancel(struct link_request *request);
/* Local. Nobody asks any more whether it is over: its bytes stay where they are for ever. */
void link_forget(struct link_request *request);
/* Local. Lets all messages of this rank advance, whoever they are for. */
void link_progress(struct link link);
/* Local. Sleeps for so long at most, and no longer than until something may have come for this
 * rank. False where links cannot be told so, as over MPI: nobody has slept then. */
bool link_rest(struct link link, double most_s);
/* Local. Does the link know that the other rank is gone? What it has sent may still be to be
 * received. False where links cannot know, as over MPI. */
bool link_left(struct link link, int peer);

/* Collective: begun by all ranks in the same order, and over when all that it needs have come. */
void link_barrier(struct link link, struct link_request *request);
/* From one rank to all. */
void link_broadcast(struct link link, void *data, size_t bytes, int from,
                    struct link_request *request);
/* `bytes` of every rank, in rank order: to rank 0 (`all` is ignored elsewhere), or to all. */
void link_gather(struct link link, const void *mine, size_t bytes, void *all,
                 struct link_request *request);
void link_gather_all(struct link link, const void *mine, size_t bytes, void *all,
                     struct link_request *request);
/* To all. */
void link_least(struct link link, const int *mine, int *least, struct link_request *request);
void link_sum(struct link link, const int *mine, int *sum, struct link_request *request);

/* Collective, waits. A number of rank 0's, 0 at first, that any rank can add to without asking that
 * one, once all have begun; to be ended. False: this link has none. */
bool link_counter_begin(struct link link, struct link_counter *counter);
/* Local, one at a time. Add to it, as one step: *before, which the link has until the request is
 * over, is what it was. Where rank 0 is gone, it may never be over. */
void link_counter_add(struct link_counter *counter, int64_t more, int64_t *before,
                      struct link_request *request);
/* Collective, waits; local where `all` is false, for a rank that others may be missing of: then
 * nothing collective can follow. */
void link_counter_end(struct link_counter *counter, bool all);

/* Collective, waits. The ranks of this rank's node, in the same order; to be released by link_end.
 */
struct link link_node(struct link link);
/* Collective among those ranks of the link alone, who ascend and are all that call it; waits. They,
 * in the same order: of the others some may be gone. */
struct link link_among(struct link link, const int *ranks, int count);
void link_end(struct link *link);

/* Local. This rank's machine, and what carries the messages, by name. */
void link_machine(char name[LINK_NAME_SIZE]);
void link_version(char version[LINK_VERSION_SIZE]);
/* Local. All ranks end, with that exit status. */
_Noreturn void link_abort(struct link link, int status);

#endif

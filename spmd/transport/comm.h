/*
 * A link as scow uses it: waiting that lets others work, agreement on failures, one clock.
 *
 * MPICH polls without yielding, so every wait goes through clock_pause: with more ranks than cores
 * a plain MPI_Wait costs milliseconds. A broken link is fatal on every rank; nothing here returns
 * an error of it.
 */
#ifndef SPMD_TRANSPORT_COMM_H
#define SPMD_TRANSPORT_COMM_H

#include <stdbool.h>
#include <stddef.h>

#include "planner/base/failure.h"
#include "planner/base/process.h"
#include "spmd/transport/clock.h"
#include "spmd/transport/link.h"

/* What has become of another rank. */
enum comm_news {
    COMM_JOINED, /* it is ready to take part */
    COMM_LEFT,   /* it does not answer any more, as it had said */
    COMM_LOST    /* nor has it said that */
};

struct comm_event {
    enum comm_news news;
    int peer;
    struct process process; /* its own, where it has joined */
    char why[80];           /* it has left, or is lost */
};

/* Who sees what becomes of others: whether those that this rank depends on still live (liveness.h),
 * who joins (spmd/master/joining.h). */
struct comm_watch {
    void (*look)(
        void *self); /* called now and then while this rank waits or works; NULL: nothing */
    bool (*poll)(void *self, struct comm_event *event); /* comm_poll; NULL: tells of nobody */
    void *self;
    double next_s; /* on clock_now: no look before */
    struct comm_watch *next;
};

/* A group of ranks: rank 0 is its master. Nothing reaches for MPI_COMM_WORLD. */
struct comm {
    struct link link;
    int rank, size;
    /* Of a group of neighbours among the ranks of a job: how many stand before it, and how many
     * there are in all. Both 0: it has all of them. */
    int before, all;
    const int *places;   /* borrowed; of a group of ranks that are no neighbours: which rank of the
                          * job each of them is; NULL: as above */
    double offset_s;     /* master's clock minus this rank's */
    int workers_on_node; /* as comm_workers_on_node says; 0: it has to find out */
    int nodes;           /* as comm_nodes says; 0: it has to find out */
    bool first_on_node;  /* as comm_first_on_node says, where nodes are known */
    int node; /* 1 + the lowest rank on this rank's node, where nodes are known; 0: ask MPI */
    struct comm_watch *watches; /* borrowed; the last one that was added first; NULL: none */
    bool broken;                /* ranks are lost: nothing collective works, ending included */
    struct process_list others;
};

/* Local. No clock alignment yet. */
void comm_init(struct comm *comm, struct link link);
/* Collective, waits. The ranks of `whole` that say the same number, who are neighbours there unless
 * their places are set, with its clock and without a watch; its link is to be ended. */
void comm_split(struct comm *comm, const struct comm *whole, int number, int before);
/* Collective among those ranks of `whole` alone, who ascend; waits. With its clock and without a
 * watch; its link is to be ended. Ranks count anew. */
void comm_among(struct comm *comm, const struct comm *whole, const int *ranks, int count);
/* Local. Ranks of the job, and which of them a rank of this group is. */
int comm_all(const struct comm *comm);
int comm_place(const struct comm *comm, int rank);
/* Local. Is this rank the master of these? */
bool comm_leads(const struct comm *comm);
/* Collective. Measure every rank's offset to the master's clock by ping-pong; the exchange with
 * the shortest round trip counts (Cristian, Probabilistic clock synchronization, 1989). */
void comm_align_clocks(struct comm *comm);
/* Local. Seconds on the master's clock, monotonic. */
double comm_now(const struct comm *comm);

/* Local. It watches from now on, until it is left out; not to be moved meanwhile. */
void comm_watch_add(struct comm *comm, struct comm_watch *watch);
void comm_watch_remove(struct comm *comm, const struct comm_watch *watch);
/* Local. Let who watches look, if somebody does and its time has come. */
void comm_look(const struct comm *comm);
/* Local. Has something become of a peer? Each is told once. Cheap. */
bool comm_poll(const struct comm *comm, struct comm_event *event);
/* Local. clock_pause, and after some waiting comm_look and, where the link can, link_rest. */
void comm_pause(const struct comm *comm, struct pause *pause, const struct awaited *awaited);
/* Local. Wait until a request is over. */
void comm_wait(const struct comm *comm, struct link_request *request);
/* Local to the two ranks concerned. At most 1 GiB. */
void comm_send(const struct comm *comm, const void *data, size_t bytes, int rank, int tag);
void comm_receive(const struct comm *comm, void *data, size_t bytes, int rank, int tag);
/* Local. The same, until then on clock_now. False: that has not come by then, or is of another
 * size.
 */
bool comm_receive_until(const struct comm *comm, void *data, size_t bytes, int rank, int tag,
                        double until_s);
/* Local. An empty message to a rank that may not be there to take it: nobody waits for it. */
void comm_tell(const struct comm *comm, int rank, int tag);

/* Collective. */
void comm_barrier(const struct comm *comm);
/* Collective. From the master to all; any size. */
void comm_broadcast(const struct comm *comm, void *data, size_t bytes);
/* Collective. `bytes` from every rank, in rank order, into `all` on the master (ignored elsewhere).
 */
void comm_gather(const struct comm *comm, const void *mine, size_t bytes, void *all);
/* Collective. True when no rank has a failure; otherwise false, and every rank holds the sentence
 * of the lowest failed rank. */
bool comm_agree(const struct comm *comm, struct failure *failure);
/* Collective. The sum of what the ranks of this rank's node say. */
int comm_sum_on_node(const struct comm *comm, int mine);
/* Collective, unless comm_find_node has been called before. Ranks other than the master on this
 * rank's node, at least 1. */
int comm_workers_on_node(const struct comm *comm);
/* Collective. Find that and the two below out once and for all, from what the launcher says, or if
 * that cannot be trusted, from MPI. */
void comm_find_node(struct comm *comm);
/* Likewise. How many nodes the ranks are on. */
int comm_nodes(const struct comm *comm);
/* Likewise. Is this the first rank on its node, by rank? One is on each. */
bool comm_first_on_node(const struct comm *comm);

#endif

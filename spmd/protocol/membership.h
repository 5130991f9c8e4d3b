/*
 * The master's list of who takes part in a run: who lives, who has failed and said so, who is lost,
 * and what became of what they had. Whether they live, the link says (spmd/transport/liveness.h).
 *
 * A member is known by its number, from 1 on in the order of joining, by which packages, the trace
 * and places in the output count workers (0 is the master itself). Where the link reaches it is its
 * peer, which only this list knows: the master sees members, and as many as have joined.
 */
#ifndef SPMD_PROTOCOL_MEMBERSHIP_H
#define SPMD_PROTOCOL_MEMBERSHIP_H

#include <stdbool.h>
#include <stdint.h>

#include "planner/base/failure.h"
#include "planner/base/text.h"
#include "spmd/transport/liveness.h"

enum member_state {
    MEMBER_LIVES,
    MEMBER_FAILED, /* and said so: it gets no more packages, and answers */
    MEMBER_LOST
};

struct member {
    int peer; /* of the link */
    enum member_state state;
    struct process process;
    /* Of one that has come while the run went on. */
    char host[64];
    double came_s;           /* as losses' times */
    int64_t packages, tasks; /* that it has done */
};

struct loss {
    int member;
    double at_s;   /* on the master's clock from the first envelope's start */
    int64_t tasks; /* core tasks that it had and that others got */
    bool left;     /* as it had said: nobody looks for what was wrong */
    char why[240];
};

struct membership {
    const struct comm *comm;   /* borrowed */
    struct liveness *liveness; /* borrowed; NULL: nobody is looked after */
    const char *path;          /* borrowed; the output's, for sentences */
    const char *command;       /* borrowed; as which they speak */
    int expected;              /* peers that the link has from the beginning on */
    int workers;               /* that can be given packages, the first ones */
    struct member *members;    /* owned; the one with number 1 first */
    int *numbers;              /* owned; by peer; 0: it is none, nor are those beyond */
    struct loss *losses;       /* owned, in order of time; room for one of each member */
    struct process *processes; /* owned; room for one of each member */
    int count, loss_count;
    size_t room, loss_room, process_room, number_room;
    bool comes;      /* members come while the run goes on */
    double origin_s; /* of the losses' times, on the communicator's clock; 0: not yet */
};

struct member_event {
    enum comm_news news;
    int peer;
    int member; /* 0: memory ended before one that joins could be listed */
};

/* Borrowed. */
struct membership_setup {
    const struct comm *comm;
    struct liveness *liveness; /* NULL: nobody is looked after */
    const char *path;
    const char *command; /* as which sentences speak: "scow run" */
    int workers; /* that can be given packages, the first ones; others stand by for nothing */
};

/* All of this is local to the master, which does not move it. */

/* Nobody takes part yet. */
void membership_init(struct membership *membership, const struct membership_setup *setup);
/* Nothing where it has not been initialised (all zero). */
void membership_release(struct membership *membership);
/* That peer takes part from now on: it is there for certain, and holds its place in the output, if
 * it has one. Returns its number; that of a peer which takes part already stays. 0: out of memory.
 */
int membership_join(struct membership *membership, int peer, const struct process *process);
/* The member that the link reaches there; 0: there is none. */
int membership_of(const struct membership *membership, int peer);
int membership_peer(const struct membership *membership, int member);
/* Which rank of the job that member is, for the trace, places in the output and people, also where
 * the ranks of others come before; of 0: the master's own. */
int membership_rank(const struct membership *membership, int member);

/* It has come from that machine, after so many seconds of the run. */
void membership_come(struct membership *membership, int member, const char *host, double at_s);
/* It has done a package of so many core tasks. */
void membership_did(struct membership *membership, int member, int64_t tasks);
/* The first envelope began then. */
void membership_origin(struct membership *membership, double origin_s);
bool membership_lives(const struct membership *membership, int member);
/* It does not answer any more. */
bool membership_lost(const struct membership *membership, int member);
/* Workers that can be given packages. */
int membership_living(const struct membership *membership);
/* Something is to come from that member from now on; or nothing is. And it has been heard. */
void membership_await(struct membership *membership, int member, bool awaited);
void membership_heard(struct membership *membership, int member);
/* Has something become of a member, or of a peer that becomes one? One that is lost is listed, and
 * in that state; one that joins is to be told so (beginning_admit). Cheap. */
bool membership_poll(struct membership *membership, struct member_event *event);
/* A worker is lost, and hears so should it still be there, or has failed, for that reason. */
void membership_lose(struct membership *membership, int member, enum member_state state,
                     const char *why);
/* Of one that is listed. */
const char *membership_why(const struct membership *membership, int member);
/* What is known of a loss that is listed: now, with so many core tasks under way. Says so on
 * standard error, even to who wants no progress: part of the machine is gone. */
void membership_note(struct membership *membership, int member, int64_t tasks);
/* A loss, and what is known of it, that another membership of the same run has listed. */
void membership_take(struct membership *membership, const struct loss *loss,
                     enum member_state state);
/* True: some are lost (not: have failed), and *others gets their processes, owned; otherwise those
 * of all. Once. */
bool membership_processes(struct membership *membership, struct process_list *others);

/* The peers that are lost, in the order in which they have joined; owned; NULL: out of memory. */
int *membership_lost_peers(const struct membership *membership, int *count);

/* The losses, a line each, and as a JSON array; owned. NULL: there are none, or memory ended. */
char *membership_lines(const struct membership *membership);
char *membership_json(const struct membership *membership);
/* Who has come, what each did, and when and why it left, as a JSON array; owned. NULL: all were
 * there from the beginning, or memory ended. */
char *membership_came_json(const struct membership *membership);

#endif

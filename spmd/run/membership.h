/*
 * The master's view of who takes part in a run: who lives, who has failed and said so, who is lost.
 *
 * A worker says every second that it lives, while it waits and between pieces of its work. One that
 * has been silent for a few of them is looked for: where its process is gone, it is lost. One that
 * is there and says nothing (it is stopped, or cut off) is lost after its deadline, which follows
 * from the longest package: as planned, and as measured so far.
 */
#ifndef SPMD_RUN_MEMBERSHIP_H
#define SPMD_RUN_MEMBERSHIP_H

#include <stdbool.h>
#include <stdint.h>

#include "planner/base/failure.h"
#include "planner/base/text.h"
#include "spmd/transport/comm.h"

enum member_state {
    MEMBER_LIVES,
    MEMBER_FAILED, /* and said so: it gets no more packages, and answers */
    MEMBER_LOST
};

struct member {
    enum member_state state;
    struct process process;
    bool seen;      /* its place in the file was seen taken */
    bool awaited;   /* something is to come from it */
    double heard_s; /* of it, or since when something is awaited */
};

struct loss {
    int rank;
    double at_s;   /* on the master's clock from the first envelope's start */
    int64_t tasks; /* core tasks that it had and that others got */
    char why[240];
};

struct membership {
    const struct comm *comm; /* borrowed */
    struct comm_watch gate;  /* before the first package */
    const char *path;        /* borrowed; the output's, for sentences */
    const char *command;     /* borrowed; as which they speak */
    int lock;                /* borrowed */
    int workers;             /* that can be given packages, the first ones */
    struct member *members;  /* owned, by rank; that of the master is not used */
    struct loss *losses;     /* owned, in order of time; room for one of each worker */
    int loss_count;
    double least_s, longest_s; /* deadline, and the longest package; 0: not known */
    bool working;              /* packages are under way */
    double looked_s;
    double origin_s;           /* of the losses' times, on the communicator's clock; 0: not yet */
    struct process *processes; /* owned; room for one of each worker */
    struct link_request alive;
};

struct membership_setup {
    const struct comm *comm;
    const char *path;
    const char *command; /* as which sentences speak: "scow run" */
    int workers;    /* that can be given packages, the first ones; others stand by for nothing */
    int lock;       /* the master's, on the output; negative: none */
    double least_s; /* no deadline is shorter; 0: nobody is looked for */
    double predicted_s; /* the longest package's work by the plan; 0: it does not say */
};

/* All of this is local to the master, which does not move it. */

/* Nobody takes part yet. False with *failure set: out of memory; to be released also then. */
bool membership_init(struct membership *membership, const struct membership_setup *setup,
                     struct failure *failure);
/* Nothing where it has not been initialised (all zero). */
void membership_release(struct membership *membership);
/* A worker takes part from now on. It holds its place in the output, where it has one. */
void membership_join(struct membership *membership, int rank, const struct process *process);

/* After which silence a worker is lost whose longest package takes that long (0: nobody knows), and
 * none is that has been silent for less than `least_s`. */
double membership_deadline(double least_s, double longest_s);

/* From here until it is told otherwise, looking is done by membership_find; before, a rank that is
 * gone ends the run at once, with a sentence: somebody waits for it in a collective call. */
void membership_open(struct membership *membership);
/* Packages are under way, or are not any more: then silence needs no long patience. */
void membership_work(struct membership *membership, bool working);
/* The first envelope began then. */
void membership_origin(struct membership *membership, double origin_s);
bool membership_lives(const struct membership *membership, int rank);
/* It does not take part in collective calls any more. */
bool membership_lost(const struct membership *membership, int rank);
/* Workers that can be given packages. */
int membership_living(const struct membership *membership);
/* Is one gone, as far as that can be seen, whether that is known already or not? Who is will be
 * found without waiting for its silence. */
bool membership_misses(struct membership *membership);
/* Something is to come from that rank from now on; or nothing is. */
void membership_await(struct membership *membership, int rank, bool awaited);
void membership_heard(struct membership *membership, int rank);
/* A package took that long from its start to its end. */
void membership_took(struct membership *membership, double seconds);
/* The next worker that has turned out to be lost, now in that state and listed; 0: none. Cheap:
 * looks a few times a second. */
int membership_find(struct membership *membership);
/* A worker is lost, or has failed, for that reason. */
void membership_lose(struct membership *membership, int rank, enum member_state state,
                     const char *why);
/* Of one that is listed. */
const char *membership_why(const struct membership *membership, int rank);
/* What is known of a loss that is listed: now, with so many core tasks under way. Says so on
 * standard error, even to who wants no progress: part of the machine is gone. */
void membership_note(struct membership *membership, int rank, int64_t tasks);
/* True: some are lost (not: have failed), and *others gets their processes, owned; otherwise those
 * of all. Once. */
bool membership_processes(struct membership *membership, struct process_list *others);

/* The losses, a line each, and as a JSON array; owned. NULL: there are none, or memory ended. */
char *membership_lines(const struct membership *membership);
char *membership_json(const struct membership *membership);

#endif

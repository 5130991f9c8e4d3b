/*
 * Who is at the other ends of a link, and whether they live: once, for every link and for every
 * command.
 *
 * The master and its workers tell each other every second that they live, while they wait and
 * between pieces of their work. At first all need all: before a run's packages are under way, and
 * while a calibration measures, somebody waits for everybody, and one that is gone would be waited
 * for for ever. So who hears nothing for too long, or sees that a process is gone, says so, and all
 * leave. From liveness_part on each takes part by itself: the master hears by comm_poll that a
 * worker is lost; a worker looks whether the master is there, and leaves when it is
 * not, or when it is told that it has been given up.
 *
 * Whether a process is there is asked of the output's file system (file_lock.h), because MPI cannot
 * say: messages to a dead rank seem to arrive. Where that shows nobody, the system is asked, which
 * knows those on the same node. One that is there and says nothing (it is stopped, or cut off) is
 * lost after its deadline, which follows from the longest package: as planned, and as measured so
 * far.
 */
#ifndef SPMD_TRANSPORT_LIVENESS_H
#define SPMD_TRANSPORT_LIVENESS_H

#include <stdbool.h>

#include "planner/base/failure.h"
#include "spmd/transport/comm.h"
#include "spmd/transport/wire.h"

/* For sentences; borrowed. */
struct liveness_words {
    const char *program; /* "scow run" */
    const char *path;    /* the output's */
    const char *state;   /* of the work, while all need all: "there is no package yet" */
    const char *again;   /* what to do to go on: "run the same again" */
    bool goes_on;        /* without these ranks and their master, too */
};

/* Called before this rank leaves because another is gone. */
struct liveness_leaving {
    void (*call)(void *self); /* NULL: there is nothing to do */
    void *self;
};

/* Another rank: a worker's only one is the master. */
struct liveness_peer {
    struct process process; /* all zero: not heard of yet */
    bool seen;              /* its place was seen taken when it was there for certain */
    bool awaited;           /* something is to come from it */
    bool lost;              /* and not looked after any more */
    bool last;              /* it has said its last word */
    enum wire_word leaves;  /* WIRE_GOES, WIRE_ENDS: it has said that it leaves */
    double left_s;          /* its end of the link was seen to be gone; 0: it was not */
    double heard_s;         /* of it, or since when something is awaited */
};

struct liveness {
    struct comm_watch watch;
    struct comm *comm; /* borrowed; NULL: over, or not begun */
    struct liveness_words words;
    struct liveness_leaving leaving;
    struct liveness_peer *peers; /* owned, by rank; that of this rank is not used */
    struct process self;
    bool apart;               /* each takes part by itself */
    bool silent;              /* this rank says no more that it lives */
    bool working;             /* packages are under way */
    int lock;                 /* owned; on the output; negative: none */
    double usual_s, most_s;   /* silence that is borne while all need all: usually, and by now */
    double least_s;           /* no deadline is shorter */
    double longest_s;         /* package; 0: not known */
    double told_s, looked_s;  /* when this rank said something, and looked, last */
    struct wire_present word; /* being received */
    struct link_request listening;
};

/* Collective. From here on every wait for others looks after them, and whoever is silent for
 * `most_s` ends the command with FAILURE_STOPPED on all ranks. Does not move until liveness_end.
 * False with *failure set: out of memory, on all ranks. */
bool liveness_begin(struct liveness *liveness, struct comm *comm,
                    const struct liveness_words *words, double most_s, struct failure *failure);
/* Collective while all need all, local from liveness_part on; also where liveness_begin has failed,
 * or nothing has begun (zero), or it is over. */
void liveness_end(struct liveness *liveness);

/* Everything below is local, and of NULL, where nobody is looked after, nothing. */

/* From here on this rank bears silence of so long; 0: of as long as in the beginning. */
void liveness_patience(struct liveness *liveness, double most_s);
/* After which silence a worker is lost whose longest package takes that long (0: nobody knows), and
 * none is that has been silent for less than `least_s`, or for less than two seconds, since all say
 * every second that they live. */
double liveness_deadline(double least_s, double longest_s);
/* This rank shows by its place in that file that it lives, and sees by theirs whether others do. */
void liveness_place(struct liveness *liveness, const char *path);
/* That peer is there for certain: its place in the file, if it holds one, is taken now. */
void liveness_join(struct liveness *liveness, int peer, const struct process *process);
/* Each takes part by itself from now on. No deadline is shorter than least_s, and the longest
 * package takes longest_s by the plan (0: it does not say). */
void liveness_part(struct liveness *liveness, double least_s, double longest_s);

/* ---- at the master, from liveness_part on: comm_poll tells of those that are lost ---- */

/* Packages are under way, or are not any more: then silence needs no long patience. */
void liveness_work(struct liveness *liveness, bool working);
/* Something is to come from that peer from now on; or nothing is. */
void liveness_await(struct liveness *liveness, int peer, bool awaited);
void liveness_heard(struct liveness *liveness, int peer);
/* A package took that long from its start to its end. */
void liveness_took(struct liveness *liveness, double seconds);
/* That peer is given up, whyever: should it still be there, it hears so. */
void liveness_give_up(struct liveness *liveness, int peer);

/* ---- at a worker, from liveness_part on ---- */

/* Before something is written: does not return where the master has given this worker up and others
 * may be doing its work. */
void liveness_pass(struct liveness *liveness);
/* This rank says nothing any more: all that the master waits for has been said. */
void liveness_hush(struct liveness *liveness);
/* The same, and that this rank leaves, as it was `asked` to, or for want of time. */
void liveness_leave(struct liveness *liveness, bool asked);

/* Is a rank of the run gone, or may one be, for this one sees nobody, whether that is known already
 * or not? Then what the launcher tells all ranks may not be meant for this one. Of those that the
 * master misses it hears soon without waiting for their silence. */
bool liveness_misses(struct liveness *liveness);

#endif

/*
 * Several masters side by side in one run: each has a star of workers, packages and a membership of
 * its own, and this is what they tell each other. The first one, rank 0, hears a few times a second
 * how far the others are, lets core tasks move to stars that have nothing more to do
 * (planner/dispatch/moves.h), tells all to end where one of them must, and takes over what their
 * stars came to, so that the run ends as if it had been one master's.
 *
 * A worker that is lost is its star's business, and where it was the star's last one, other stars
 * do what it had. Where a master is lost nobody knows what its star did last, so that the run ends,
 * with all that is in the output, to be gone on with.
 *
 * In a tree (execute_star.c) the others are masters of groups, which get their packages from the
 * master above them and report to it (master_relay.c): what is told here of what they have done is
 * what is not in these reports, and nothing moves between them. Where one is lost, what its group
 * had goes to others of the master above it.
 */
#ifndef SPMD_MASTER_MASTERS_H
#define SPMD_MASTER_MASTERS_H

#include "planner/dispatch/moves.h"
#include "spmd/protocol/run.h"

/* On its way from another master to the first one. */
struct wire_master {
    int64_t tasks, failed; /* core tasks done, and of them failed */
    int64_t ends;          /* the run must end: it has failed, or its star was asked to stop */
    int64_t bytes;         /* its star has ended: of what it came to, which follow; 0: it has not */
    struct dispatch_share share; /* what its star has left */
    int64_t orders;              /* that it has carried out */
};

/* More ranges are not moved at a time. */
enum { ORDER_PARTS = 1024 };
enum move_order {
    MOVE_GIVE, /* half of what its star has left, to be done elsewhere */
    MOVE_TAKE, /* these core tasks are its star's from now on */
    MOVE_CLOSE /* nothing more is to come */
};

struct wire_order {
    int64_t kind, count; /* enum move_order; parts, of which no more are sent */
    struct dispatch_part parts[ORDER_PARTS];
};

/* What the first master knows of another one. */
struct master_told {
    struct wire_master last;
    char *came; /* owned; what its star came to, complete when `coming` is over; NULL: not yet */
    struct link_request coming;
    bool ended, released, lost;
    struct wire_order *order, *given; /* owned; the last one to it, and what it gives; NULL: none */
    struct link_request ordering, giving;
    int64_t orders; /* that it has been sent, but for the last one of all */
    int gives_to;   /* the master to which what it gives goes */
    bool gives;     /* it has been asked to give */
    bool gets;      /* something is about to be sent to it */
};

/* On every master. */
struct masters {
    const struct comm *comm;    /* borrowed; of all ranks */
    struct membership *members; /* borrowed; the first one's, of all ranks by their numbers */
    struct liveness *liveness;  /* borrowed; of this one's star; NULL: nobody is looked after */
    const int *ranks;           /* borrowed; of the masters, by number */
    int count;
    bool tree;                   /* the others are masters of groups, below the first one */
    const int *parents;          /* borrowed; then: the number of the master above each */
    const char *until;           /* borrowed; who says when the run must have ended */
    struct dispatch *dispatch;   /* borrowed; its star's, recovering and open; NULL: its star has
                                  * ended, or not begun */
    int number;                  /* of this one, from 0 */
    struct master_told *told;    /* owned; the first one's, by number */
    struct moves_star *stars;    /* owned; the first one's, while it looks at them */
    struct moves_list moves;     /* owned; the first one's: what has moved, on its clock */
    struct wire_master message;  /* to or from another one */
    struct link_request request; /* with it */
    struct link_request release; /* another one's: the first one's word to end */
    struct wire_order *order;    /* owned; another one's: what it is told to do */
    struct link_request ordered;
    struct wire_order *given; /* owned; another one's: what it gives */
    struct link_request giving;
    int64_t orders; /* another one's: carried out */
    double tell_s;  /* another one's: when it tells next how far it is, by the run's time */
    bool watches;   /* the first one's: the others' silence */
    bool ending;    /* all shall end */
    bool closed;    /* all is done, and no star gets anything more */
    bool vain;      /* no worker lives, and something is left */
    int64_t elsewhere_tasks, elsewhere_failed; /* the first one's: what the others have done */
};

/* How far this master's own star is. */
struct masters_own {
    int64_t tasks, failed;
    bool ends;    /* as in struct wire_master */
    double now_s; /* of the run's time */
};

/* All local to a master. */

/* Do stars do each other's work, so that one without workers needs not fail? Of NULL: there is one
 * master. */
bool masters_share_work(const struct masters *masters);

/* False: out of memory; to be released all the same. It does not move until masters_release. */
bool masters_init(struct masters *masters, const struct comm *comm, const int *ranks, int count,
                  int number);
void masters_release(struct masters *masters);
/* Packages of its star are handed out by that dispatch, which others may have a part of. */
void masters_begin(struct masters *masters, struct dispatch *dispatch);
/* Called often while packages are under way: hears and tells; never waits. True: this master shall
 * hand out nothing more. */
bool masters_hear(struct masters *masters, const struct masters_own *own);
/* Of a tree: the master of a group on that rank is lost to it, so that the first one does not wait
 * for it, whatever is still seen of its process. What is lost to others the first one finds out by
 * itself. */
void masters_lose(struct masters *masters, int rank, const char *why);
/* Has it something to tell, or the first one to see to, that others may wait for? Then it does not
 * pause before masters_hear; but while what it has said before is on its way, that is awaited. */
bool masters_have_news(struct masters *masters);
/* When, by the run's time, another one tells how far it is, whether there is news or not; HUGE_VAL:
 * what it has said before is on its way, or it is the first one. */
double masters_tell_s(struct masters *masters);
/* What it waits for, who has nothing else to do. */
void masters_await(struct masters *masters, struct awaited *awaited);
/* Has its star nothing left, so that it only waits for others? */
bool masters_idle(const struct masters *masters);
/* Its star has ended, with that failure or none. Of the first one: waits until all others have, or
 * are lost, and adds what they came to; `idle` is called meanwhile. Of another one: tells that, and
 * waits for the first one's word. */
void masters_join(struct masters *masters, const struct run *run, struct run_outcome *outcome,
                  const struct progress_tick *idle, struct failure *failure);

#endif

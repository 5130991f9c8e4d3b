/*
 * The master's parts among themselves. Nobody else includes this.
 */
#ifndef SPMD_MASTER_MASTER_STATE_H
#define SPMD_MASTER_MASTER_STATE_H

#include "spmd/master/outstanding.h"
#include "spmd/master/pending.h"
#include "spmd/master/ports.h"
#include "spmd/protocol/message.h"
#include "spmd/protocol/run.h"
#include "spmd/transport/outbox.h"

/* What is known of a worker's start. */
struct master_start {
    bool reported; /* it has reported a package that counts */
    bool told;     /* it has reported a package */
    bool known;    /* its start is in the trace */
    int count;
    struct trace_correction first[TRACE_CORRECTIONS_MOST]; /* its first package's events, as they
                                                            * are in the trace */
};

/* What the others have come to, on its way to a worker. */
struct master_others {
    struct link_request sending;
    struct scow_others others;
};

/* What a worker has told of its core tasks. */
struct master_counts {
    int64_t finished, failed;
    struct master_others *told; /* owned; NULL: nothing */
    bool anew;                  /* since the last time when all had */
    int returning;              /* reports of it that wait for their results */
    bool cancelled;             /* it has been told to stop computing */
};

struct master_returns;
struct master_own;
struct master_counted;
struct master_relay;
struct master_groups;

struct master {
    const struct run *run;
    struct dispatch *dispatch;
    struct progress *progress;
    struct outbox *outbox;
    struct wire_result *report; /* owned; being received, a reduction's state after it */
    size_t report_size;         /* the most */
    struct link_request receiving;
    struct run_outcome *outcome;
    struct failure *failure;
    struct outstanding outstanding; /* packages that are to be reported */
    int64_t sent;                   /* how many packages */
    int64_t events;                 /* of the trace so far */
    double origin_s;                /* the first envelope's start */
    double left_s;                  /* when the package that is being reported left */
    struct master_start *starts;    /* owned, by worker */
    double port_free_s;             /* by the profile, where packages leave one after the other */
    struct ports *ports;            /* owned; of a job that sleeps; NULL otherwise */
    double busy_s;                  /* there: its last operation's end */
    double looked_s;                /* all that was due by then has been seen to */
    double carried_s;               /* when it began to send a package by its own processor */
    struct pending pending;         /* reports on an emulated network */
    struct counts_sum counts;       /* of all workers */
    struct scow_others all;         /* when every one at work had told anew */
    struct master_counts *workers;  /* owned; one for each worker */
    struct master_returns *returns; /* owned; NULL: workers write */
    struct master_own *own;         /* owned; NULL: it computes nothing itself */
    struct master_counted *counted; /* owned; NULL: workers take no packages by themselves */
    struct master_relay *relay;     /* owned; NULL: no master is above this one */
    struct master_groups *groups; /* owned; NULL: below this one there are none, or no reduction */
    bool sharing;                 /* some worker wants to know of others */
    bool begun;                   /* the run's time has */
    bool asked;                   /* a worker has been asked to stop */
    bool handed_out; /* everything has been handed out, and is reported where it can be lost */
};

/* Each file calls only files that stand above it here, except the three that wait for each other.
 */

/* ---- master_trace.c: the trace ---- */

/* An event of the run's trace. */
void master_event(struct master *master, int member, enum operation operation,
                  const struct package *package, double start_s, double end_s);

/* ---- master_start.c: how long workers started ---- */

/* The start of the result's worker, once it is known: into the trace, out of what it computed
 * first. */
void master_start_trace(struct master *master, const struct wire_result *report);
/* At the end: what has not shown for how long it started, for it has had single tasks alone, is
 * taken to have computed its first package as fast as the profile says. */
void master_starts_settle(struct master *master);
/* When the package at hand was really begun, as far as is known or expected. */
double master_started_s(const struct master *master, const struct wire_result *report);

/* ---- master_peers.c: members ---- */

/* Where the link reaches that member. */
int master_peer(const struct master *master, int member);
/* Does that member get packages? */
bool master_counts_on(const struct master *master, int member);
/* Is it there, to be told something? */
bool master_reaches(const struct master *master, int member);
/* That member was lost while it worked on these core tasks. */
void master_loss_note(struct master *master, int member, const struct losses_row *row);
/* Has this rank been asked to stop, and not only told that another one has died, or a worker? */
bool master_asked(const struct master *master);

/* Packages that come from a master above this one (master_relay.c); without it, nothing. */

/* False with *failure set: out of memory; release all the same. */
bool master_relay_init(struct master *master, struct failure *failure);
void master_relay_release(struct master *master);
/* Take in the next package, when the one before is handed out, or hear that there is none. */
void master_relay_take(struct master *master);
/* What ends the waiting: the next package, where one can be taken in. */
void master_relay_await(const struct master *master, struct awaited *awaited);
/* What is known of a package that is done. */
struct relay_done {
    const struct summary *summary;
    const struct rejection *rejection; /* of the first that failed, where one has */
    const void *state;                 /* of a reduction; NULL: nothing is in it */
    double end_s;
};
/* A package of this master's own, or a core task that has been given up, is done. */
void master_relay_done(struct master *master, const struct package *package,
                       const struct relay_done *done);
/* Workers have stopped: what is not done is acknowledged, until the master above says stop. */
void master_relay_finish(struct master *master);

/* What groups below this master have reported of a reduction (master_groups.c); where there is
 * none, nothing. */

/* False with *failure set: out of memory, or the output cannot be read; release all the same. */
bool master_groups_init(struct master *master, struct failure *failure);
void master_groups_release(struct master *master);
/* A package of that group is done. */
void master_groups_take(struct master *master, int member, const struct package *package,
                        const void *state);
/* That group is lost, or gets nothing any more, with packages that it has not reported: what its
 * workers have done of these does not count. */
void master_groups_lost(struct master *master, int member);

/* Packages that workers take by a counter (master_counted.c); without that, nothing. */

/* False with *failure set: out of memory; release all the same. */
bool master_counted_init(struct master *master, struct failure *failure);
void master_counted_release(struct master *master);
/* The workers begin. */
void master_counted_begin(struct master *master);
/* Does that member take packages by itself, or, of 0, does any? */
bool master_counts(const struct master *master, int member);
/* The package that it says that it has done, if it can be; NULL: it cannot. */
const struct package *master_counted_expect(const struct master *master, int member,
                                            const struct wire_result *report);
/* It is reported. */
void master_counted_done(struct master *master, const struct package *package);
/* That member takes no more; where no living one does, the dispatch hands out what nobody has
 * reported. */
void master_counted_over(struct master *master, int member);
/* That member is lost (at_work: maybe by what it was working on), and had so many core tasks for
 * certain. */
int64_t master_counted_lost(struct master *master, int member, bool at_work);
/* Where there is a time by which all must have ended, and what is next would not: nobody takes it,
 * and the dispatch hands out what still fits. */
void master_counted_watch(struct master *master);
/* Nobody shall take any more. */
void master_counted_close(struct master *master);

/* Results that workers return; without them, nothing (master_returns.c). */

/* False: out of memory. */
bool master_returns_init(struct master *master);
void master_returns_release(struct master *master);
/* A report that holds, copied. False with a failure set: out of memory. */
bool master_returns_add(struct master *master, int member, const struct wire_result *report);
/* That worker has been told to stop, and returns what it keeps. */
void master_returns_stop(struct master *master, int member);
/* Core tasks that are computed, of workers that keep their results. */
int64_t master_returns_kept(const struct master *master);
/* Packages that the worker has and has not reported. */
int64_t master_returns_unreported(const struct master *master, int member);
/* That member is lost. One that has told of trouble of its own has nothing left here: it reports
 * nothing after that. */
void master_returns_drop(struct master *master, int member);
/* Is something to come, or to be written? */
bool master_returns_wait(const struct master *master);

/* The ports of a master that sleeps; without a job that does, nothing (ports.c). */

/* False: out of memory. */
bool master_ports_init(struct master *master);
/* The run begins. */
void master_ports_begin(struct master *master);
/* That report of the worker's oldest package has come. */
void master_ports_done(struct master *master, int member, const struct wire_result *report);
/* That worker gets nothing more. */
void master_ports_drop(struct master *master, int member);

/* ---- master_losses.c: members that are lost, or join ---- */

/* Those that do not answer any more are lost, and those that are ready to take part are members. */
void master_members(struct master *master);
/* That worker is lost (at_work: maybe by what it was working on), or has trouble of its own: what
 * it had goes to others. Without others, or where losses end the run, a failure is set. */
void master_lose(struct master *master, int member, const char *why, bool at_work);
void master_retire(struct master *master, int member, const struct failure *trouble);

/* ---- master_results.c: what comes back ---- */

/* Ready for the next result. */
void master_listen(struct master *master);
/* A message of that member has come, of so many bytes. */
void master_report_take(struct master *master, int member, size_t size);
/* Of a worker that does not see the output: what it works on now, into that. */
void master_flight_note(const struct master *master, int member);
/* What that worker has reported, which is its oldest package's, holds: all that is of it is done,
 * and its results are written, or could not be, and count for nothing. */
void master_report_settle(struct master *master, int member, const struct wire_result *report,
                          bool written);
/* Done core tasks count, with the reduction over them (NULL: there is none); `rejection` is of the
 * first of them that failed, if any has. */
void master_done_take(struct master *master, const struct summary *summary,
                      const struct rejection *rejection, const void *state);
/* Nobody is told any more. */
void master_others_release(struct master *master);

/* ---- master_waiting.c, master_collecting.c, master_ports.c: while the master waits ---- */

/* Take in every result that has come, and find out who is lost; never waits. */
void master_hear(struct master *master);
/* It does nothing: it hears, and takes in what there is. */
void master_idle(struct master *master);
/* Nothing to do before a result comes, a package may leave, or it is due_s since the run began. */
void master_pause(struct master *master, struct pause *pause, double due_s);
/* Until then it does something, and hears. */
void master_await(struct master *master, double end_s);
/* Of a job that sleeps: the master's own part of an operation that began then. */
void master_sleep(struct master *master, enum operation operation, const struct package *package,
                  double start_s);
/* Seconds until something is due there at some time of the clock; at once where it has become due
 * since the master looked. 0: that has been seen to, or is never. */
double master_left_s(const struct master *master, double due_s);
/* Called while the outbox is waited for: the master is idle meanwhile. */
struct outbox_idle master_outbox_idle(struct master *master);
/* Wait for a buffer of the outbox. Borrowed until something is posted. */
void *master_claim(struct master *master);

/* Results that workers return are asked for, received and written; without them, nothing. */

/* The dispatch has answered that: ask workers that keep results to return them, where it is time.
 */
void master_returns_ask(struct master *master, enum dispatch_answer answer);
/* That worker has been sent a package: where it gets no other one, it is asked next. */
void master_returns_sent(struct master *master, int member);
/* Let results come in; never waits, and writes nothing. */
void master_returns_hear(struct master *master);
/* Write and settle all that is there. */
void master_returns_collect(struct master *master);
/* Results that are being received end a pause, too. */
void master_returns_await(const struct master *master, struct awaited *awaited);
/* Seconds until an emulated port has carried what is there; 0: nothing is. */
double master_returns_due_s(const struct master *master);
/* When the next results that wait for an emulated port can go on it; HUGE_VAL: none do. */
double master_returns_next_s(const struct master *master);
/* They go on it. */
void master_returns_carry(struct master *master);

/* What moves over emulated ports. In a job that does not sleep these do nothing. */

/* Where it is the processor that sends: it does, when the package may go. False with a failure set:
 * out of memory. */
bool master_ports_carry(struct master *master, const struct package *package);
/* When the package that is to be posted leaves, as outbox_post has it. */
double master_ports_departure(struct master *master, const struct package *package);
/* What may begin on a port by now begins. */
void master_ports_move(struct master *master);
/* Seconds until the next may; 0: nobody knows, or it may already. */
double master_ports_due_s(const struct master *master);

/* What the master computes itself; where that is nothing, these do nothing. */

/* False with *failure set: out of memory, or the task could not start; release all the same. */
bool master_own_init(struct master *master, struct failure *failure);
void master_own_release(struct master *master);
/* Compute the next core task, in place of waiting. False: there is none to begin now. */
bool master_own_work(struct master *master);
/* Are some not done? */
bool master_own_left(const struct master *master);

/* ---- master.c: the run ---- */

/* The run's time begins now, unless it has. */
void master_begin(struct master *master);

#endif

/*
 * A run's parts among themselves: what they share (execution_state.c), what comes before anything
 * is written (execute_prepare.c), the output (execute_output.c), the master's part while packages
 * are under way (execute_lead.c), and the order of all of it (execute.c). Nobody else includes
 * this.
 */
#ifndef SPMD_RUN_EXECUTION_STATE_H
#define SPMD_RUN_EXECUTION_STATE_H

#include "spmd/input/digest.h"
#include "spmd/launch/making.h"
#include "spmd/launch/method.h"
#include "spmd/master/joining.h"
#include "spmd/master/masters.h"
#include "spmd/protocol/counting.h"
#include "spmd/protocol/membership.h"
#include "spmd/run/decider.h"
#include "spmd/run/execute.h"
#include "spmd/run/live_status.h"
#include "spmd/run/resume.h"
#include "spmd/transport/bundle.h"

/* Of a tree, where this rank is the master of a group: its part in the star of the master above
 * it, as a worker. */
struct execution_above {
    struct comm comm;
    int number, depth; /* of that star */
    int *places;       /* owned; which rank of the job each of the star's is */
    struct liveness liveness;
    struct process master;
    struct run run;
};

/* Who waits in one of these looks after the other, too. */
struct execution_beside {
    struct comm *waits; /* NULL: nobody does */
    struct comm_watch watch;
};

enum { BESIDE_MOST = 6 };

/* Of several masters, side by side or in a tree, the one of this rank, with its workers. */
struct execution_star {
    int number, before, size; /* of the star, from 0; ranks before it; its ranks. size 0: there is
                               * one master of all */
    bool tree;                /* the others are masters of groups, star 0 is of some of these */
    bool heads;               /* its workers are masters of groups */
    int depth;                /* of a tree: levels above it */
    int *places;  /* owned; where it has masters of groups, which rank of the job each of
                   * its ranks is */
    int *behind;  /* owned; then: of each rank of the job, as struct run has it */
    int *ranks;   /* owned; of the masters, by number */
    int *parents; /* owned; of a tree: the number of the master above each */
    int count;
    struct plan plan; /* owned: its workers. Those of the star count from 0 */
    struct comm comm;
    struct liveness liveness;
    struct execution_above above;
    struct execution_beside beside[BESIDE_MOST];
    struct process master;  /* the star's */
    struct trace_part part; /* as the first master has it */
    struct masters masters; /* a master's */
    struct membership all;  /* the first master's: of all ranks */
    struct until until;     /* as the first master knows it */
};

/* What one rank opens and must close again. */
struct execution_state {
    const struct execution *execution;
    bool leads;              /* this rank is the master, of several the first one */
    const struct plan *plan; /* that is executed: the execution's, or of what is left */
    struct execution_star star;
    struct resume resume;
    struct making making;
    struct store *store;
    struct emulation *costs; /* by the profile; NULL: not known */
    int workers_per_node;    /* on this rank's */
    char *processor;         /* owned; NULL: not known */
    char method[JOB_METHOD_SIZE];
    bool created; /* the master has made the output */
    struct decider decider;
    struct dispatch *dispatch;    /* the master's */
    struct dispatch *stream;      /* of it, a group's: what comes from the master above */
    struct process master;        /* a worker's: the master's */
    struct digest *digest;        /* the master's: of the input, taken while the run goes on */
    char stamp[65], identity[65]; /* the master's; of the input's files */
    char early[65];               /* the input's digest; "": it was not known before the run */
    struct membership members;    /* the master's; while packages are under way */
    struct joining joining;       /* the master's, of a run that workers join */
    struct losses losses;
    struct counted counted; /* where workers take packages by a counter */
    struct link_counter counter;
    struct task_range *left;     /* owned; the ranges of it */
    struct status_writer status; /* the master's */
    struct trace_writer tracing; /* the master's */
    double began_s;              /* the master's; as in struct run_part */
};

/* ---- what it says of this rank and of the run (execution_state.c) --------------------------- */

/* Local, all of these. Has the job several masters, side by side or in a tree, and has this rank
 * found its own (execution_star_find)? */
bool execution_is_starred(const struct execution_state *state);
/* Workers that can take part, under this rank's master; ranks beside the first one that are there
 * from the beginning on. */
int execution_workers(const struct execution_state *state);
int execution_peers(const struct execution_state *state);
/* Of the whole run, under all masters. */
int execution_workers_all(const struct execution_state *state);
/* The same; where they join while it runs, as many as the plan is for, not as there is room for. */
int execution_workers_expected(const struct execution_state *state);
/* This rank's part of the plan, its master's ranks, and who looks after them: those of the whole
 * run where there is one master. */
const struct plan *execution_plan(const struct execution_state *state);
const struct comm *execution_comm(const struct execution_state *state);
struct liveness *execution_liveness(struct execution_state *state);
/* How many masters there are. */
int execution_masters(const struct execution_state *state);
/* Does this rank's master get its packages from one above it? */
bool execution_is_group(const struct execution_state *state);
/* Is this rank a master? And is the output there for it? */
bool execution_leads(const struct execution_state *state);
bool execution_sees(const struct execution_state *state);
bool execution_sleeps(const struct execution_state *state);
/* Does the master compute core tasks itself? Where packages are assigned on request, nobody has
 * said which. */
bool execution_computes(const struct execution_state *state);
/* What the output keeps of the conditions here, as far as they are known. */
struct conditions execution_conditions(const struct execution_state *state);

/* ---- before anything is written (execute_prepare.c) ----------------------------------------- */

/* Collective, in this order. False on all ranks, with *failure set at least where it was met; where
 * they are true, a rank may have one of its own all the same, which waits for the next agreement:
 * nothing is done there until then. Task and values as the plan has them, the input, the job. */
bool execution_job_make(struct execution_state *state, struct failure *failure);
/* What is to be executed: the plan, or what is left of it. */
bool execution_work_find(struct execution_state *state, struct failure *failure);
/* Where that has several masters, this rank's part of it; each master opens the input
 * (execute_star.c). */
bool execution_star_find(struct execution_state *state, struct failure *failure);
/* What decides about packages, whether they fit into messages and memory, and what operations take
 * by the profile: only a job that sleeps cannot do without. Every failure is known everywhere then.
 */
bool execution_decider_make(struct execution_state *state, struct failure *failure);

/* Local. How the run's resources were asked for, as the output keeps it. */
struct run_request execution_requested(void);
/* Local. The input's digest; "" as long as it is not known, and on workers. */
const char *execution_digest(const struct execution_state *state);
struct resume_setup execution_resume_setup(const struct execution_state *state);

/* ---- the output (execute_output.c) ---------------------------------------------------------- */

/* Local to the master. It makes the file, or mends it, and opens it; who takes part in the run will
 * be listed; and workers are told of it. False with *failure set: they leave, too. True: they will
 * answer, whatever *failure says. */
bool execution_output_lead(struct execution_state *state, struct failure *failure);
/* Local to a worker, the other side of it: it opens the file that it is told of. */
bool execution_output_follow(struct execution_state *state, struct failure *failure);

/* ---- packages by a counter (execute_counted.c) ----------------------------------------------- */

/* Local, the same on every rank. Can this job be done so? */
void execution_counted_check(const struct execution_state *state, struct failure *failure);
/* Collective. The counter, where there is something to count. To be ended also on failure. */
bool execution_counted_begin(struct execution_state *state, struct failure *failure);
/* Local to the master, and to a worker: what there is to count. */
void execution_counted_tell(struct execution_state *state, struct bundle *bundle,
                            struct failure *failure);
void execution_counted_hear(struct execution_state *state, struct bundle *bundle,
                            struct failure *failure);
/* Collective, unless ranks are lost: then local. */
void execution_counted_end(struct execution_state *state, bool broken);

/* ---- stars of several masters (execute_star.c) ----------------------------------------------- */

/* Collective. Ranks that have found their stars come together in them; to be ended in any case. */
bool execution_star_begin(struct execution_state *state, struct failure *failure);
/* Local. What its master led is over: it looks after the whole run alone. */
void execution_star_leave(struct execution_state *state);
/* Collective, unless ranks are lost (broken). */
void execution_star_end(struct execution_state *state, bool broken);

/* ---- workers that join (execute_join.c) ------------------------------------------------------ */

/* Local to the master: from here on they are let in. To be ended also on failure. */
bool execution_joining_begin(struct execution_state *state, struct failure *failure);

/* ---- while packages are under way (execute_lead.c) ------------------------------------------ */

/* Local. The plan's, or what is expected of it when it is watched or assigned at its end: how far
 * that may be off, the plan says of its own tail alone. */
struct plan_prediction execution_prediction(const struct execution_state *state);
/* Local. Is what is overdue handed out once more? Where two workers may do a core task, and both
 * may write what it leaves: a reduction would have it twice, and what is emitted goes to a file of
 * each.
 */
bool execution_copies(const struct execution_state *state);
/* Local to the master. Hands out all that is to be done, until it is, or no more fits into the time
 * that there is. */
bool execution_lead(struct execution_state *state, const struct run *run,
                    struct run_outcome *outcome, struct failure *failure);
/* Local to the master. What would be done, in place of doing it. */
void execution_preview(struct execution_state *state, struct failure *failure);

#endif

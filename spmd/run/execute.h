/*
 * A whole run, from a checked plan to a sealed output.
 */
#ifndef SPMD_RUN_EXECUTE_H
#define SPMD_RUN_EXECUTE_H

#include <stdbool.h>

#include "planner/base/failure.h"
#include "planner/model/plan.h"
#include "planner/model/profile.h"
#include "spmd/job/kernel.h"
#include "spmd/master/joining.h"
#include "spmd/protocol/run.h"
#include "spmd/run/pilot.h"
#include "spmd/run/until.h"
#include "spmd/transport/comm.h"
#include "spmd/transport/liveness.h"

/* The level of a search that is run (levels.h). */
struct execution_level {
    struct description made; /* the master's: what it is made of; tasks 0: as the task describes */
    struct description next; /* the master's, owned, when it is done and all of its core tasks have
                              * gone well: what the next one is made of; tasks 0: there is none */
    char *before;            /* level_file_put's; the master's */
    bool again; /* this program has run another one before: what these ranks are like is told */
};

/* What to run; all borrowed and the same on every rank. */
struct execution {
    struct comm *comm;
    const struct kernel *kernel; /* the plan's */
    const struct plan *plan;
    const char *plan_text;
    const char *profile_text;      /* that the output keeps; NULL: none */
    const struct profile *profile; /* what it says; NULL: none */
    const char *plan_name, *output;
    const char *command_line; /* as it could be typed; NULL: not known */
    const char *input;        /* NULL: none */
    const char *emitted;      /* FILE of FILE.1, FILE.2, ...: where emitted bytes go */
    const char *isa;          /* which rank computes with which instruction set */
    int threads;
    const char *rule; /* assigns packages on request in place of the plan's rounds; NULL: none */
    /* The run is measured while it works, and what remains is planned then: the plan says what the
     * job is and nothing of packages. NULL: as the plan or the rule has it. */
    struct pilot *pilot;
    const char *replan; /* tolerance with which the plan is watched; NULL: it is not */
    const char *tail;   /* rule that assigns the plan's end on request; NULL: none */
    int ahead;          /* packages that a worker has at a time under a rule */
    bool counted;       /* with a rule: workers take its packages by a counter, and ask nobody */
    const struct parameter_list *changed; /* the core task's, in place of the plan's; NULL: none */
    bool collects;                        /* the master writes what workers return */
    bool keeps;                           /* then: when everything is computed */
    const struct joining_tick *joins;     /* workers join while it goes on; NULL: all are there */
    bool once;           /* what is overdue is waited for, and never handed out once more */
    bool emitted_given;  /* `emitted` is as the user said */
    bool resume;         /* go on with the output, if it is there */
    bool failing_ends;   /* a run whose first core tasks all fail is given up */
    bool trust;          /* then without comparing results with their digests */
    bool retry_lost;     /* then also with core tasks that workers were lost on */
    const char *command; /* that the user gave, with which sentences begin: "scow run" */
    const char *again;   /* what to do to go on with it, for sentences: "run the same again" */
    bool quiet;          /* no progress */
    /* By which these ranks look after each other, over when packages are; NULL: nobody is looked
     * after, and a rank that dies leaves the others waiting. */
    struct liveness *liveness;
    /* Called before and after ranks come together in a group of their own, where none of them sees
     * whether others are lost: to end where one does not come; NULL: nothing. */
    void (*assemble)(bool begins);
    double patience_s;             /* no worker is taken for lost that has been silent for less */
    const struct until *until;     /* the master's; nothing is begun that would not end by then */
    struct execution_level *level; /* NULL: the core task does not search in levels */
};

/* Collective. Opens the input, matches it with the plan, creates the output, runs, seals. Nothing
 * is created when plan and input do not match. To resume, the output must be of the same plan,
 * input, core task and parameters; what is left of it is planned anew for these ranks, and the
 * outcome is that of a run that nobody disturbed, but for its trace. Stopped as asked, for want of
 * time, or because no worker is left: FAILURE_STOPPED. Where the outcome says that ranks are lost,
 * nothing collective can follow. With a preview, nothing is begun or changed, and the outcome stays
 * as it is. The outcome is complete on the master (elsewhere its summary and who is lost). */
bool execute_run(const struct execution *execution, struct run_outcome *outcome,
                 struct failure *failure);

#endif

/*
 * Going on with the output of a run that was stopped or killed: what is left, planned anew for the
 * ranks that there are now, and what was done before, which counts as if it were done now.
 */
#ifndef SPMD_RUN_RESUME_H
#define SPMD_RUN_RESUME_H

#include <stdbool.h>
#include <stdint.h>

#include "planner/model/plan.h"
#include "planner/model/profile.h"
#include "spmd/protocol/run.h"
#include "spmd/resume/remaining.h"
#include "spmd/transport/comm.h"

struct resume_setup {
    const struct comm *comm;
    bool leads; /* this rank is the master */
    int peers;  /* workers that are there */
    const char *path;
    const char *command; /* that the user gave, for sentences */
    struct remaining_wanted wanted;
    const char *profile_text;      /* NULL: what the file has */
    const struct profile *profile; /* what it says; NULL likewise */
    bool collects;                 /* the master alone has access to the file */
    bool computes;                 /* the master computes core tasks itself */
    bool joins;                    /* workers come while it runs: how many, nobody knows */
    bool trust;                    /* what the ledger says: digests are not compared */
    struct part_info part;         /* what this run does, without its plan, profile and events */
};

struct resume {
    bool on;         /* there is an output to go on with */
    bool complete;   /* and nothing is left to be done, at all */
    int workers;     /* that can take part */
    int slots;       /* workers that the file has room for states of */
    int64_t left;    /* core tasks */
    int64_t by_plan; /* of them by the plan: not those that workers were lost on before */
    struct output_places places;
    struct plan plan;           /* of those assigned; where they are none, of those left, if any */
    char *plan_text;            /* the master's, owned; NULL: nothing is left */
    struct remaining remaining; /* the master's; of other masters, the ranges */
    int64_t lost_noted;         /* losses that the output has; the masters' */
    struct summary before;      /* the master's; of what is kept */
    char *emitted;              /* owned; NULL: nothing is emitted */
    int lock;                   /* the master's, on the file; to be closed */
};

/* Collective. Finds out what is left and plans it; changes nothing. What does not hold what was
 * written is to be done again, and the master says so. False with *failure set: the
 * file is of another job, or somebody writes to it. To be released also on failure. */
bool resume_init(struct resume *resume, const struct resume_setup *setup, struct failure *failure);
/* Local to the master. From here on the file is this run's. */
bool resume_begin(struct resume *resume, const struct resume_setup *setup, struct failure *failure);
/* Local to the master, once all workers that are there read back their shares of what is kept in
 * the file: sums up these and its own. */
bool resume_sum(struct resume *resume, const struct resume_setup *setup, struct failure *failure);
/* Local to a worker, the other side of it. */
bool resume_sum_share(const struct resume *resume, const struct resume_setup *setup,
                      struct failure *failure);
/* Local to the master. What `inner` (owned; not used where nothing is assigned by the plan) assigns
 * as tasks 0, 1, ... are those left but for suspects. NULL with *failure set. */
struct dispatch *resume_dispatch(const struct resume *resume, struct dispatch *inner,
                                 struct failure *failure);
/* Local to the master. Suspects are handed out by `recovery`. False with *failure set. */
bool resume_suspects(const struct resume *resume, struct dispatch *recovery,
                     struct failure *failure);
/* Local to the master. What was done before counts, too. */
void resume_join(const struct resume *resume, const struct job *job, struct run_outcome *outcome);
/* Local to the master. Why core tasks were given up before is told, too. */
void resume_tell(const struct resume *resume, struct run_outcome *outcome);
/* Local. The part number `which`, from 0, of a job that is cut in so many, as even as can be; it
 * may be empty. */
struct task_range resume_share(int64_t tasks, int64_t shares, int64_t which);
void resume_release(struct resume *resume);

#endif

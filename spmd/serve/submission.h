/*
 * Workers as jobs of a resource manager: so many are kept handed in as long as there is work for
 * them. Those that still wait in the queue when it gets less are taken back, and at the end all
 * that are left.
 */
#ifndef SPMD_SERVE_SUBMISSION_H
#define SPMD_SERVE_SUBMISSION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "planner/base/failure.h"
#include "planner/base/text.h"

enum { JOB_NAME_SIZE = 64 };

enum job_state {
    JOB_WAITS, /* in the queue */
    JOB_RUNS,
    JOB_OVER
};

/* A worker that was handed in. */
struct submitted_job {
    char name[JOB_NAME_SIZE]; /* as its manager calls it */
    double since_s;           /* by the system's clock */
};

struct submission;

/* One of what hands in, one row in submission.c. Each call may take a while: they are made a few
 * times a minute. */
struct resource_manager {
    const char *name, *summary;
    /* All of them alike, as one array where it has such; names them. False with *failure set: one
     * cannot be handed in, and those from *count on are not. */
    bool (*submit)(const struct submission *submission, struct submitted_job *jobs, size_t *count,
                   struct failure *failure);
    /* Fills in states[k] of jobs[k]. False: nobody can say now. */
    bool (*look)(const struct submitted_job *jobs, size_t count, enum job_state *states);
    void (*cancel)(const struct submitted_job *job);
};

extern const struct resource_manager submission_local, submission_slurm, submission_pbs;

struct submission {
    const struct resource_manager *manager;
    const char *speaker; /* borrowed; as which sentences speak */
    const char *access;  /* borrowed; the access file */
    const char *parts;   /* borrowed; results that workers give (scow work --parts), or NULL */
    const char *command; /* borrowed; what jobs run in place of a worker; NULL: a worker */
    int64_t wanted;      /* workers at a time */
    struct submitted_job *jobs; /* owned */
    size_t count, capacity;
    double looked_s;
    int64_t submitted, in_vain; /* in all; and those, one after the other, that ended at once */
    bool over;                  /* no more are handed in, for that reason */
};

/* NULL with *failure set: there is none of that name. */
const struct resource_manager *submission_find(const char *name, struct failure *failure);
/* To be ended, also on failure. The first ones are handed in at once. */
bool submission_begin(struct submission *submission, const struct resource_manager *manager,
                      const char *speaker, const char *access, const char *parts, int64_t wanted,
                      struct failure *failure);
/* Now and then, with so many core tasks that are not done: takes back those in the queue that are
 * more than these, and hands in others for those that are over; where these end at once, again and
 * again, it says so and hands in no more. */
void submission_tick(void *submission, int64_t left);
/* Takes back those that are left. Of one that has not begun (all zero): nothing. */
void submission_end(struct submission *submission);

/* The program of that name beside this one, as the beginning of a shell's command. */
void submission_program_add(struct text *text, const char *program);
/* What a job runs, for a shell: owned; NULL: out of memory. */
char *submission_command(const struct submission *submission);
/* What that command, which a shell runs, prints: at most `size` bytes with the zero. False: it
 * cannot be run, or fails. */
bool submission_ask(const char *command, char *answer, size_t size);

#endif

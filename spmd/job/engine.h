/*
 * Computing packages of a job on the threads of one rank, with all memory for it: results of one
 * package and the task's workspaces, made once. Runs, calibration and tests compute with the same
 * one, so that what is measured is what runs. No MPI.
 */
#ifndef SPMD_JOB_ENGINE_H
#define SPMD_JOB_ENGINE_H

#include <stdbool.h>

#include "planner/base/failure.h"
#include "spmd/job/counts.h"
#include "spmd/job/job.h"

/* Bytes that tasks of the package emitted. */
struct emission {
    int64_t task;
    size_t offset, size; /* within the bytes */
};

struct emissions {
    struct emission *items; /* owned; by task, those of one task in the order of emitting */
    size_t count, capacity;
    char *bytes; /* owned */
    size_t size, room;
};

/* A core task that could not be done. */
struct rejection {
    int64_t task;
    char why[120];
    char output[480]; /* how its error output begins, in lines (complaint.h); "": not known */
};

/* What came out of the package computed last. */
struct package_results {
    int64_t first, count;
    char *grid;    /* job->tile_size a task; NULL: no grid */
    char *records; /* job->record_size a task; NULL: no records */
    char *state;   /* of the package's tasks; NULL: no reduction */
    struct emissions emissions;
    int64_t rejected;           /* core tasks */
    struct rejection rejection; /* the one with the lowest number */
    struct emissions reasons;   /* of all of them, by task */
    unsigned char *ledger;      /* a byte a task: 1 done, 2 rejected */
};

/* Called by the thread that called engine_compute, now and then; true: stop. */
struct engine_pulse {
    bool (*call)(void *self); /* NULL: nothing */
    void *self;
};

struct engine;

/* Local. For packages of at most `most` tasks. `rank` goes into records. NULL with *failure set:
 * out of memory, or the task could not start. */
struct engine *engine_new(const struct job *job, int64_t most, int threads, int rank,
                          struct failure *failure);
/* Local. From now on for packages of at most `most` tasks, with the callers that there are and what
 * they have started. Results at hand are gone where it was for less. False: out of memory; it is
 * good for nothing but engine_free then. */
bool engine_grow(struct engine *engine, int64_t most, struct failure *failure);
/* Local. Compute tasks [first, first + count) of `package` (job_pack's bytes). False: the task
 * failed, or was stopped (*failure unset). */
bool engine_compute(struct engine *engine, int64_t first, int64_t count, const void *package,
                    size_t size, struct engine_pulse pulse, struct failure *failure);
/* Local. From here on core tasks may say how they end, for other workers, and ask about those. */
void engine_counts_begin(struct engine *engine);
/* Local. What core tasks have said since the last call of how they ended; `used`: one ever has. Not
 * while another thread computes. */
bool engine_counts_used(const struct engine *engine);
void engine_counts_tell(struct engine *engine, struct counts *counts);
/* Local. What is known of other workers, for tasks that ask. */
void engine_others_set(struct engine *engine, const struct scow_others *others);
/* Borrowed; of the last engine_compute that returned true. */
const struct package_results *engine_results(const struct engine *engine);
/* Local. What the task has begun in its start was ready so many seconds after engine_new began, as
 * the task says; 0: it says nothing, or not yet. */
double engine_started_s(const struct engine *engine);
/* Local, for trial writes: let them be the results of the tasks from `first` on. */
void engine_results_move(struct engine *engine, int64_t first);
/* Bytes of memory that an engine takes. */
double engine_memory(const struct job *job, int64_t most, int threads);
void engine_free(struct engine **engine); /* sets *engine NULL */

#endif

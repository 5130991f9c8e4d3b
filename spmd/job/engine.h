/*
 * Computes packages of a job on the threads of one rank, and owns all memory for it: the results of
 * one package and the task's workspaces, allocated once. Runs, calibration and tests use the same
 * engine, so that a calibration measures what a run does. No MPI.
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
    int64_t at;          /* which of the package's core tasks that is, from 0 */
};

struct emissions {
    struct emission *items; /* owned; by `at`, those of one task in the order of emitting */
    size_t count, capacity;
    char *bytes; /* owned */
    size_t size, room;
};

/* A core task that could not be done. */
struct rejection {
    int64_t task;
    char why[120];
    char output[480]; /* the first lines of its error output (complaint.h); "": not known */
};

/* The results of the last package. */
struct package_results {
    int64_t first, count;      /* positions in the order */
    const struct order *order; /* borrowed; NULL: positions are numbers of core tasks */
    char *grid;                /* job->tile_size a task; NULL: no grid */
    char *records;             /* job->record_size a task; NULL: no records */
    char *state;               /* of the package's tasks; NULL: no reduction */
    struct emissions emissions;
    int64_t rejected;           /* core tasks */
    struct rejection rejection; /* the one with the lowest number */
    struct emissions reasons;   /* of all of them, by task */
    unsigned char *ledger;      /* a byte a task: 1 done, 2 rejected */
};

/* The package's core task number k, from 0. */
static inline int64_t package_task(const struct package_results *results, int64_t k)
{
    return results->order ? order_task(results->order, results->first + k) : results->first + k;
}

/* How many from there on, at least 1, are neighbours by number. */
int64_t package_neighbours(const struct package_results *results, int64_t k);

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
/* Local. Allow packages of at most `most` tasks from now on; callers and what they have started are
 * kept. If the engine was for fewer, the last results are lost. False: out of memory; the engine
 * can then only be freed. */
bool engine_grow(struct engine *engine, int64_t most, struct failure *failure);
/* Local. Compute tasks [first, first + count) of `package` (job_pack's bytes). False: the task
 * failed, or was stopped (*failure unset). */
bool engine_compute(struct engine *engine, int64_t first, int64_t count, const void *package,
                    size_t size, struct engine_pulse pulse, struct failure *failure);
/* Local. From here on core tasks may report how they end (scow_host.finished) and ask for the
 * counts of other workers (scow_host.others). */
void engine_counts_begin(struct engine *engine);
/* Local. Counts that core tasks have reported since the last call; engine_counts_used: has any ever
 * been reported? Not while another thread computes. */
bool engine_counts_used(const struct engine *engine);
void engine_counts_tell(struct engine *engine, struct counts *counts);
/* Local. Set the counts of other workers, for tasks that ask for them. */
void engine_others_set(struct engine *engine, const struct scow_others *others);
/* Borrowed; of the last engine_compute that returned true. */
const struct package_results *engine_results(const struct engine *engine);
/* Local. How many seconds after the start of engine_new the task's start-up was complete, as the
 * task reports it (scow_host.started); 0: not reported, or not yet. */
double engine_started_s(const struct engine *engine);
/* Local, for trial writes: renumber the results as those of the tasks from `first` on. */
void engine_results_move(struct engine *engine, int64_t first);
/* Bytes of memory that an engine takes. */
double engine_memory(const struct job *job, int64_t most, int threads);
void engine_free(struct engine **engine); /* sets *engine NULL */

#endif

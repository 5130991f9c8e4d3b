/*
 * A job of one core task in memory, from its parameters to what its packages leave behind, as a run
 * would do it. A task that breaks its promises aborts with a word: a package larger than the most
 * it may be, or something written beyond a package, a workspace or a result.
 *
 *     struct memory_job job;
 *     memory_job_init(&job, &task, &host);
 *     memory_job_number(&job, "width", 1200);
 *     if (memory_job_open(&job)) {
 *         struct memory_outcome outcome;
 *         status = memory_job_compute(&job, first, count, 0, threads, &outcome);
 *         ...
 *         memory_outcome_release(&outcome);
 *     }
 *     memory_job_close(&job);
 */
#ifndef TESTS_KERNEL_MEMORY_JOB_H
#define TESTS_KERNEL_MEMORY_JOB_H

#include "tests/kernel/memory_host.h"

enum { MEMORY_PARAMETERS_MOST = 32 };

struct memory_job {
    const struct scow_task *task; /* borrowed, as the next one */
    struct memory_host *host;
    struct scow_value values[MEMORY_PARAMETERS_MOST];
    int rank; /* of the worker, told to compute; 1 at first */
    /* From open on. */
    struct scow_setup setup;
    struct scow_results results;
    void *made; /* the task's own */
    bool opened;
};

/* The parameters' initial values. */
void memory_job_init(struct memory_job *job, const struct scow_task *task,
                     struct memory_host *host);
/* Set a parameter by its name: to a number, to one of its words, to a text or path (borrowed).
 * Abort when there is no such parameter or word, or when the number is out of range: the host's
 * duty, no task's. */
void memory_job_number(struct memory_job *job, const char *name, double number);
void memory_job_word(struct memory_job *job, const char *name, const char *word);
void memory_job_text(struct memory_job *job, const char *name, const char *text);
const struct scow_value *memory_job_value(const struct memory_job *job, const char *name);

/* Settle, describe, open. False: refused; the host has the sentence. To be closed in either case.
 */
bool memory_job_open(struct memory_job *job);
void memory_job_close(struct memory_job *job);

/* Of a search in levels, whose core tasks have all been computed: open its next level with what
 * they emitted, which the host then forgets. False: this was the last one, or its task failed, and
 * the host has the sentence. */
bool memory_job_next(struct memory_job *job);

/* What some core tasks left behind; owned. */
struct memory_outcome {
    unsigned char *grid; /* boxes of grid_tile; what the task did not write is 0xa5 */
    size_t box_size;
    unsigned char *records;
    void *state;
};

/* Pack tasks [first, first + count) and compute them: as one batch, or in batches of at most
 * `batch` tasks where that is not 0. The status of the first callback that did not return SCOW_OK.
 * The outcome is to be released in either case. */
int memory_job_compute(const struct memory_job *job, int64_t first, int64_t count, int64_t batch,
                       int threads, struct memory_outcome *outcome);
void memory_outcome_release(struct memory_outcome *outcome);

#endif

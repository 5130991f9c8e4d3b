/*
 * The work of a run: a core task, the values of its parameters, its input; made once on the master
 * (describe), the same on every rank (open). The answers of a task's callbacks are checked here, so
 * that other code can rely on them. No MPI.
 */
#ifndef SPMD_JOB_JOB_H
#define SPMD_JOB_JOB_H

#include <stdbool.h>

#include "kernel/scow.h"
#include "planner/base/failure.h"
#include "planner/model/weights.h"
#include "spmd/input/input.h"
#include "spmd/job/values.h"

/* What the master determines and every rank needs; owned. */
struct description {
    int64_t tasks;
    int64_t level;           /* as in struct scow_setup */
    struct scow_input input; /* its name is not used */
    void *shared;            /* NULL: nothing */
    size_t shared_size;
};

struct job {
    const struct scow_task *task; /* borrowed */
    struct values values;
    struct scow_setup setup; /* points into what the job owns */
    char *input_name;
    void *shared;
    void *opened; /* the task's own; closed by job_close when is_open */
    bool is_open;
    struct scow_results results;
    struct order order; /* of its core tasks; a package is of consecutive positions */
    size_t tile_size;   /* bytes of the most that one task fills of a grid; 0: no grid */
    size_t record_size, state_size;
};

enum { JOB_METHOD_SIZE = 1024 };
/* Limit of any size that a task returns, bytes: a larger one is a mistake in the task. */
#define JOB_SIZE_MOST ((size_t)1 << 44)

/* The core task of that name; NULL with *failure set, which names the nearest one, where there is
 * none. A name with a '/' is a plug-in's path, which kernel_open (spmd/job/kernel.h) takes. */
const struct scow_task *job_task(const char *name, const char *where, struct failure *failure);
/* Is this a task that scow can use: versions, names, callbacks, parameters? `where` names its file.
 */
bool job_task_check(const struct scow_task *task, const char *where, struct failure *failure);

/* Local to the master or to planning. Replaces values that depend on the machine ("auto") by the
 * actual ones. */
bool job_settle(const struct scow_task *task, struct values *values, struct input *input,
                struct failure *failure);
/* Local to the master, or where one only plans. To be released also on failure. */
bool job_describe(struct description *description, const struct scow_task *task,
                  const struct values *values, struct input *input, struct failure *failure);
/* A copy; false: out of memory. */
bool description_copy(struct description *copy, const struct description *description);
void description_release(struct description *description);
/* Local to the master, of a search in levels whose opened level is done. next->tasks 0: that was
 * the last one. To be released also on failure. */
bool job_next(const struct job *job, const struct scow_survivors *in, struct description *next,
              struct failure *failure);

/* Local. Ready to compute; values, description and the input's name are copied. Outputs untouched
 * on failure. */
bool job_open(struct job *job, const struct scow_task *task, const struct values *values,
              const struct description *description, const char *input_name,
              struct failure *failure);
void job_close(struct job *job);

/* One line: how it is computed, "" when the task does not say. */
void job_method(const struct job *job, char *text, size_t size);
/* The most bytes of a package of `count` tasks, as it is sent (nothing when workers read by
 * themselves), and as it is computed. */
size_t job_message_most(const struct job *job, int64_t count);
size_t job_package_most(const struct job *job, int64_t count);
/* Core tasks of the next batch from position `first` on, of at most `count`: its first one, how far
 * apart they are, and how many; one, where the task takes nothing else in the job's order. */
int64_t job_batch(const struct job *job, int64_t first, int64_t count, int64_t *task,
                  int64_t *stride);
/* Are packages packed core task by core task? Then job_packed has the bytes of each. */
bool job_packs_singly(const struct job *job);
const void *job_packed(const void *package, int64_t index, size_t *size);
/* A package of zeros, of job_package_most(count) bytes, for so many core tasks. */
void job_blank(const struct job *job, int64_t count, void *package, size_t size);
/* Write the tasks at positions [first, first + count) into `package`, which has room for `room`
 * bytes, at least job_package_most + JOB_GUARD; *size gets how many were used. If a task writes
 * more than it announced, the failure names it; memory after the guard is not damaged. */
bool job_pack(const struct job *job, struct input *input, int64_t first, int64_t count,
              void *package, size_t *size, struct failure *failure);
/* What core tasks are worth by the task's own estimate, named "kernel NAME"; owned. NULL with
 * *failure set: it has none, or one that cannot be. */
struct task_weights *job_weigh(const struct job *job, struct input *input, struct failure *failure);
/* The box of the grid that a task fills, checked. */
bool job_place(const struct job *job, int64_t task, int64_t start[3], int64_t count[3],
               struct failure *failure);
/* The number of a core task in messages: counted from 1. */
int64_t job_task_number(int64_t task);
/* Bytes after every buffer that a task writes to; see guard_set. */
enum { JOB_GUARD = 64 };
void guard_set(void *end);
bool guard_holds(const void *end);
/* "core task 'NAME' wrote more than it said into WHAT: ...". */
bool guard_broken(const struct job *job, const char *what, struct failure *failure);

/* The outcome of a reduction as JSON, below JOB_OUTCOME_SIZE; owned; NULL with *failure set. */
enum { JOB_OUTCOME_SIZE = 1 << 16 };
char *job_print(const struct job *job, const void *state, struct failure *failure);

/* A host for callbacks, with what they may reach; see spmd/job/engine.c for the one of compute. */
struct job_host {
    struct scow_host base; /* first */
    struct failure *failure;
    enum failure_code code;          /* of what the task says; FAILURE_MISMATCH unless changed */
    const char *where;               /* put before the task's sentences; NULL: nothing */
    struct input *input;             /* NULL: reading fails */
    struct description *description; /* NULL: sharing fails */
    const struct scow_task *task;    /* whose parameters can be refused; NULL: as other failures */
    const struct values *values;     /* of that task */
    void *self;                      /* of a host with callbacks of its own */
};

/* A host on which all callbacks but `fail` itself fail with a sentence. */
void job_host_init(struct job_host *host, const char *where, struct failure *failure);
/* A task's message as one line: any sequence of blanks, line ends and other control characters
 * becomes one blank, and is removed at both ends. */
void job_sentence(const char *said, char *sentence, size_t size);
/* Of a callback's status: true when SCOW_OK; otherwise a failure is set, at least a general one. */
bool job_status(const struct scow_task *task, const char *what, int status,
                struct failure *failure);

#endif

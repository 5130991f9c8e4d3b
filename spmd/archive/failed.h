/*
 * The core tasks of a run that failed, with what people ask for: which line it was, how often it
 * was tried, why it failed, and how its error output begins. Serial; a million of them take no more
 * memory than one.
 */
#ifndef SPMD_ARCHIVE_FAILED_H
#define SPMD_ARCHIVE_FAILED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "planner/base/failure.h"
#include "planner/base/text.h"

struct failed; /* those of one output, being read */

/* What is known before the first; borrowed from the reader. */
struct failed_totals {
    int64_t tasks, failed, missing; /* core tasks; missing: not done yet */
    const char *input;              /* where lines come from; NULL: there are none */
    const char *note;               /* why there are no lines, a sentence; "": there are */
};

/* One of them; borrowed until the next is asked for. */
struct failed_task {
    int64_t task;       /* from 0 */
    const char *reason; /* never empty: "exit 3", "killed by signal 9", "timed out after 5 s" */
    int attempts;       /* 0: not known */
    bool command;       /* exit is known */
    int exit;           /* code; -N: signal N ended it */
    const char *line;   /* made UTF-8; NULL: not known */
    const char *errors; /* the first lines of its error output, made UTF-8; "": none */
    bool errors_cut;    /* there is more of it */
};

/* NULL with *failure set. */
struct failed *failed_open(const char *path, struct failure *failure);
const struct failed_totals *failed_totals(const struct failed *failed);
/* The next one, in ascending order. False: there is no further one. */
bool failed_next(struct failed *failed, struct failed_task *task);
void failed_close(struct failed **failed); /* sets *failed NULL */

/* The first ones, at most `most`, of the output `path` as one JSON object for pages: "tasks",
 * "failed", "missing", "note" (why lines are not known; null: nothing to say), and "failures", an
 * array of objects: "task" (from 1), "line" (null: not known), "attempts", "exit", "signal" (null:
 * not of a command, or the other one), "reason", "stderr", "stderr_cut". */
bool failed_print(const char *path, int64_t most, struct text *text, struct failure *failure);
/* All of them to standard output: for people, or as `json`. */
bool failed_show(const char *path, bool json, struct failure *failure);

#endif

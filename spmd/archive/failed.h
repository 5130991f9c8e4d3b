/*
 * The core tasks of a run that failed, with what people ask for: which line it was, how often it
 * was tried, why it failed, and how its error output begins. Serial; a million of them take no more
 * memory than one.
 */
#ifndef SPMD_ARCHIVE_FAILED_H
#define SPMD_ARCHIVE_FAILED_H

#include <stdbool.h>
#include <stdint.h>

#include "planner/base/failure.h"
#include "planner/base/text.h"

/* The first ones, at most `most`, of the output `path` as one JSON object for pages: "tasks",
 * "failed", "missing", "note" (why lines are not known; null: nothing to say), and "failures", an
 * array of objects: "task" (from 1), "line" (null: not known), "attempts", "exit", "signal" (null:
 * not of a command, or the other one), "reason", "stderr", "stderr_cut". */
bool failed_print(const char *path, int64_t most, struct text *text, struct failure *failure);
/* All of them to standard output: for people, or as `json`. */
bool failed_show(const char *path, bool json, struct failure *failure);

#endif

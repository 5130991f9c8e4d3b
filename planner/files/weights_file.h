/*
 * Weights of core tasks from files: one number a line; a column of the lines that are the job's
 * input; the sizes of the files that they name; the times that a log of an earlier run has.
 */
#ifndef PLANNER_FILES_WEIGHTS_FILE_H
#define PLANNER_FILES_WEIGHTS_FILE_H

#include "planner/base/failure.h"
#include "planner/model/weights.h"

/* From `items` (malloc), `count` of them, which are its own from here on, whatever is returned;
 * `path` is what failures call them, `source` their name. Owned. NULL with *failure set: none, one
 * below 0, nothing but zeros, or out of memory. */
struct task_weights *weights_of(const char *path, const char *source, double *items, int64_t count,
                                struct failure *failure);
/* Owned. NULL with *failure set: a line that is no number of at least 0, none at all, nothing but
 * zeros, a file that cannot be read; FAILURE_MISMATCH names the line. */
struct task_weights *weights_read(const char *path, struct failure *failure);
/* Column `column`, from 1, of lines that are separated by commas (names ending on .csv), tabs or
 * blanks. */
struct task_weights *weights_read_column(const char *path, int64_t column, struct failure *failure);
/* Sizes of the files that lines name: the last word of each that is a file's path. */
struct task_weights *weights_read_sizes(const char *path, struct failure *failure);
/* Of a log of GNU parallel (--joblog), or what `sacct -P` prints of a job array with its columns
 * JobID and ElapsedRaw or Elapsed. Where a joblog has as many commands as the text file `lines`
 * (NULL: none) has lines, each must hold a word of its line, or its file's name without folder and
 * endings: FAILURE_MISMATCH, it is the log of other lines. */
struct task_weights *weights_read_log(const char *path, const char *lines, struct failure *failure);

#endif

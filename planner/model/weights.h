/*
 * What somebody says the core tasks of a job are worth, before the job is run: lengths of
 * sequences, sizes of files, times of an earlier run.
 */
#ifndef PLANNER_MODEL_WEIGHTS_H
#define PLANNER_MODEL_WEIGHTS_H

#include <stdbool.h>

#include "planner/model/work.h"

struct task_weights {
    char *source;     /* owned: what they are from, for people */
    char *sha256;     /* owned, 64 hexadecimal digits: of the weights, as double numbers */
    double deviation; /* relative standard deviation of core tasks by them */
    struct work work; /* owned; of a plan that was read, perhaps with one region a package */
};

/* Owned; NULL: out of memory, or nothing is worth anything (`items` has at least one). */
struct task_weights *weights_new(const char *source, const char *sha256, const double *items,
                                 int64_t count);
/* A copy, owned; NULL: out of memory. */
struct task_weights *weights_copy(const struct task_weights *from);
void weights_free(struct task_weights *weights);

#endif

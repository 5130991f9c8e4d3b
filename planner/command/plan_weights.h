/* Where `scow plan` has the weights of core tasks from. */
#ifndef PLANNER_COMMAND_PLAN_WEIGHTS_H
#define PLANNER_COMMAND_PLAN_WEIGHTS_H

#include <stdint.h>

#include "planner/base/failure.h"
#include "planner/command/readers.h"
#include "planner/model/weights.h"

/* The options; at most one of the first three is given. */
struct weights_options {
    const char *file;  /* --weights: a file of numbers, or WEIGHTS_SIZES; NULL: not given */
    const char *from;  /* --weights-from: a log, or an output; NULL: not given */
    int64_t column;    /* --weights-column, from 1; 0: not given */
    const char *input; /* -i; NULL: none */
};

/* The sizes of the files that the input's lines name. */
#define WEIGHTS_SIZES "size"

/* Is one of them given? */
bool weights_asked(const struct weights_options *options);
bool weights_options_check(const struct weights_options *options, struct failure *failure);
/* Owned, in *weights; NULL: no option asks for them. `readers` may be NULL. */
bool weights_find(const struct weights_options *options, const struct readers *readers,
                  struct task_weights **weights, struct failure *failure);

#endif

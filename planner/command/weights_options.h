/* Where commands have the weights of core tasks from: options that all of them share. */
#ifndef PLANNER_COMMAND_PLAN_WEIGHTS_H
#define PLANNER_COMMAND_PLAN_WEIGHTS_H

#include <stdint.h>

#include "planner/base/failure.h"
#include "planner/base/options.h"
#include "planner/model/weights.h"

/* The options; at most one of the first three is given. */
struct weights_options {
    const char *file;  /* --weights: a file of numbers, WEIGHTS_SIZES or WEIGHTS_TASK; NULL: not */
    const char *from;  /* --weights-from: a log, or an output; NULL: not given */
    int64_t column;    /* --weights-column, from 1; 0: not given */
    const char *of;    /* --weights-of: WEIGHTS_BYTES and weights of what is sent; NULL: not */
    const char *input; /* -i; NULL: none */
};

/* What weights of transfers begin with; a file of numbers, or WEIGHTS_SIZES, follows. */
#define WEIGHTS_BYTES "bytes="

/* The sizes of the files that the input's lines name. */
#define WEIGHTS_SIZES "size"
/* As the core task itself weighs them. */
#define WEIGHTS_TASK "task"

enum { WEIGHTS_ROWS = 3 };

/* The job that they are of, where the core task may weigh it; all borrowed. */
struct weights_job {
    const struct profile *profile;
    const char *path;   /* the profile's */
    const char *kernel; /* a plug-in in place of the profile's; NULL: that one */
    bool implied;       /* the core task weighs it, whatever the options say */
};

/* How they are given on a command line: WEIGHTS_ROWS rows, returns how many. */
size_t weights_rows(struct weights_options *options, struct option_row *rows);
/* The row of --weights-of, of commands that know a profile's transfers. */
struct option_row weights_of_row(struct weights_options *options);
/* Is one of the first three given? */
bool weights_work_asked(const struct weights_options *options);
/* Is one of them given? */
bool weights_asked(const struct weights_options *options);
/* Are they the core task's own, which weights_find does not find? */
bool weights_by_task(const struct weights_options *options);
bool weights_options_check(const struct weights_options *options, struct failure *failure);
/* Owned, in *weights; NULL: no option asks for them, or for the core task's own. With those of
 * transfers; where they are given alone, core tasks are alike. */
bool weights_find(const struct weights_options *options, struct task_weights **weights,
                  struct failure *failure);
/* Those of transfers beside the core task's own, which are in *weights; freed where that fails. */
bool weights_find_bytes(const struct weights_options *options, struct task_weights **weights,
                        struct failure *failure);
/* The same, and the core task's own, too. */
bool weights_of_job(const struct weights_options *options, const struct weights_job *job,
                    struct task_weights **weights, struct failure *failure);

#endif

/*
 * The values of a core task's parameters: from names and words, as profiles and plans carry them,
 * to what the task is given, and back.
 */
#ifndef SPMD_JOB_VALUES_H
#define SPMD_JOB_VALUES_H

#include "kernel/scow.h"
#include "planner/base/failure.h"
#include "planner/base/parameter.h"
#include "planner/model/platform.h"

/* How many parameters a task has. */
int task_parameter_count(const struct scow_task *task);

struct values {
    struct scow_value *items; /* owned; one for each of the task's parameters */
    char **texts;             /* owned; those of items[].text that are */
    int count;
    bool staged;       /* workers read their packages from the input by themselves */
    bool write_behind; /* workers compute while the results of the package before are written */
};

/* The words, in a list of parameters, that say so: "staged": "yes" or "no". No task may have a
 * parameter of that name. */
#define VALUES_STAGED "staged"
#define VALUES_WRITE_BEHIND PLATFORM_WRITE_BEHIND
bool values_is_switch(const char *name);

/* The task's defaults, then `parameters`. `where` names the file or command that they come from; an
 * unknown name or value is refused with the nearest known one. A path must be readable when
 * `paths` says so, and is made absolute then. To be released also on failure. */
bool values_read(struct values *values, const struct scow_task *task,
                 const struct parameter_list *parameters, const char *where, bool paths,
                 struct failure *failure);
/* Where the size of the job is a parameter, "tasks", and not the input's: set it to what a plan
 * says. */
void values_resize(struct values *values, const struct scow_task *task, double tasks);
bool values_copy(struct values *to, const struct values *from, struct failure *failure);
/* The reverse: every parameter that has a value, as a profile carries it. */
bool values_describe(const struct values *values, const struct scow_task *task,
                     struct parameter_list *parameters, struct failure *failure);
void values_release(struct values *values);

#endif

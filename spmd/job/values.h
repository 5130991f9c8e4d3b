/*
 * The values of a core task's parameters: converts names and words, as in profiles and plans, to
 * the values that the task gets, and back.
 */
#ifndef SPMD_JOB_VALUES_H
#define SPMD_JOB_VALUES_H

#include "kernel/scow.h"
#include "planner/base/failure.h"
#include "planner/base/parameter.h"
#include "planner/model/order.h"
#include "planner/model/platform.h"
#include "planner/model/results.h"

/* How many parameters a task has. */
int task_parameter_count(const struct scow_task *task);
/* The names of those that a run may change, and NULL after the last; NULL: there are none. */
const char *const *task_run_parameters(const struct scow_task *task);
/* Can it estimate what its core tasks cost? */
bool task_weighs(const struct scow_task *task);
/* Is it a search in levels, which follow from one another? */
bool task_has_levels(const struct scow_task *task);
bool task_run_parameter(const struct scow_task *task, const char *name);

struct values {
    struct scow_value *items; /* owned; one for each of the task's parameters */
    char **texts;             /* owned; those of items[].text that are */
    const char **wheres;      /* owned; what each comes from; NULL: the command line */
    int count;
    bool staged;          /* workers read their packages from the input by themselves */
    bool write_behind;    /* workers compute while the results of the package before are written */
    enum results results; /* does the master write what workers return? RESULTS_UNSAID: no */
    struct order order;   /* in which packages hold core tasks; of how many is the job's to know */
};

/* Names of the parameters that set these two switches, "yes" or "no"; results and the order have
 * words of their own (planner/model/results.h, order.h). No task may have a parameter of such a
 * name. */
#define VALUES_STAGED "staged"
#define VALUES_WRITE_BEHIND PLATFORM_WRITE_BEHIND
bool values_is_switch(const char *name); /* any of the four */

/* The task's defaults, then `parameters`. `where` names the file that they come from and is kept
 * until the values are released; NULL: the command line. An unknown name or value is refused with
 * the nearest known one, FAILURE_USAGE of a command line. A path must be readable when `paths` says
 * so, and is made absolute then. To be released also on failure. */
bool values_read(struct values *values, const struct scow_task *task,
                 const struct parameter_list *parameters, const char *where, bool paths,
                 struct failure *failure);
/* Override values by `parameters`, as given to a run. */
bool values_change(struct values *values, const struct scow_task *task,
                   const struct parameter_list *parameters, struct failure *failure);
/* The source of that parameter's value, as given to values_read. */
const char *values_where(const struct values *values, const struct scow_task *task,
                         const char *name);
/* Where the size of the job is a parameter, "tasks", and not the input's: set it to what a plan
 * says. */
void values_resize(struct values *values, const struct scow_task *task, double tasks);
bool values_copy(struct values *to, const struct values *from, struct failure *failure);
/* The reverse: every parameter that has a value, as a profile carries it. */
bool values_describe(const struct values *values, const struct scow_task *task,
                     struct parameter_list *parameters, struct failure *failure);
void values_release(struct values *values);

#endif

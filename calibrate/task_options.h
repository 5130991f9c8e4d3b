/* The options of a command line that are a core task's own parameters. */
#ifndef CALIBRATE_TASK_OPTIONS_H
#define CALIBRATE_TASK_OPTIONS_H

#include <stddef.h>

#include "kernel/scow.h"
#include "planner/base/options.h"

enum { TASK_OPTIONS_TITLE = 160 };

/* What -k or --kernel says, anywhere, or the default: the options that there are follow from it.
 * Borrowed. */
const char *task_options_kernel(int argc, char **argv);
/* A row for each of the task's parameters, with room for one more than there can be; what is typed
 * goes to values[i] (NULL: nothing). `blocks`: another name for the parameter "block", as scripts
 * know it; NULL: there is none. Returns how many rows. */
size_t task_options_fill(const struct scow_task *task, struct option_row *rows,
                         const char *values[SCOW_PARAMETERS_MOST], const char **blocks);
/* What stands above them in help. */
void task_options_title(const struct scow_task *task, char title[TASK_OPTIONS_TITLE]);

#endif

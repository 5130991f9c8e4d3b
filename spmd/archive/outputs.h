/* What core tasks emitted, taken out of a run's output as it is. Serial; a million tasks take no
 * more memory than one. */
#ifndef SPMD_ARCHIVE_OUTPUTS_H
#define SPMD_ARCHIVE_OUTPUTS_H

#include <stdbool.h>
#include <stdint.h>

#include "planner/base/failure.h"
#include "planner/command/readers.h"

/* All that is done or has failed, in the order of the tasks; of commands the last attempt's. To
 * standard output, or as DIRECTORY/N/stdout and DIRECTORY/N/stderr, N the task's number from 1 with
 * as many digits as the last one's (of other core tasks: DIRECTORY/N/output). The folder is made,
 * or must be empty. *missing: tasks that are not done yet. */
bool outputs_write(const struct outputs_request *request, int64_t *missing,
                   struct failure *failure);

#endif

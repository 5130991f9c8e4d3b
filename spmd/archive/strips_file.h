/* Reading back what a run of strips left. Serial, no MPI needed. */
#ifndef SPMD_ARCHIVE_STRIPS_FILE_H
#define SPMD_ARCHIVE_STRIPS_FILE_H

#include <stdbool.h>

#include "planner/base/failure.h"
#include "planner/strips/strips_outcome.h"
#include "planner/strips/strips_plan.h"

/* Plan and what was measured, to be released. Of any other file, or none, both are empty: who reads
 * it otherwise says what it is. */
bool strips_file_read(const char *path, struct strips_plan *plan, struct strips_outcome *outcome,
                      struct failure *failure);

#endif

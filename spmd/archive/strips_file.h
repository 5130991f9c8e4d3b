/* Reading back what a run of strips left. Serial, no MPI needed. */
#ifndef SPMD_ARCHIVE_STRIPS_FILE_H
#define SPMD_ARCHIVE_STRIPS_FILE_H

#include <stdbool.h>

#include "planner/base/failure.h"
#include "planner/base/text.h"
#include "planner/strips/strips_outcome.h"
#include "planner/strips/strips_plan.h"

/* Plan and what was measured, to be released. Of any other file, or none, both are empty: who reads
 * it otherwise says what it is. FAILURE_STOPPED: it is one of strips, and no grid is kept yet. */
bool strips_file_read(const char *path, struct strips_plan *plan, struct strips_outcome *outcome,
                      struct failure *failure);
/* Is the grid what was written, and is it the last one? `trust`: it is not compared with its
 * digest. `note` gets a line about what was compared. False with *failure set: FAILURE_STOPPED and
 * what scow run --resume would do; FAILURE_MISMATCH: a run is still writing to it, or it cannot be
 * read.
 */
bool strips_file_check(const char *path, bool trust, struct text *note, struct failure *failure);

#endif

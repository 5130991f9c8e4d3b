/* Does a run's output hold what was written to it, as far as can be said without its core task? For
 * who asks from outside; serial, no MPI needed. */
#ifndef SPMD_ARCHIVE_INTACT_FILE_H
#define SPMD_ARCHIVE_INTACT_FILE_H

#include <stdbool.h>

#include "planner/base/failure.h"
#include "planner/base/text.h"

/* Compares all results with their digests; `trust`: only the sizes of the files with what core
 * tasks emitted. `note` gets a line about what was compared. False with *failure set:
 * FAILURE_STOPPED and what does not agree, which scow run --resume does again; FAILURE_MISMATCH: it
 * cannot be read. */
bool intact_file_check(const char *path, bool trust, struct text *note, struct failure *failure);

#endif

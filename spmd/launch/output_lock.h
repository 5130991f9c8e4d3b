/* The lock on an output that is gone on with (planner/base/file_lock.h). */
#ifndef SPMD_LAUNCH_OUTPUT_LOCK_H
#define SPMD_LAUNCH_OUTPUT_LOCK_H

#include "planner/base/failure.h"

/* Local, waits: ranks of a run that was killed may need a moment to be gone. A descriptor to be
 * closed, with which the output is held; negative with *failure set: somebody else holds it, or it
 * cannot be opened. */
int output_lock(const char *path, struct failure *failure);

#endif

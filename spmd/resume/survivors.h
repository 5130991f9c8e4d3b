/* What the core tasks of a level have emitted, out of its output: what its next level follows from.
 * Serial. */
#ifndef SPMD_RESUME_SURVIVORS_H
#define SPMD_RESUME_SURVIVORS_H

#include <stdbool.h>

#include "kernel/scow.h"
#include "planner/base/failure.h"

struct survivors {
    struct scow_survivors all; /* points to the others */
    int64_t *at;               /* owned */
    char *bytes;               /* owned */
};

/* All of it, in memory; the output is of a run that has reached its end, or of one that holds as
 * many core tasks. False with *failure set: it cannot be read. To be released in any case. */
bool survivors_read(struct survivors *survivors, const char *path, int64_t tasks,
                    struct failure *failure);
void survivors_release(struct survivors *survivors);

#endif

/* The core tasks of a run that took longest, where their records say for how long. Serial. */
#ifndef SPMD_ARCHIVE_SLOWEST_H
#define SPMD_ARCHIVE_SLOWEST_H

#include <stdbool.h>

#include "planner/base/failure.h"
#include "planner/base/text.h"

/* Those of the output `path` as one JSON array, the slowest first: "task" (from 1), "seconds",
 * "line" (null: not known), "failed"; "null" where records have no seconds. */
bool slowest_print(const char *path, struct text *text, struct failure *failure);

#endif

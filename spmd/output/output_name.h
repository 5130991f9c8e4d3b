/* Names of output files, which are HDF5 whatever they are called. */
#ifndef SPMD_OUTPUT_OUTPUT_NAME_H
#define SPMD_OUTPUT_OUTPUT_NAME_H

#include <stdbool.h>

#include "planner/base/failure.h"

/* Has the name of a new file an ending of HDF5 files, or none? FAILURE_USAGE: it has another one,
 * which promises text or a picture. Existing files may have any name. Local to the master. */
bool output_name_check(const char *path, struct failure *failure);
/* "dir/out.h5" and ".plan.json": "dir/out.plan.json". Owned; NULL: out of memory. */
char *output_name_beside(const char *path, const char *ending);

#endif

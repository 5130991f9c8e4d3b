/* Names of output files, which are HDF5 whatever they are called. */
#ifndef SPMD_JOB_OUTPUT_NAME_H
#define SPMD_JOB_OUTPUT_NAME_H

#include <stdbool.h>
#include <stdint.h>

#include "planner/base/failure.h"

/* Has the name of a new file an ending of HDF5 files, or none? FAILURE_USAGE: it has another one,
 * which promises text or a picture. Existing files may have any name. Local to the master. */
bool output_name_check(const char *path, struct failure *failure);
/* "dir/out.h5" and ".plan.json": "dir/out.plan.json". Owned; NULL: out of memory. */
char *output_name_beside(const char *path, const char *ending);
/* Of a search in levels: "dir/out.level2.h5", what the output of a level that is done is called, of
 * "dir/out.h5". Likewise. */
char *output_name_level(const char *path, int64_t level);
/* And "dir/out.h5" of "dir/out.level2.h5"; of a path that is no such name, the same. */
char *output_name_search(const char *path, int64_t level);

#endif

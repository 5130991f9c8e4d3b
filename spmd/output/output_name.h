/* Names of output files, which are HDF5 whatever they are called. */
#ifndef SPMD_OUTPUT_OUTPUT_NAME_H
#define SPMD_OUTPUT_OUTPUT_NAME_H

#include <stdbool.h>

#include "planner/base/failure.h"

/* Does a file that is to be made have an ending of HDF5's, or none? FAILURE_USAGE: another one, of
 * which people expect texts or pictures. What is there already keeps its name. Local to the master.
 */
bool output_name_check(const char *path, struct failure *failure);
/* "dir/out.h5" and ".plan.json": "dir/out.plan.json". Owned; NULL: out of memory. */
char *output_name_beside(const char *path, const char *ending);

#endif

/* The trace of one part of a run, as its output has it: in memory where it is short, else read
 * again, block by block, whenever it is asked for. Local, serial. */
#ifndef SPMD_ARCHIVE_ARCHIVE_TRACE_H
#define SPMD_ARCHIVE_ARCHIVE_TRACE_H

#include <hdf5.h>

#include "planner/report/report.h"

/* Into part->trace or part->long_trace, which stays empty where nothing was traced. `path` is of
 * the file, `group` of the part in it. Where the part is cut short, packages that nobody has begun
 * are left out, and the others numbered in their order. */
bool archive_trace_read(hid_t file, const char *path, const char *group, struct run_record *part,
                        struct failure *failure);

#endif

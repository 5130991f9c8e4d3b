/* The trace of one part of a run, as its output has it, or the file beside that
 * (layout/trace_file.h): in memory where it is short, else read again, block by block, whenever it
 * is asked for. Local, serial. */
#ifndef SPMD_ARCHIVE_ARCHIVE_TRACE_H
#define SPMD_ARCHIVE_ARCHIVE_TRACE_H

#include "planner/report/report.h"
#include "spmd/layout/trace_file.h"

/* Into part->trace or part->long_trace, which stays empty where nothing was traced. `path` is of
 * the output, `group` of the part in it. Where the part is cut short, packages that nobody has
 * begun are left out, and the others numbered in their order. */
bool archive_trace_read(const char *path, const char *group, const struct trace_part *which,
                        struct run_record *part, struct failure *failure);

#endif

/* The parts that a run was done in: plans, profiles, traces, and what each says of itself. */
#ifndef SPMD_ARCHIVE_ARCHIVE_PARTS_H
#define SPMD_ARCHIVE_ARCHIVE_PARTS_H

#include <hdf5.h>

#include "planner/report/report.h"

/* The parts of a run into a record that is empty: the one with that number as the record's own, 0:
 * the last one that left a trace, and the others beside it; RUN_PLAN_ONLY. */
bool archive_parts(hid_t file, const char *path, int64_t part, struct run_record *record,
                   struct failure *failure);

#endif

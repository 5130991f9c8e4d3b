/* The levels of a search, from the output of its last one and those that are kept beside it. */
#ifndef SPMD_ARCHIVE_ARCHIVE_LEVELS_H
#define SPMD_ARCHIVE_ARCHIVE_LEVELS_H

#include <hdf5.h>

#include "planner/report/report.h"

/* Into the record, by number; those whose files are there. Of other runs nothing. */
bool archive_levels(hid_t file, const char *path, struct run_record *record,
                    struct failure *failure);

#endif

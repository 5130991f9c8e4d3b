/* Reading a run's output back, for reports. Serial, no MPI needed. */
#ifndef SPMD_ARCHIVE_H
#define SPMD_ARCHIVE_H

#include <stdbool.h>

#include "planner/failure.h"
#include "planner/report.h"

/* Everything in `path` but the results themselves. Refuses files that scow run did not write. */
bool archive_read(const char *path, struct run_record *record, struct failure *failure);

#endif

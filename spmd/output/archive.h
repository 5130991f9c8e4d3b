/* Reading a run's output back, for reports. Serial, no MPI needed. */
#ifndef SPMD_OUTPUT_ARCHIVE_H
#define SPMD_OUTPUT_ARCHIVE_H

#include <stdbool.h>

#include "planner/base/failure.h"
#include "planner/report/report.h"

/* Everything in `path` but the results themselves. Refuses files that scow run did not write. */
bool archive_read(const char *path, struct run_record *record, struct failure *failure);
/* Did the run of `path` reach its end, so that all of the file means something? If not, a sentence.
 */
bool archive_finished(const char *path, struct failure *failure);

#endif

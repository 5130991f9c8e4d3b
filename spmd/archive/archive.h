/* Reading a run's output back, for reports. Serial, no MPI needed. */
#ifndef SPMD_ARCHIVE_ARCHIVE_H
#define SPMD_ARCHIVE_ARCHIVE_H

#include <stdbool.h>

#include "planner/base/failure.h"
#include "planner/base/text.h"
#include "planner/report/report.h"

/* Everything in `path` but the results themselves. Refuses files that scow run did not write.
 * `part`: whose plan and trace are the record's own, from 1; 0: of the last part that has a trace;
 * RUN_PLAN_ONLY. */
bool archive_read(const char *path, int64_t part, struct run_record *record,
                  struct failure *failure);
/* The record of the last level of a search whose output is `path`, or would be if the level after
 * the last one had begun: with all levels, and without traces. FAILURE_MISMATCH: it is none. */
bool archive_search(const char *path, struct run_record *record, struct failure *failure);
/* Did the run of `path` reach its end and make a picture? If not, a sentence. */
bool archive_pictured(const char *path, struct failure *failure);
/* What core task `task` left: its record, field by field, and what it emitted. */
bool archive_task(const char *path, int64_t task, struct text *text, struct failure *failure);
/* The tasks of a run of commands, one a line, in GNU parallel's columns. */
bool archive_joblog(const char *path, struct text *text, struct failure *failure);

#endif

/* A search in levels as a whole: what became of each of its levels, whose outputs are files of
 * their own, and what to do to go on with it. */
#ifndef PLANNER_REPORT_SEARCH_H
#define PLANNER_REPORT_SEARCH_H

#include "planner/base/failure.h"
#include "planner/base/text.h"
#include "planner/report/report.h"

/* Of the record of its last level; `output` is the search's, as the user named it. */
void search_text(const struct run_record *record, const char *output, struct text *text);
/* One JSON value ("scow-search-1"). `checked`: all levels hold what was written to them. */
void search_json(const struct run_record *record, const char *output, bool checked,
                 struct text *text);
/* As the search itself ended, or would: false with FAILURE_STOPPED and what to do to go on, or
 * FAILURE_FAILED where core tasks failed. */
bool search_ended(const struct run_record *record, const char *output, struct failure *failure);

#endif

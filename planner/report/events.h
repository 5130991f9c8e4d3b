/* The events of a run and of its plan, for what draws or lists them. */
#ifndef PLANNER_REPORT_EVENTS_H
#define PLANNER_REPORT_EVENTS_H

#include <stdint.h>

#include "planner/base/failure.h"
#include "planner/base/text.h"
#include "planner/model/trace.h"
#include "planner/report/report.h"

/* One JSON object: "operations" and "causes" (their words), "packages", "drawn" (of them, the first
 * ones, so that at most `most` events of each kind are there), and "measured" and "predicted",
 * null or an object of equally long columns: "rank", "operation", "cause" (of an idle time, else
 * -1), "round", "package", "first", "tasks", "start_ns", "length_ns". An idle time is of the
 * package that ended it. False: out of memory, or events that no run can have. */
bool events_print(const struct run_record *record, int64_t most, struct text *text,
                  struct failure *failure);
/* The same for one trace, predicted, or NULL. */
bool events_print_traces(const struct trace *measured, const struct trace *predicted, int64_t most,
                         struct text *text, struct failure *failure);
/* Comma-separated values of all events, measured and predicted, one a line, with a first line of
 * names; times in seconds. Owned; NULL with *failure set. */
char *events_csv(const struct run_record *record, struct failure *failure);

#endif

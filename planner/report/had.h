/* What workers had of their processors while they computed, as far as their run says it, and what
 * was planned with. */
#ifndef PLANNER_REPORT_HAD_H
#define PLANNER_REPORT_HAD_H

#include "planner/base/json_text.h"
#include "planner/report/report.h"

/* A line that says the least and the mean of all; nothing where none is known. */
void had_text(const struct run_record *record, struct text *text);
/* Of the table of workers: the column's head, and what one had; nothing where none is known. */
void had_head(const struct run_record *record, struct text *text);
void had_column(const struct run_record *record, int64_t worker, struct text *text);
/* "availability" of one worker, null where it is not known, and "availability_planned". */
void had_json(const struct run_record *record, int64_t worker, struct json_text *json);

#endif

/* The levels of a search, predicted beside measured. Of other runs nothing. */
#ifndef PLANNER_REPORT_LEVELS_H
#define PLANNER_REPORT_LEVELS_H

#include "planner/base/json_text.h"
#include "planner/report/report.h"

/* A table, with an empty line behind it. */
void levels_text(const struct run_record *record, struct text *text);
/* "levels": [{"level", "tasks", "predicted_s", "measured_s", "error"}, ...]. */
void levels_json(const struct run_record *record, struct json_text *json);

#endif

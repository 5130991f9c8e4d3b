/* The levels of a search: what a plan expects of them, and, of a run, expected and predicted beside
 * measured. Of other plans and runs nothing. */
#ifndef PLANNER_REPORT_LEVELS_H
#define PLANNER_REPORT_LEVELS_H

#include "planner/base/json_text.h"
#include "planner/report/report.h"

/* A plan's, as a table with a line that says what it is, an empty line before it. */
void levels_plan_text(const struct plan *plan, struct text *text);
/* A run's, as a table with an empty line after it. */
void levels_text(const struct run_record *record, struct text *text);
/* The table alone. */
void levels_table(const struct run_record *record, struct text *text);
/* Of one level: "predicted_s", "measured_s", "error" and, where a plan expected it,
 * "expected_tasks", "expected_s". */
void levels_json_times(const struct run_level *level, struct json_text *row);
/* "levels": [{"level", "tasks" and these}, ...]. */
void levels_json(const struct run_record *record, struct json_text *json);

#endif

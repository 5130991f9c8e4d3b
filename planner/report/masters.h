/*
 * A run of several masters side by side, star by star: each is seen as a run of its own, with one
 * master, its part of the plan and its part of the trace, and compared with that; together they are
 * the run.
 */
#ifndef PLANNER_REPORT_MASTERS_H
#define PLANNER_REPORT_MASTERS_H

#include "planner/base/json_text.h"
#include "planner/report/residuals.h"

/* Of a run whose plan has stars: those of the stars, and of all of them together. To be released.
 */
bool masters_residuals(const struct run_record *record, struct residuals *residuals,
                       struct failure *failure);
/* A table with a row for each star, or for each group of a tree that has workers, and the member
 * "masters" or "groups"; nothing where there is one master. */
void masters_text(const struct residuals *residuals, struct text *text);
void masters_json(const struct residuals *residuals, struct json_text *json);

#endif

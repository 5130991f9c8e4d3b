/* What was out of the ordinary in a run. */
#ifndef PLANNER_REPORT_REMARKS_H
#define PLANNER_REPORT_REMARKS_H

#include "planner/base/text.h"
#include "planner/report/report.h"

/* How the run was unlike its calibration: a line each, their heads in the first 12 columns. */
void remarks_conditions(const struct run_record *record, struct text *text);
/* A JSON array of sentences without their stops: changes of the plan, workers lost, conditions
 * other than the calibration's, workers that nobody measured. */
void remarks_json(const struct run_record *record, struct text *text);

#endif

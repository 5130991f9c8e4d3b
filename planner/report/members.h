/* Workers that joined a run while it went on: when, what each did, and when and why it left. */
#ifndef PLANNER_REPORT_MEMBERS_H
#define PLANNER_REPORT_MEMBERS_H

#include "planner/base/text.h"
#include "planner/report/report.h"

/* A line each, of the first few, and one of all others together; of other runs nothing. */
void members_text(const struct run_record *record, struct text *text);

#endif

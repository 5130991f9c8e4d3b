/* Profiles and plans as people read them. */
#ifndef PLANNER_REPORT_DESCRIBE_H
#define PLANNER_REPORT_DESCRIBE_H

#include "planner/base/text.h"
#include "planner/model/plan.h"
#include "planner/model/profile.h"
#include "planner/report/report.h"

/* " (bank source, block 64)" or nothing, and the line's end. */
void describe_parameters(const struct parameter_list *list, struct text *text);
void describe_profile(const struct profile *profile, struct text *text);
/* How the run was unlike its calibration: a line each, their heads in the first 12 columns. */
void describe_conditions(const struct run_record *record, struct text *text);
/* One line on what the profile's other settings would have given, where there are any. */
void describe_others(const struct plan *plan, struct text *text);
/* `available`: workers that the plan could have used; 0: not known. */
void describe_plan(const struct plan *plan, int64_t available, struct text *text);

#endif

/* What the plan of a run, or the rule that dealt its packages, predicts by the run's profile. */
#ifndef PLANNER_REPORT_PREDICTION_H
#define PLANNER_REPORT_PREDICTION_H

#include "planner/report/report.h"

/* The trace that the plan's simulation with the profile leaves; to be released. Of a rule alone,
 * *interval_s gets what 90 % of such runs lie between; it may be NULL. */
bool prediction_make(const struct run_record *record, struct trace *trace, double *interval_s,
                     struct failure *failure);
/* The makespan that was predicted of what the record's part did; NaN: it is not known. */
double prediction_end(const struct run_record *record);
/* What the plan, or the rule, promised before anybody was lost; NaN: nobody was, or it is not
 * known. */
double prediction_undisturbed(const struct run_record *record);

#endif

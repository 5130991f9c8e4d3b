/* What the plan of a run, or the rule that assigned its packages, predicts by the run's profile. */
#ifndef PLANNER_REPORT_PREDICTION_H
#define PLANNER_REPORT_PREDICTION_H

#include "planner/report/report.h"

/* Is there a prediction of the run? Of what was assigned on request, and of what was left of a run,
 * there may be none, and the report does without: pieces between core tasks that were done before
 * may lie in no window. */
enum prediction_wanted { PREDICTION_NONE, PREDICTION_TRIED, PREDICTION_NEEDED };
enum prediction_wanted prediction_wanted(const struct run_record *record);

/* The trace that the plan's simulation with the profile leaves; to be released. Of a rule alone,
 * *interval_s gets what 90 % of such runs lie between; it may be NULL. */
bool prediction_make(const struct run_record *record, struct trace *trace, double *interval_s,
                     struct failure *failure);
/* Did the run do what its plan's interval, and median, are of? */
bool prediction_is_plans(const struct run_record *record);
/* The makespan that was predicted of what the record's part did; NaN: it is not known. */
double prediction_end(const struct run_record *record);
/* What the plan, or the rule, promised before anybody was lost; NaN: nobody was, or it is not
 * known. */
double prediction_undisturbed(const struct run_record *record);

#endif

/* Reports on runs that went on after they had been stopped or killed. */
#ifndef PLANNER_REPORT_RESUMED_H
#define PLANNER_REPORT_RESUMED_H

#include <stdbool.h>

#include "planner/base/text.h"
#include "planner/report/report.h"

/* Of a file that does not say what its last part had planned, though the trace is of that part:
 * from here on the record's plan is that of the packages in its trace, as they were sent, and no
 * rule has assigned them; its profile has as many workers. Where they are too many to be listed,
 * the plan has of each worker its largest package, and its other core tasks in equal ones. False:
 * out of memory. */
bool run_record_last_part(struct run_record *record);
/* The same of a run that was surveyed, whose plan says no more than what was predicted: that stays.
 */
bool run_record_sent(struct run_record *record);
/* Of a part that was stopped: packages that were sent and that nobody has begun leave its trace,
 * and the others are numbered in their order. False: out of memory. */
bool run_record_cut_short(struct run_record *record);

/* Add a line to a description of the record's plan: that it is not what was sent; nothing where it
 * is. */
void run_record_spread_tell(const struct run_record *record, struct text *text);

#endif

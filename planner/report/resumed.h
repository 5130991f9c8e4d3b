/* Reports on runs that went on after they had been stopped or killed. */
#ifndef PLANNER_REPORT_RESUMED_H
#define PLANNER_REPORT_RESUMED_H

#include <stdbool.h>

#include "planner/report/report.h"

/* The trace is of the last part, and what was left then was planned anew: from here on the record's
 * plan is that of the packages in its trace, as they were sent, and no rule has dealt them; its
 * profile has as many workers. False: out of memory. */
bool run_record_last_part(struct run_record *record);

#endif

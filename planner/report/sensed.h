/* What a run found of its workers' processors and network, as `scow sense` writes down what it has
 * seen: lines of a load file. */
#ifndef PLANNER_REPORT_SENSED_H
#define PLANNER_REPORT_SENSED_H

#include <stdbool.h>

#include "planner/base/failure.h"
#include "planner/base/text.h"
#include "planner/report/report.h"

/* Add the lines of that time, seconds since 1970: for the nodes of each class of the run's profile
 * (shares_nodes) the mean of those of its workers that are known. FAILURE_MISMATCH: of none is. */
bool sensed_lines(const struct run_record *record, double time_s, struct text *lines,
                  struct failure *failure);

#endif

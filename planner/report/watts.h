/* What a run says of the watts of its ranks. */
#ifndef PLANNER_REPORT_WATTS_H
#define PLANNER_REPORT_WATTS_H

#include "planner/report/report.h"

/* The profile's watts, scaled so that the run's ranks together took what was measured, half of the
 * way where they were known before; where none was, each rank the same. Nothing where the energy is
 * not known, or that of one part of several. */
void watts_learn(const struct run_record *record, struct profile *profile);

#endif

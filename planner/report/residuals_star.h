/*
 * The residuals of a run that has one master, or of one star of a run that has several: what was
 * predicted for it, what its trace says, and the same simulated with what each package took.
 */
#ifndef PLANNER_REPORT_RESIDUALS_STAR_H
#define PLANNER_REPORT_RESIDUALS_STAR_H

#include "planner/report/residuals.h"

/* The record has a trace (residuals_traced) and a plan without stars. As residuals_make_alone; what
 * it makes is to be released. */
bool residuals_star_make(const struct run_record *record, const struct replay_alone *alone,
                         int64_t alone_count, struct residuals *residuals, struct failure *failure);

#endif

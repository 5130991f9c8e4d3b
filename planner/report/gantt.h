/* A plan as a picture of letters: who does what when. */
#ifndef PLANNER_REPORT_GANTT_H
#define PLANNER_REPORT_GANTT_H

#include "planner/base/failure.h"
#include "planner/base/text.h"
#include "planner/model/plan.h"
#include "planner/model/trace.h"

/* Refuses plans of very many packages: ask before they are simulated. */
bool gantt_check(const struct plan *plan, struct failure *failure);
/* Of the plan's simulation: one line for the master, one for the port, one for each of the first
 * workers in activation order, and then of others that a tail assigned to. */
bool gantt_draw(const struct plan *plan, const struct trace *trace, struct text *text,
                struct failure *failure);

#endif

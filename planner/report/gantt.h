/* A plan as a picture of letters: who does what when. */
#ifndef PLANNER_REPORT_GANTT_H
#define PLANNER_REPORT_GANTT_H

#include "planner/base/failure.h"
#include "planner/base/text.h"
#include "planner/model/plan.h"
#include "planner/model/platform.h"

/* One line for the master, one for the port, one for each of the first workers in activation
 * order. Plans of very many packages are refused. */
bool gantt_draw(const struct platform *platform, const struct plan *plan, struct text *text,
                struct failure *failure);

#endif

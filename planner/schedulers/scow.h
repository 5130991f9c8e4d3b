/*
 * The periodic plan of de la Torre, chapter 5: rounds of one period, discretised, with an adjusted
 * last round; shared by scow-mp and scow-pwu.
 */
#ifndef PLANNER_SCHEDULERS_SCOW_H
#define PLANNER_SCHEDULERS_SCOW_H

#include "planner/schedulers/contest.h"
#include "planner/schedulers/period.h"

/* Everything a scheduler of this family does: all windows, orders, workers and rounds compete. */
bool scow_make(const struct schedule_request *request, enum period_goal goal, const char *name,
               struct plan *plan, struct failure *failure);
/* One lineup's candidates into a running contest. */
void scow_search(struct contest *contest, const struct lineup *lineup, enum period_goal goal);

#endif

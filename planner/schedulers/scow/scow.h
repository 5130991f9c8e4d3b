/*
 * The periodic plan of de la Torre, chapter 5: rounds of one period, discretised, with an adjusted
 * last round; shared by scow-mp, scow-mu and scow-pwu.
 */
#ifndef PLANNER_SCHEDULERS_SCOW_SCOW_H
#define PLANNER_SCHEDULERS_SCOW_SCOW_H

#include "planner/schedulers/search/period.h"
#include "planner/schedulers/search/search.h"

/* Everything a scheduler of this family does: all windows, orders, workers and rounds are
 * candidates. */
bool scow_make(const struct schedule_request *request, enum period_goal goal, struct plan *plan,
               struct failure *failure);
/* One ranking's candidates into a running search. */
void scow_search(struct search *search, const struct ranking *ranking, enum period_goal goal);

#endif

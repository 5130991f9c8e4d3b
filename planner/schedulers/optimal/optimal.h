/* The last row of the scheduler table: linear programs over orders, workers and rounds. With the
 * contract of struct scheduler. */
#ifndef PLANNER_SCHEDULERS_OPTIMAL_OPTIMAL_H
#define PLANNER_SCHEDULERS_OPTIMAL_OPTIMAL_H

#include "planner/schedulers/search/schedule.h"

bool optimal_make(const struct schedule_request *request, struct plan *plan,
                  struct failure *failure);

#endif

/*
 * The rows of the scheduler table: one `make` per file, with the contract of struct scheduler.
 */
#ifndef PLANNER_SCHEDULERS_H
#define PLANNER_SCHEDULERS_H

#include "planner/scheduler.h"

bool scow_mp_make(const struct schedule_request *request, struct plan *plan,
                  struct failure *failure);
bool scow_pwu_make(const struct schedule_request *request, struct plan *plan,
                   struct failure *failure);
bool static_split_make(const struct schedule_request *request, struct plan *plan,
                       struct failure *failure);
bool optimal_make(const struct schedule_request *request, struct plan *plan,
                  struct failure *failure);

#endif

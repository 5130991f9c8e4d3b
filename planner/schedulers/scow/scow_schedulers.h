/* The rows of the scheduler table that are in this room: one `make` per file, with the contract of
 * struct scheduler. */
#ifndef PLANNER_SCHEDULERS_SCOW_SCOW_SCHEDULERS_H
#define PLANNER_SCHEDULERS_SCOW_SCOW_SCHEDULERS_H

#include "planner/schedulers/search/schedule.h"

bool scow_mp_make(const struct schedule_request *request, struct plan *plan,
                  struct failure *failure);
bool scow_mu_make(const struct schedule_request *request, struct plan *plan,
                  struct failure *failure);
bool scow_pwu_make(const struct schedule_request *request, struct plan *plan,
                   struct failure *failure);
bool periodic_make(const struct schedule_request *request, struct plan *plan,
                   struct failure *failure);

#endif

/* The rows of the scheduler table that are in this room: one `make` per file, with the contract of
 * struct scheduler. */
#ifndef PLANNER_SCHEDULERS_ROUNDS_ROUNDS_SCHEDULERS_H
#define PLANNER_SCHEDULERS_ROUNDS_ROUNDS_SCHEDULERS_H

#include "planner/schedulers/search/schedule.h"

bool apples_make(const struct schedule_request *request, struct plan *plan,
                 struct failure *failure);
bool umr_make(const struct schedule_request *request, struct plan *plan, struct failure *failure);
bool umr2_make(const struct schedule_request *request, struct plan *plan, struct failure *failure);
bool umr_scow_make(const struct schedule_request *request, struct plan *plan,
                   struct failure *failure);
bool multi_installment_make(const struct schedule_request *request, struct plan *plan,
                            struct failure *failure);
bool single_round_make(const struct schedule_request *request, struct plan *plan,
                       struct failure *failure);
bool static_split_make(const struct schedule_request *request, struct plan *plan,
                       struct failure *failure);

#endif

/*
 * The rows of the scheduler table: one `make` per file, with the contract of struct scheduler.
 */
#ifndef PLANNER_SCHEDULERS_SCHEDULERS_H
#define PLANNER_SCHEDULERS_SCHEDULERS_H

#include "planner/schedulers/scheduler.h"

bool scow_mp_make(const struct schedule_request *request, struct plan *plan,
                  struct failure *failure);
bool scow_pwu_make(const struct schedule_request *request, struct plan *plan,
                   struct failure *failure);
bool static_split_make(const struct schedule_request *request, struct plan *plan,
                       struct failure *failure);
bool periodic_make(const struct schedule_request *request, struct plan *plan,
                   struct failure *failure);
bool umr_make(const struct schedule_request *request, struct plan *plan, struct failure *failure);
bool umr2_make(const struct schedule_request *request, struct plan *plan, struct failure *failure);
bool umr_scow_make(const struct schedule_request *request, struct plan *plan,
                   struct failure *failure);
bool multi_installment_make(const struct schedule_request *request, struct plan *plan,
                            struct failure *failure);
bool single_round_make(const struct schedule_request *request, struct plan *plan,
                       struct failure *failure);
bool optimal_make(const struct schedule_request *request, struct plan *plan,
                  struct failure *failure);

#endif

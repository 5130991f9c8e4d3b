/* A scheduler on the workers that are ready early: a worker whose start-up takes too long is left
 * out. */
#ifndef PLANNER_SCHEDULERS_SEARCH_READY_H
#define PLANNER_SCHEDULERS_SEARCH_READY_H

#include "planner/schedulers/search/schedule.h"

/*
 * The best plan of fewer_make for all workers, and for those whose start is at most s, for every s
 * that some worker has (of more than READY_SETS values, for so many spread over them). Sets that a
 * lower bound excludes are left out. Where all starts are equal, just fewer_make.
 *
 * False with *failure FAILURE_INFEASIBLE and the bare reason where there is no plan.
 */
bool ready_make(const struct scheduler *scheduler, const struct schedule_request *request,
                struct plan *plan, struct failure *failure);

enum { READY_SETS = 16 };

#endif

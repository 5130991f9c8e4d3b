/* A scheduler on the first workers only: more of them must never make a plan worse. */
#ifndef PLANNER_SCHEDULERS_FEWER_H
#define PLANNER_SCHEDULERS_FEWER_H

#include "planner/schedulers/scheduler.h"

/* Replace *plan, the scheduler's for the whole platform (`makespan_s` HUGE_VAL: it has none), by a
 * better one that it makes for the first k workers of the platform, k less than all. Every k is
 * tried up to FEWER_EVERY workers, beyond that a choice that depends on the number of workers as
 * little as possible; those that a lower bound excludes are left out. False where memory ends. */
bool fewer_try(const struct scheduler *scheduler, const struct schedule_request *request,
               struct plan *plan, double *makespan_s, struct failure *failure);

enum { FEWER_EVERY = 32 };

#endif

/* Which core tasks of a job a plan gives to whom: to each of its places, to the master of a group.
 */
#ifndef PLANNER_MODEL_PLAN_RANGES_H
#define PLANNER_MODEL_PLAN_RANGES_H

#include "planner/model/plan.h"
#include "planner/model/task_range.h"

/* Neighbouring core tasks of the job, in the order in which somebody gets them. */
struct plan_ranges {
    struct task_range *items; /* owned */
    size_t count, capacity;
};

/* Of a plan for the core tasks of these ranges, what each place gets: plan->worker_count owned
 * ones, to be freed by plan_ranges_free. NULL: out of memory. */
struct plan_ranges *plan_ranges_of(const struct plan *plan, const struct plan_ranges *ranges);
void plan_ranges_free(struct plan_ranges *ranges, int64_t count);
/* Of a whole plan with children, what the group of that master gets, as long as nobody is lost;
 * free its items in any case. False: out of memory. */
bool plan_ranges_group(const struct plan *whole, int64_t master, struct plan_ranges *ranges);

#endif

/*
 * Plans of a tree's masters for core tasks whose weights are known: each for those that its master
 * gets, in the order in which they come, as if they were a job of their own.
 */
#ifndef PLANNER_STUDIES_TREE_WEIGHED_H
#define PLANNER_STUDIES_TREE_WEIGHED_H

#include "planner/schedulers/scheduler.h"
#include "planner/studies/tree_parts.h"

/* Neighbouring core tasks of the job, in the order in which somebody gets them. */
struct tree_ranges {
    struct task_range *items; /* owned */
    size_t count, capacity;
};

/* The scheduler's plan of the node for these, its packages by weight; places are as the node counts
 * them. False with *failure set, or FAILURE_INFEASIBLE in it: there is none. */
bool tree_weighed_schedule(const struct tree *tree, const struct node *node,
                           const struct schedule_request *request,
                           const struct scheduler *scheduler, const struct tree_ranges *ranges,
                           struct plan *plan, struct failure *failure);
/* Of a plan for the core tasks of these ranges, what each place gets: plan->worker_count owned
 * ones, to be freed by tree_ranges_free. NULL: out of memory. */
struct tree_ranges *tree_ranges_of(const struct plan *plan, const struct tree_ranges *ranges);
void tree_ranges_free(struct tree_ranges *ranges, int64_t count);

#endif

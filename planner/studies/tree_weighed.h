/*
 * Plans of a tree's masters for core tasks whose weights are known: each for those that its master
 * gets, in the order in which they come, as if they were a job of their own.
 */
#ifndef PLANNER_STUDIES_TREE_WEIGHED_H
#define PLANNER_STUDIES_TREE_WEIGHED_H

#include "planner/model/plan_ranges.h"
#include "planner/schedulers/scheduler.h"
#include "planner/studies/tree_parts.h"

/* Where a calibration found regions of the job, and nobody gave weights: the same as weights. */
struct tree_regions {
    struct planning planning;
    struct profile_setting setting; /* the planning's; borrows all else */
    struct task_weights *weights;   /* owned; the setting's */
};

/* Of regions that differ by more than their total may be off; else *regions is NULL. To be freed.
 * False: out of memory. */
bool tree_regions_make(const struct planning *planning, struct tree_regions **regions);
void tree_regions_free(struct tree_regions *regions);

/* The scheduler's plan of the node for these, its packages by weight; places are as the node counts
 * them. False with *failure set, or FAILURE_INFEASIBLE in it: there is none. */
bool tree_weighed_schedule(const struct tree *tree, const struct node *node,
                           const struct schedule_request *request,
                           const struct scheduler *scheduler, const struct plan_ranges *ranges,
                           struct plan *plan, struct failure *failure);

#endif

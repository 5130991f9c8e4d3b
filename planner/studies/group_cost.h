/*
 * A group of workers, with a master of its own, as a worker of the master above it. In a period T,
 * workers that take RW_j + rw_j x seconds for x core tasks make a T - b of them, where a is the sum
 * of 1 / rw_j and b that of RW_j / rw_j: the group takes b / a + x / a seconds for x core tasks
 * (equivalents of Banino's trees, with latencies).
 */
#ifndef PLANNER_STUDIES_GROUP_COST_H
#define PLANNER_STUDIES_GROUP_COST_H

#include "planner/model/platform.h"

/* Of packages of about `load` core tasks, which all workers share; where the group's port is what
 * limits it, with the port's rate. */
struct cost group_cost(const struct platform *platform, double load);

#endif

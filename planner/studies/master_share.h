/*
 * How much of a job its master computes itself, beside feeding its workers.
 *
 * Fluid model: the master, between envelopes and sends, computes core tasks one by one, x_0 of them
 * in w_0 each, and ends at sum(e + s) + w_0 x_0; the workers end the others by their plan. The more
 * the master takes, the later it ends and the earlier they do: x_0 is where both meet, found by
 * bisection (de la Torre, Scheduling Divisible Tasks under Production or Utilization Constraints,
 * remark after Definition 3). What the fluid model leaves out, an envelope that begins up to w_0
 * late, is in the plan's prediction, which is simulated (simulate/own_share.h).
 */
#ifndef PLANNER_STUDIES_MASTER_SHARE_H
#define PLANNER_STUDIES_MASTER_SHARE_H

#include <stdbool.h>

#include "planner/studies/planning.h"

/* Of a job without what the master computes. */
struct share_ends {
    double workers_s; /* the last worker's */
    double master_s;  /* envelopes and sends */
};

struct share_problem {
    double tasks;  /* of the job, > 0 */
    double task_s; /* w_0 > 0 */
    bool whole;    /* the share is a whole number */
    /* The ends with so many core tasks for the workers. FAILURE_INFEASIBLE: they can have no such
     * number, or it is too few. */
    bool (*ends)(void *self, double tasks, struct share_ends *ends, struct failure *failure);
    void *self;
};

/* x_0: of the two whole numbers beside the crossing the one with the earlier end. 0: the workers
 * are done before the master has computed one. */
bool master_share_find(const struct share_problem *problem, double *share, struct failure *failure);

/* A plan as planning_make, with the master's share; without one where that takes less. To be
 * released. FAILURE_MISMATCH: the profile does not say what a core task takes the master. */
bool master_share_make(const struct planning *planning, struct plan *plan, struct failure *failure);

#endif

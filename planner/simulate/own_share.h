/*
 * Core tasks that the master computes itself between its packages, one after the other (plan.h).
 * It works on them whenever it has nothing to send: an envelope begins at the end of the core task
 * under way, at most one core task late (de la Torre, Scheduling Divisible Tasks under Production
 * or Utilization Constraints, remark after Definition 3).
 */
#ifndef PLANNER_SIMULATE_OWN_SHARE_H
#define PLANNER_SIMULATE_OWN_SHARE_H

#include "planner/model/plan.h"
#include "planner/model/platform.h"

struct own_share {
    const struct platform *platform; /* borrowed */
    double first, left;              /* core tasks */
    double task_s;                   /* of one, on the mean */
};

/* Neighbouring core tasks that are computed without a break. */
struct own_span {
    double first, tasks;
    double seconds;
};

/* All of the plan's share. */
struct own_share own_share_of(const struct platform *platform, const struct plan *plan);
/* Core tasks that begin from at_s on until just before until_s (HUGE_VAL: never mind) if each takes
 * task_s: whole ones, but for the last of a real-valued plan's. At least one of those `left`. */
double own_share_count(double left, double task_s, double at_s, double until_s);
/* The next ones of the share, computed from at_s on, as the platform's work has them: the last one
 * begins before until_s. False: it is done. */
bool own_share_next(struct own_share *share, double at_s, double until_s, struct own_span *span);

#endif

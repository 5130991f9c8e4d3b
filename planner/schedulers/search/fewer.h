/* A scheduler on the first workers only: more of them must never make a plan worse. */
#ifndef PLANNER_SCHEDULERS_SEARCH_FEWER_H
#define PLANNER_SCHEDULERS_SEARCH_FEWER_H

#include <stdbool.h>

#include "planner/schedulers/bounds/bound_priced.h"
#include "planner/schedulers/search/schedule.h"

/* Can one more worker improve a plan? Estimates of the makespan by closed forms. */
struct estimate {
    double bound_s;       /* no schedule takes less */
    double production_s;  /* the continuous makespans of maximal production and of perfect */
    double utilization_s; /* utilization, the least of all windows and orders; HUGE_VAL: none */
};

/* Fails where memory ends. */
bool estimate_make(const struct schedule_request *request, struct estimate *estimate,
                   struct failure *failure);
/* Whether any of them is better, and by more than rounding, than with fewer workers. Where there
 * are no closed forms, any worker is useful. */
bool estimate_better(const struct estimate *estimate, const struct estimate *fewer);

/*
 * The best plan that the scheduler makes for the first k workers of the platform: for every k up to
 * FEWER_EVERY, and for those beyond it whose last worker is useful (estimate_better; for a
 * scheduler without SCHEDULER_FEWER_USEFUL, for every k). Which those are depends on the first k
 * workers alone, so every k of n workers is one of n + 1 workers, too, and no plan is worse with
 * more. Numbers of workers that a lower bound excludes are left out. With more than FEWER_SURE
 * workers, the numbers of workers planned for sum to at most FEWER_PLANNED, and a plan may be worse
 * with more workers.
 *
 * False with *failure FAILURE_INFEASIBLE and the bare reason where there is no plan.
 */
bool fewer_make(const struct scheduler *scheduler, const struct schedule_request *request,
                struct plan *plan, struct failure *failure);

/* The same for fewer workers than all, where that is better than `below_s`; *made tells whether.
 * Numbers of workers that the prices exclude are left out; prices of a bound near `below_s` exclude
 * many. Fails when out of memory. */
bool fewer_make_below(const struct scheduler *scheduler, const struct schedule_request *request,
                      const struct prices *prices, double below_s, struct plan *plan, bool *made,
                      struct failure *failure);

enum { FEWER_EVERY = 32, FEWER_SURE = 128, FEWER_PLANNED = 1000 };

#endif

/* A scheduler on the first workers only: more of them must never make a plan worse. */
#ifndef PLANNER_SCHEDULERS_SEARCH_FEWER_H
#define PLANNER_SCHEDULERS_SEARCH_FEWER_H

#include "planner/schedulers/bounds/bound_priced.h"
#include "planner/schedulers/search/schedule.h"

/*
 * The best plan that the scheduler makes for the first k workers of the platform: for every k up
 * to FEWER_EVERY, and for those beyond it whose last worker is useful (useful.h; for a scheduler
 * without SCHEDULER_FEWER_USEFUL, for every k). Which those are depends on the first k workers
 * alone, so every k of n workers is one of n + 1 workers, too, and no plan is worse with more.
 * Numbers that a lower bound excludes are left out. With more than FEWER_SURE workers, plans are
 * made for no more than FEWER_PLANNED workers in all, and may be worse with more.
 *
 * False with *failure FAILURE_INFEASIBLE and the bare reason where there is no plan.
 */
bool fewer_make(const struct scheduler *scheduler, const struct schedule_request *request,
                struct plan *plan, struct failure *failure);

/* The same for fewer workers than all, where that is better than `below_s`; *made tells whether.
 * The prices exclude what they can: those of a bound near `below_s` exclude much. Fails where
 * memory ends. */
bool fewer_make_below(const struct scheduler *scheduler, const struct schedule_request *request,
                      const struct prices *prices, double below_s, struct plan *plan, bool *made,
                      struct failure *failure);

enum { FEWER_EVERY = 32, FEWER_SURE = 128, FEWER_PLANNED = 1000 };

#endif

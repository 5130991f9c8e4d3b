/*
 * Schedulers: each turns work and platform into loads. One file each, one row each in the table.
 */
#ifndef PLANNER_SCHEDULERS_SCHEDULER_H
#define PLANNER_SCHEDULERS_SCHEDULER_H

#include <stdbool.h>
#include <stddef.h>

#include "planner/base/failure.h"
#include "planner/model/plan.h"
#include "planner/model/platform.h"
#include "planner/schedulers/search/schedule.h"

/* Not in the table: the least predicted makespan of all that apply, and of equal ones the least
 * worker-seconds. */
#define SCHEDULER_AUTO "auto"
/* The one to plan with where many plans are needed: near the best, and made in milliseconds. */
#define SCHEDULER_QUICK "scow-mp"

/* All of them, `auto` not among them, in the order in which they are listed. Borrowed, static. */
const struct scheduler *scheduler_list(size_t *count);
const struct scheduler *scheduler_find(const char *name);
/* The scheduler's plan, which bears its name and has been checked (plan_check): the best one that
 * it makes for all workers or for the first ones of the platform (fewer.h), so that allowing more
 * makes no plan worse, or for those that are ready early (ready.h). Fails with FAILURE_INFEASIBLE,
 * name and reason where the scheduler does not apply. */
bool scheduler_make(const struct scheduler *scheduler, const struct schedule_request *request,
                    struct plan *plan, struct failure *failure);
/* The same for all workers of the platform: no fewer are tried, and the plan has no name. Fails
 * with the bare reason. */
bool scheduler_make_for_all(const struct scheduler *scheduler,
                            const struct schedule_request *request, struct plan *plan,
                            struct failure *failure);

/* Every scheduler once, `optimal` from what the others make. Where the effort is limited, the
 * others have half of it, and what they leave is for `optimal`. Fails where memory ends. */
bool schedule_set_make(const struct schedule_request *request, struct schedule_set *set,
                       struct failure *failure);
void schedule_set_release(struct schedule_set *set);

enum { SCHEDULERS_MOST = 32 };

/* Schedulers that were left out, or cut short. */
struct schedule_omissions {
    struct {
        const char *scheduler; /* static */
        enum schedule_omission why;
    } items[SCHEDULERS_MOST];
    size_t count;
};

/* By how much longer than the least makespan, relative, a plan may take and still be as good as it:
 * less than any prediction is sure of. Workers cost something, so the thriftier one is better. */
#define SCHEDULE_WITHIN 0.001

/* The least predicted makespan, seconds; HUGE_VAL: there is no plan. */
double schedule_set_least(const struct schedule_set *set);
/* Fewer worker-seconds (workers used times makespan) or, where these are equal, fewer workers? */
bool schedule_thriftier(const struct plan *plan, const struct plan *than);
/* Of the plans within (1 + within) times the least predicted makespan the one with the least
 * worker-seconds (workers used times makespan), then with the fewest workers. Borrowed; NULL: there
 * is no plan. */
struct schedule_entry *schedule_set_choose(const struct schedule_set *set, double within);
/* The same plan, which is the caller's then: plan->scheduler says whose it was. Fails where none
 * applies. `omissions` may be NULL. */
bool schedule_set_take(struct schedule_set *set, double within, struct plan *plan,
                       struct schedule_omissions *omissions, struct failure *failure);
/* Of all that apply the plan within SCHEDULE_WITHIN of the least makespan that
 * schedule_set_take takes ("auto"): plan->scheduler says whose it was. `omissions` may be NULL. */
bool schedule_auto(const struct schedule_request *request, struct plan *plan,
                   struct schedule_omissions *omissions, struct failure *failure);
#endif

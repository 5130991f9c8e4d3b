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

/* Not in the table: the plan with the least predicted makespan of all schedulers; of equal ones
 * that with the least worker-seconds. */
#define SCHEDULER_AUTO "auto"
/* The scheduler to use when many plans are needed: near the best, in milliseconds. */
#define SCHEDULER_QUICK "scow-mp"

/* Maximal utilization, at a share of the maximal production. */
#define SCHEDULER_BALANCE "scow-mu"

/* All of them, `auto` not among them, in the order in which they are listed. Borrowed, static. */
const struct scheduler *scheduler_list(size_t *count);
const struct scheduler *scheduler_find(const char *name);
/* The scheduler's plan, with its name, checked (plan_check): the best one that it makes for all
 * workers, for the first ones of the platform (fewer.h), so that more workers make no plan worse,
 * or for those that are ready early (ready.h). Fails with FAILURE_INFEASIBLE, name and reason if
 * the scheduler does not apply. */
bool scheduler_make(const struct scheduler *scheduler, const struct schedule_request *request,
                    struct plan *plan, struct failure *failure);
/* The same for all workers of the platform: no fewer are tried, and the plan has no name. Fails
 * with the bare reason. */
bool scheduler_make_for_all(const struct scheduler *scheduler,
                            const struct schedule_request *request, struct plan *plan,
                            struct failure *failure);

/* How many of the list, its first ones, "auto" chooses from; the others are asked for by name. */
size_t scheduler_automatic(void);
/* The plans of those; `optimal` starts from those of the others. If the effort is limited,
 * the others may use half of it, and `optimal` what is left. Fails when out of memory. */
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

/* Makespans within this relative distance of the least one count as equal: predictions are less
 * accurate than that. Among equal ones the plan with fewer worker-seconds is better. */
#define SCHEDULE_WITHIN 0.001

/* Fewer worker-seconds (workers used times makespan) or, where these are equal, fewer workers? */
bool schedule_thriftier(const struct plan *plan, const struct plan *than);
/* Of the plans within (1 + within) times the least predicted makespan the one with the least
 * worker-seconds (workers used times makespan), then with the fewest workers. Borrowed; NULL: there
 * is no plan. */
struct schedule_entry *schedule_set_choose(const struct schedule_set *set, double within);
/* Move the same plan to the caller; plan->scheduler names its scheduler. Fails if no scheduler
 * applies. `omissions` may be NULL. */
bool schedule_set_take(struct schedule_set *set, double within, struct plan *plan,
                       struct schedule_omissions *omissions, struct failure *failure);
/* The plan of "auto": schedule_set_take with SCHEDULE_WITHIN; plan->scheduler names its scheduler.
 * `omissions` may be NULL. */
bool schedule_auto(const struct schedule_request *request, struct plan *plan,
                   struct schedule_omissions *omissions, struct failure *failure);
#endif

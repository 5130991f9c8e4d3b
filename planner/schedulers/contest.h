/*
 * Candidates of one scheduler compete by rehearsed makespan; the best one becomes its plan.
 */
#ifndef PLANNER_SCHEDULERS_CONTEST_H
#define PLANNER_SCHEDULERS_CONTEST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "planner/schedulers/lineup.h"
#include "planner/schedulers/scheduler.h"
#include "planner/simulate/rehearse.h"

struct contest {
    const struct schedule_request *request;
    struct rehearsal *rehearsal; /* owned */
    struct plan best;            /* owned; the leader */
    double best_s;               /* its makespan, HUGE_VAL before the first */
    int64_t effort_most;         /* packages that may be rehearsed in all */
    bool starved;                /* memory ended somewhere: nothing is offered any more */
};

bool contest_init(struct contest *contest, const struct schedule_request *request,
                  struct failure *failure);
void contest_release(struct contest *contest);

/* Core tasks of one round. */
double loads_sum(const double *loads, int64_t count);
/* An empty candidate on the first `count` workers of a lineup; its rounds are to be appended. */
void candidate_open(struct contest *contest, struct plan *candidate, const struct lineup *lineup,
                    int64_t count);
/* Append `repeat` rounds with these loads, one per worker; a round without any load is left out. */
void candidate_round(struct contest *contest, struct plan *candidate, int64_t repeat,
                     const double *loads);
/* Rehearse the candidate (its contents are taken over or released); true when it leads now.
 * Candidates whose loads do not sum to the tasks are our bug. */
bool contest_offer(struct contest *contest, struct plan *candidate);
/* Allow a part of the usual effort from here on: what one window or order may cost, so that the
 * next one has its turn. A contest begins with all of it. */
void contest_grant(struct contest *contest, double share);
/* Show each window of the platform, its workers in each of `orders` (a set of 1 << enum
 * lineup_order), to `visit`, with an equal part of the effort for each. Equal workers have one
 * order, and so has a window of which `visit` says true: that other orders would show nothing
 * new. */
void contest_visit(struct contest *contest, unsigned orders,
                   bool (*visit)(struct contest *contest, struct lineup *lineup, void *context),
                   void *context);
/* Whether the effort that candidates may cost is used up. */
bool contest_over(const struct contest *contest);
/* Turn the leader into the plan of scheduler `name`, with its prediction. Fails with
 * FAILURE_INFEASIBLE and `reason` when there is none. Releases the contest in any case. */
bool contest_finish(struct contest *contest, const char *name, const char *reason,
                    struct plan *plan, struct failure *failure);

#endif

/* What decides in a simulated run. */
#ifndef PLANNER_SIMULATE_DECISION_H
#define PLANNER_SIMULATE_DECISION_H

#include "planner/dispatch/deadline.h"
#include "planner/dispatch/watch.h"
#include "planner/simulate/scenario.h"
#include "planner/simulate/tail.h"

/* A plan, or else a rule. */
struct decision {
    const struct plan *plan;            /* borrowed, whole loads; NULL: the rule */
    const struct dispatch_setup *setup; /* borrowed */
    const struct watch_setup *watch;    /* borrowed: the plan is watched; NULL: it is not */
    const struct work *watched_work; /* borrowed: it is watched in so many units of this, which */
    int64_t watched_units;           /* make the core tasks of `plan`; NULL: by core tasks */
    int64_t watched_largest;         /* and so many of them a package at most */
    const struct plan_tail *tail;    /* borrowed: the end is assigned on request, and the plan, also
                                      * where it is watched, is the tail's head; NULL: it is not */
};

/* What packages take there, as parts and copies are made by it; nothing must end by some time. */
struct deadline_setup decision_costs(const struct platform *platform);
/* What it decides by itself; with copies, long packages in parts. The platform must outlive it.
 * NULL with *failure set. */
struct dispatch *decision_inner(const struct decision *decision, const struct platform *platform,
                                const struct scenario *scenario, struct failure *failure);
/* That dispatch (owned; freed also when this fails), recovering. NULL: out of memory. */
struct dispatch *decision_recovery(struct dispatch *inner, const struct platform *platform,
                                   const struct scenario *scenario);
/* A new dispatch; recovering when the scenario loses a worker, or what is overdue is handed out
 * once more. The platform must outlive it. NULL with *failure set. */
struct dispatch *decision_dispatch(const struct decision *decision, const struct platform *platform,
                                   const struct scenario *scenario, struct failure *failure);

#endif

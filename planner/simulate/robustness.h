/* What decides in a simulation, and a scenario with many seeds: how far noise moves the makespan.
 */
#ifndef PLANNER_SIMULATE_ROBUSTNESS_H
#define PLANNER_SIMULATE_ROBUSTNESS_H

#include "planner/dispatch/watch.h"
#include "planner/simulate/scenario.h"
#include "planner/simulate/tail.h"

/* What decides: a plan, or else a rule. */
struct decision {
    const struct plan *plan;            /* borrowed, whole loads; NULL: the rule */
    const struct dispatch_setup *setup; /* borrowed */
    const struct watch_setup *watch;    /* borrowed: the plan is watched; NULL: it is not */
    const struct plan_tail *tail; /* borrowed: the end is dealt on request, and the plan, also where
                                   * it is watched, is the tail's head; NULL: it is not */
};

struct robustness {
    double least_s, median_s, p95_s, greatest_s; /* of the makespans */
};

/* A new dispatch; recovering when the scenario loses a worker. NULL with *failure set. */
struct dispatch *decision_dispatch(const struct decision *decision, const struct platform *platform,
                                   const struct scenario *scenario, struct failure *failure);
/* Seeds scenario->seed, scenario->seed + 1, ...; the 95th percentile is the least makespan that at
 * least 95 % of the runs do not exceed. */
bool robustness_measure(const struct platform *platform, const struct decision *decision,
                        const struct scenario *scenario, int64_t seeds,
                        struct robustness *robustness, struct failure *failure);

#endif

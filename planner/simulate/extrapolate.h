/*
 * Plans that have to be simulated from event to event (loop_needs_events), too long for that: of
 * every entry of rounds that repeat themselves only the first ones are simulated, and of those some
 * once more. What these add is what each further one adds, as soon as the rounds have their period.
 *
 * The error is that of the period: where another resource takes over only after many rounds, what
 * comes after is as before. Up to two million packages simulate_plan goes through all; schedulers
 * compare candidates by this.
 */
#ifndef PLANNER_SIMULATE_EXTRAPOLATE_H
#define PLANNER_SIMULATE_EXTRAPOLATE_H

#include "planner/simulate/simulate.h"

/* As simulate_plan, without a trace. `ends` (may be NULL) as evaluator_makespan has them;
 * *simulated (may be NULL): packages that were simulated. */
bool extrapolate_plan(const struct platform *platform, const struct plan *plan,
                      struct simulation *simulation, double *ends, int64_t *simulated,
                      struct failure *failure);

#endif

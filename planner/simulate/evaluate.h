/* The makespan of these loads. The event semantics of the simulation, without its trace and
 * counters, and with a short cut: rounds that repeat themselves are not evaluated one by one. The
 * state of a round follows from the last B rounds by maxima of sums. As long as every maximum is
 * reached by the same term, the next round adds what the last one added; the number of rounds until
 * another term takes over is known from how fast it gains. Where workers change their regimes one
 * by one, each is simulated by itself in the rounds of its own changes. So a plan of a million
 * rounds costs a few rounds per change of regime, and the result differs from the simulation's by
 * rounding only. Where results come back, and in operating models other than single-port, there is
 * no such short cut: then some rounds are simulated (extrapolate.h).
 */
#ifndef PLANNER_SIMULATE_EVALUATE_H
#define PLANNER_SIMULATE_EVALUATE_H

#include <stdbool.h>
#include <stdint.h>

#include "planner/model/plan.h"
#include "planner/model/platform.h"
#include "planner/simulate/simulate.h"

struct evaluator;

/* The platform is borrowed and must outlive the object. NULL: out of memory. */
struct evaluator *evaluator_new(const struct platform *platform);
/* Seconds; HUGE_VAL when a load lies in no window. `ends` (may be NULL) gets, for each of the
 * plan's workers in activation order, the time at which it has done its last package, 0 for one
 * without work. */
double evaluator_makespan(struct evaluator *evaluator, const struct plan *plan, double *ends);
/* The same where it is at most `limit_s`; beyond it perhaps HUGE_VAL, and soon: a worker cannot end
 * before it has done the rest of `work_s`, seconds for each of the plan's workers in activation
 * order. */
double evaluator_makespan_below(struct evaluator *evaluator, const struct plan *plan,
                                const double *work_s, double limit_s);
/* Seconds that a worker of the platform works on a package, before it may begin the next one where
 * its results need not wait; 0 where it lies in no window. */
double evaluator_work(const struct evaluator *evaluator, int64_t worker, double load);
/* Packages evaluated so far, those skipped not counted, and those of plans beyond a limit as if
 * they had been evaluated to their ends: the effort spent. */
int64_t evaluator_effort(const struct evaluator *evaluator);
/* What simulate_plan says, but for rounding, for plans with too many packages to go through one by
 * one. */
bool evaluate_plan(const struct platform *platform, const struct plan *plan,
                   struct simulation *simulation, struct failure *failure);
void evaluator_free(struct evaluator **evaluator);

#endif

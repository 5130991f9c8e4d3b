/*
 * Which constraint suits a job: figure 5-1 of de la Torre, Scheduling Divisible Tasks under
 * Production or Utilization Constraints (section 5.3.4). Maximal production alone says how many
 * workers q one master can use. Where there are more, the user may have the least makespan, or
 * workers that are always busy; where there are fewer, perfect utilisation is the aim. Where a job
 * does not parallelise (Theorem 15, its condition as its proof has it: h_i >= r_i + w_i), one
 * worker is as good as any number.
 */
#ifndef PLANNER_STUDIES_CHOICE_H
#define PLANNER_STUDIES_CHOICE_H

#include "planner/base/failure.h"
#include "planner/model/plan.h"
#include "planner/model/platform.h"

/* Is feeding a worker no quicker than its work, for each of them and in the least and the greatest
 * package of every window? */
bool choice_serial(const struct platform *platform);
/* Fill in the plan's choice for its job on this platform, whose last workers are repeated where one
 * master can use more of them. Where that cannot be found with `effort_s` (about seconds; 0: no
 * limit), the choice stays unknown. Fails when out of memory. */
bool choice_find(const struct platform *platform, double effort_s, struct plan *plan,
                 struct failure *failure);

#endif

/* Finds the best of a profile's settings for a job: makes a plan for each wanted one. */
#ifndef PLANNER_LIBRARY_CHOICE_H
#define PLANNER_LIBRARY_CHOICE_H

#include "planner/library/request.h"
#include "planner/model/plan.h"
#include "planner/studies/planning.h"

/* The best plan, to be released, and what it was made from: *planning has all members set but
 * setting and tasks, which are filled in. *omissions: the schedulers that "auto" left out. With
 * several settings, the plan lists the makespans of the others. FAILURE_MISMATCH: the profile has
 * no such setting; FAILURE_INFEASIBLE: none has a plan. */
bool choice_make(const struct plan_request *request, struct planning *planning, struct plan *plan,
                 struct schedule_omissions *omissions, struct failure *failure);

#endif

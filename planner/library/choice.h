/* Which of a profile's settings is the best one for a job: each that is wanted is planned for. */
#ifndef PLANNER_LIBRARY_CHOICE_H
#define PLANNER_LIBRARY_CHOICE_H

#include "planner/library/request.h"
#include "planner/model/plan.h"
#include "planner/studies/planning.h"

/* The best plan, to be released, and what it was made from: *planning comes with all but setting
 * and tasks, and gets these. *omissions becomes what "auto" left out of it. Of several settings the
 * plan names what the others would have given. Fails with FAILURE_MISMATCH where the profile has no
 * such setting, with FAILURE_INFEASIBLE where none has a plan. */
bool choice_make(const struct plan_request *request, struct planning *planning, struct plan *plan,
                 struct schedule_omissions *omissions, struct failure *failure);

#endif

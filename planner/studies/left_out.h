/* Why a plan leaves workers out. */
#ifndef PLANNER_STUDIES_LEFT_OUT_H
#define PLANNER_STUDIES_LEFT_OUT_H

#include "planner/base/text.h"
#include "planner/studies/worker_choice.h"

/* A line for each kind of workers that the plan does not use up, of the profile with all of them:
 * the constraint that excludes them, or what one more of them would make worse. used[kind] is how
 * many the plan uses, and `evaluation` is the plan's. */
bool left_out_text(const struct planning *planning, const struct worker_wish *wish,
                   const struct kinds *kinds, const int64_t *used,
                   const struct evaluation *evaluation, struct text *text, struct failure *failure);

#endif

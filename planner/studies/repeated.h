/* A plan simulated again and again as a run would follow it: with its tail and, of several masters
 * side by side, with what moves between them. */
#ifndef PLANNER_STUDIES_REPEATED_H
#define PLANNER_STUDIES_REPEATED_H

#include "planner/simulate/ensemble.h"
#include "planner/studies/planning.h"

/* `tail` (NULL: none) in place of the plan's own. Whole loads. To be released. Fails as
 * watching_init does. */
bool repeated_draw(const struct planning *planning, const struct plan *plan, const char *tail,
                   const struct scenario *scenario, int64_t runs, struct ensemble *ensemble,
                   struct failure *failure);
/* The plan with its own tail, summed up. */
bool repeated_study(const struct planning *planning, const struct plan *plan,
                    const struct scenario *scenario, int64_t runs, struct ensemble_summary *summary,
                    struct failure *failure);

#endif

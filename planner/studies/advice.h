/* What to ask the batch system for: walltime and memory. */
#ifndef PLANNER_STUDIES_ADVICE_H
#define PLANNER_STUDIES_ADVICE_H

#include "planner/base/text.h"
#include "planner/model/plan.h"
#include "planner/model/profile.h"
#include "planner/simulate/robustness.h"

/* Seconds, in whole minutes: the prediction (output included), the start-up, and a margin: a fifth
 * of the prediction, or up to the 95th percentile under noise when that is known (may be NULL) and
 * more. `margin` becomes the share of the prediction. */
double advice_walltime(const struct plan_prediction *predicted, const struct robustness *robustness,
                       double *margin);
/* Bytes that a worker needs for packages, results and computing; 0 where the profile does not say.
 */
double advice_memory(const struct plan *plan, const struct memory *memory);
/* How unequal core tasks are, and how far a fixed plan will be off for that: a line for the table
 * of a plan, where packages like its own deviate by more than 5 %. */
bool advice_unequal(const struct plan *plan, const struct platform *platform,
                    const struct profile_setting *setting, struct text *text,
                    struct failure *failure);
/* Two lines for the table of a plan. */
void advice_text(const struct plan *plan, const struct memory *memory,
                 const struct robustness *robustness, struct text *text);

#endif

/* What to ask the batch system for: walltime and memory. */
#ifndef PLANNER_STUDIES_ADVICE_H
#define PLANNER_STUDIES_ADVICE_H

#include "planner/base/text.h"
#include "planner/model/plan.h"
#include "planner/simulate/robustness.h"

/* Seconds, in whole minutes: the prediction (output included), the start-up, and a margin: a fifth
 * of the prediction, or up to the 95th percentile under noise when that is known (may be NULL) and
 * more. `margin` becomes the share of the prediction. */
double advice_walltime(const struct plan_prediction *predicted, const struct robustness *robustness,
                       double *margin);
/* Bytes of packages and results that a worker holds at a time, its pixels taken as 4 bytes; the
 * halo and the kernel's own are not in it. 0 when the plan has no block size. */
double advice_memory(const struct plan *plan, int buffers);
/* Two lines for the table of a plan. */
void advice_text(const struct plan *plan, int buffers, const struct robustness *robustness,
                 struct text *text);

#endif

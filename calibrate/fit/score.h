/* Cross-validation: how well a fit predicts packages that were left out. */
#ifndef CALIBRATE_FIT_SCORE_H
#define CALIBRATE_FIT_SCORE_H

#include <stdbool.h>

#include "calibrate/fit/sample.h"
#include "planner/base/failure.h"

/* Of chosen timings of computing, which are sorted and lose their order: every tenth package (all
 * timings of it) is held out, and costs are fitted to the others. *held_out: the relative deviation
 * (root mean square) of those from the fit; *noise: that of timings of one package from each other.
 * Both 0 with too few packages. */
bool score_make(struct sample *samples, int64_t count, double *held_out, double *noise,
                struct failure *failure);

#endif

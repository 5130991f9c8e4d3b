/* What workers had of their processors while they were measured: what their costs are worth on
 * machines that others use, too (planner/studies/shares.h). */
#ifndef CALIBRATE_RANK_SHARES_H
#define CALIBRATE_RANK_SHARES_H

#include "planner/model/profile.h"
#include "planner/model/sample.h"
#include "spmd/protocol/run_had.h"

/* Pure. Each class of workers gets the mean of its workers; none, where one of them is not known.
 * Costs leave out what others took of single packages, where that was much
 * (calibrate/fit/points.h), and so speak of workers that had so much more: of all that `samples`
 * say of computing, what is left of it. */
void rank_shares_put(const struct run_had_list *had, const struct samples *samples,
                     struct profile *profile);

#endif

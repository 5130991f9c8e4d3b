/* What workers had of their processors while they were measured: what their costs are worth on
 * machines that others use, too (planner/studies/shares.h). */
#ifndef CALIBRATE_RANK_SHARES_H
#define CALIBRATE_RANK_SHARES_H

#include "planner/model/profile.h"
#include "spmd/protocol/run_had.h"

/* Pure. Each class of workers gets the mean of its workers; none, where one of them is not known.
 */
void rank_shares_put(const struct run_had_list *had, struct profile *profile);

#endif

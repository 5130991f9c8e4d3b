/*
 * What a plan takes and costs: the evaluation that objectives look at.
 *
 * charge = sum over ranks of price_s x (start + makespan + sealing) + fee, the master's rank among
 * them; a rank is charged from the start of the job to its end, whether it is busy or not.
 */
#ifndef PLANNER_STUDIES_CHARGE_H
#define PLANNER_STUDIES_CHARGE_H

#include <stdbool.h>
#include <stdint.h>

#include "planner/model/objective.h"
#include "planner/model/plan.h"
#include "planner/model/profile.h"
#include "planner/model/waits.h"

/* Has any rank a price? */
bool charge_known(const struct profile *profile, const struct profile_setting *setting);
/* Of the master and the setting's first `workers` workers, for a run that takes `run_s` in all. */
double charge_of_run(const struct profile *profile, const struct profile_setting *setting,
                     int64_t workers, double run_s);
/* Of a plan with a prediction that starts the setting's first workers, up to the last one with a
 * package. False: `waits` (may be NULL) does not know such a job, and the wait is 0. */
bool charge_evaluate(const struct profile *profile, const struct profile_setting *setting,
                     const struct waits *waits, const struct plan *plan,
                     struct evaluation *evaluation);
/* Write what is known of it into the plan's prediction. */
void charge_predict(const struct profile *profile, const struct profile_setting *setting,
                    const struct waits *waits, struct plan *plan);

#endif

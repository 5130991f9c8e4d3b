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
/* What the ranks of a run cost together: for their start, and for each second. */
struct charge_rate {
    double fees, per_s;
};

/* For the master and so many workers of the setting: by what the plan predicts, for prices may have
 * been the plan's own (--price), and fees are the profile's. False: the plan predicts no charge, or
 * has another number of workers and prices that are not the profile's. */
bool charge_rate_find(const struct profile *profile, const struct profile_setting *setting,
                      const struct plan *plan, int64_t workers, struct charge_rate *rate);
/* Joules, likewise, by the watts of the ranks; and is any of these known? */
double energy_of_run(const struct profile *profile, const struct profile_setting *setting,
                     int64_t workers, double run_s);
bool energy_known(const struct profile *profile, const struct profile_setting *setting);
/* Of a plan with a prediction that starts the setting's first workers, up to the last one with a
 * package. False: `waits` (may be NULL) does not know such a job, and the wait is 0. */
bool charge_evaluate(const struct profile *profile, const struct profile_setting *setting,
                     const struct waits *waits, const struct plan *plan,
                     struct evaluation *evaluation);
/* Write what is known of it into the plan's prediction. */
void charge_predict(const struct profile *profile, const struct profile_setting *setting,
                    const struct waits *waits, struct plan *plan);
/* The same of a plan for what remains of another one's job, by that one's prices; nothing where
 * these are not known. */
void charge_predict_remaining(const struct profile *profile, const struct profile_setting *setting,
                              const struct plan *whole, struct plan *plan);

#endif

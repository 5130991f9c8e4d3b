#include "planner/report/costs.h"

#include "planner/studies/charge.h"

/* Prices of a second may be the plan's own (--price), fees are the profile's. */
bool run_costs_find(const struct residuals *residuals, struct run_costs *costs)
{
    const struct run_record *record = residuals->record;
    const struct plan *plan = &record->plan;
    const struct overhead *overhead = &record->profile.overhead;
    const struct profile_setting *setting =
        record->has_profile ? profile_find(&record->profile, &plan->parameters, plan->threads)
                            : NULL;
    const double around_s = overhead->start_s + overhead->seal_s;
    const double planned_s = around_s + plan->predicted.makespan_s;
    if (!setting || record->resumed > 0 || residuals_untraced(record) || !plan->predicted.known ||
        !(plan->predicted.charge > 0) || !(planned_s > 0))
        return false;
    const double fees = charge_of_run(&record->profile, setting, plan_workers_needed(plan), 0);
    const double rate = (plan->predicted.charge - fees) / planned_s;
    costs->asked = plan->predicted.charge;
    costs->used = fees + rate * (around_s + residuals->measured.makespan_s);
    return true;
}

#include "planner/report/residuals.h"

#include <math.h>

#include "planner/report/masters.h"
#include "planner/report/residuals_star.h"

bool residuals_make_alone(const struct run_record *record, const struct replay_alone *alone,
                          int64_t alone_count, struct residuals *residuals, struct failure *failure)
{
    if (!residuals_traced(record, failure))
        return false;
    return record->plan.star_count > 0
               ? masters_residuals(record, residuals, failure)
               : residuals_star_make(record, alone, alone_count, residuals, failure);
}

bool residuals_make(const struct run_record *record, struct residuals *residuals,
                    struct failure *failure)
{
    return residuals_make_alone(record, NULL, 0, residuals, failure);
}

static void unknown_make(const struct run_record *record, struct residuals *residuals)
{
    struct trace_summary *measured = &residuals->measured;
    *residuals = (struct residuals){.record = record, .undisturbed_s = (double)NAN};
    measured->makespan_s = measured->worker_utilization = measured->worker_busy_share =
        measured->master_utilization = measured->network_utilization = measured->imbalance =
            measured->hidden_s = (double)NAN;
    for (int k = 0; k < OPERATION_COUNT; k++)
        measured->seconds[k] = (double)NAN;
    for (int k = 0; k < CAUSE_COUNT; k++)
        residuals->causes.measured.seconds[k] = (double)NAN;
}

bool residuals_find(const struct run_record *record, struct residuals *residuals,
                    struct failure *failure)
{
    if (!residuals_untraced(record))
        return residuals_make(record, residuals, failure);
    unknown_make(record, residuals);
    return true;
}

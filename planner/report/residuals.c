#include "planner/report/residuals.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "planner/report/prediction.h"

/* A prediction below this part of what was measured is 0 but for rounding. */
static const double rounding = 1e-9;

static int64_t greater_of(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

bool residuals_untraced(const struct run_record *record)
{
    return !run_record_traced(record) && (record->resumed > 0 || record->complete) &&
           record->tasks_done + record->tasks_failed == record->tasks;
}

bool residuals_traced(const struct run_record *record, struct failure *failure)
{
    if (residuals_untraced(record))
        return failure_set(
            failure, FAILURE_MISMATCH,
            "the run left no trace: it could not be written, or the run was killed when all its "
            "core tasks were done, and resumed only to be completed");
    if (!run_record_traced(record))
        return failure_set(failure, FAILURE_MISMATCH,
                           "the run left no trace: it ended before its last round: go on with it "
                           "by %s",
                           run_record_again(record));
    return true;
}

void residuals_take_interval(const struct run_record *record, struct residuals *residuals)
{
    const struct plan_prediction *predicted = &record->plan.predicted;
    if (!prediction_is_plans(record))
        return;
    memcpy(residuals->interval_s, predicted->interval_s, sizeof residuals->interval_s);
    residuals->median_s = predicted->without_variation_s > 0 ? predicted->makespan_s : 0;
}

void residuals_release(struct residuals *residuals)
{
    for (size_t k = 0; k < residuals->star_count; k++)
        residuals_release(&residuals->stars[k]);
    free(residuals->stars);
    residuals->stars = NULL;
    residuals->star_count = 0;
    network_release(&residuals->network);
    trace_summary_release(&residuals->predicted);
    trace_summary_release(&residuals->measured);
    trace_summary_release(&residuals->replayed);
    causes_release(&residuals->causes.predicted);
    causes_release(&residuals->causes.measured);
    causes_release(&residuals->causes.replayed);
}

double residuals_model_error(const struct residuals *residuals)
{
    return residuals_error(residuals->replayed.makespan_s, residuals->measured.makespan_s);
}

double residuals_drift(const struct residuals *residuals)
{
    return residuals->has_replayed
               ? residuals_error(residuals_predicted(residuals), residuals->replayed.makespan_s)
               : (double)NAN;
}

int64_t residuals_workers(const struct residuals *residuals)
{
    return greater_of(residuals->predicted.worker_count, residuals->measured.worker_count);
}

int64_t residuals_rounds(const struct residuals *residuals)
{
    return greater_of(residuals->predicted.round_count, residuals->measured.round_count);
}

/* NaN: it has no such round, or no package in it, for example because what remained was planned
 * anew. */
static double round_end(const struct trace_summary *summary, int64_t round)
{
    const double end_s = round < summary->round_count ? summary->round_ends_s[round] : 0;
    return end_s > 0 ? end_s : (double)NAN;
}

/* NaN: the plan has no such round, or is a tree, where masters of groups make rounds of their
 * own. */
static double round_predicted(const struct residuals *residuals, int64_t round)
{
    const struct run_changes *changes = &residuals->record->changes;
    if (!residuals->has_predicted || (changes->count > 0 && round >= changes->round) ||
        round >= residuals->predicted.round_count || residuals->record->plan.child_count > 0)
        return (double)NAN;
    return round_end(&residuals->predicted, round);
}

struct round_ends residuals_round(const struct residuals *residuals, int64_t round)
{
    return (struct round_ends){round_predicted(residuals, round),
                               round_end(&residuals->measured, round)};
}

double residuals_predicted(const struct residuals *residuals)
{
    if (!residuals->has_predicted)
        return (double)NAN;
    return residuals->median_s > 0 ? residuals->median_s : residuals->predicted.makespan_s;
}

double residuals_error(double predicted, double measured)
{
    return predicted > rounding * fabs(measured) ? measured / predicted - 1 : (double)NAN;
}

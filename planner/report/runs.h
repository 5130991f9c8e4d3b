/* Runs side by side. */
#ifndef PLANNER_REPORT_RUNS_H
#define PLANNER_REPORT_RUNS_H

#include <stdbool.h>
#include <stddef.h>

#include "planner/base/failure.h"
#include "planner/base/text.h"
#include "planner/report/report.h"

/* One run in figures; of a perfect run all are 0 that are shares, and T over the ideal is 1. */
struct run_figures {
    const char *path, *scheduler; /* borrowed */
    double makespan_s;
    double over_ideal; /* makespan over the workers' work shared evenly among them, at least 1 */
    double variation;  /* coefficient of variation of the ends of the workers that had a package */
    double imbalance;  /* busiest worker over the mean, minus 1 */
    double master_share; /* of the makespan that the master spends on envelopes and sends */
    double model_error;  /* of the makespan; NaN where it cannot be told */
    int64_t packages;
};

/* `path` and the record are borrowed. False with *failure set: a run without a trace, out of
 * memory.
 */
bool run_summarise(const char *path, const struct run_record *record, struct run_figures *figures,
                   struct failure *failure);
/* A table, the least makespan first; sorts. */
void runs_describe(struct run_figures *runs, size_t count, struct text *text);
/* {"schema": "scow-runs-1", "runs": [...]}, in the same order. */
void runs_print(struct run_figures *runs, size_t count, struct text *text);

#endif

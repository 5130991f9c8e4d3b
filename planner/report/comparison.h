/* A run's figures beside those of its plan: what both forms of the report print. */
#ifndef PLANNER_REPORT_COMPARISON_H
#define PLANNER_REPORT_COMPARISON_H

#include <stdbool.h>

#include "planner/base/text.h"
#include "planner/report/reduction.h"
#include "planner/report/report.h"

struct comparison {
    const struct run_record *record; /* borrowed */
    bool has_predicted;              /* the run left plan and profile, and they fit */
    struct reduction predicted, measured;
};

/* The trace that the plan's simulation with the profile leaves; to be released. */
bool comparison_predict(const struct run_record *record, struct trace *trace,
                        struct failure *failure);
bool comparison_make(const struct run_record *record, struct comparison *comparison,
                     struct failure *failure);
void comparison_release(struct comparison *comparison);

/* Worker `worker` of a reduction; all zero when it is not in there. */
struct reduced_worker reduction_worker(const struct reduction *reduction, int64_t worker);
/* The greater of both counts. */
int64_t comparison_workers(const struct comparison *comparison);
int64_t comparison_rounds(const struct comparison *comparison);
/* measured / predicted - 1; NaN when there is nothing to compare with. */
double comparison_error(double predicted, double measured);
/* One plain sentence, or two, on what makes the difference. */
void comparison_explain(const struct comparison *comparison, struct text *text);

#endif

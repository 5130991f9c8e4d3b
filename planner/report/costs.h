/* What a run cost, beside what its plan said. */
#ifndef PLANNER_REPORT_COSTS_H
#define PLANNER_REPORT_COSTS_H

#include "planner/report/report.h"
#include "planner/report/residuals.h"

struct run_costs {
    double asked; /* the plan's charge */
    double used;  /* with the makespan that was measured: of each second as much as was planned */
};

/* False: the plan predicts no charge, or the run is not one part with a trace and a profile. */
bool run_costs_find(const struct residuals *residuals, struct run_costs *costs);

#endif

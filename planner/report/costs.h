/* What a run was asked to keep to, what its plan predicted of that, and what it used. */
#ifndef PLANNER_REPORT_COSTS_H
#define PLANNER_REPORT_COSTS_H

#include "planner/base/json_text.h"
#include "planner/report/report.h"
#include "planner/report/residuals.h"

/* NaN: not known. Of a run that went on: of all its parts, each of which starts its ranks anew; but
 * the time between parts, in which no rank is paid for, does not count. */
struct run_costs {
    const char *objective;     /* borrowed; NULL: none was asked for */
    double deadline_s, budget; /* asked for; 0: none */
    bool from_submission; /* the deadline counts the wait in the queue; what the run took is with
                           * the wait that was predicted */
    double predicted_s, taken_s; /* what the deadline is for */
    double predicted, used;      /* charge, by the prices of the plan */
};

void run_costs_find(const struct residuals *residuals, struct run_costs *costs);
/* Lines for people; nothing where nothing was asked for, and nothing costs anything. */
void run_costs_text(const struct residuals *residuals, struct text *text);
/* Members "objective", "deadline", "budget", "charge", "predicted_charge", "within_budget",
 * "energy_j" and "predicted_energy_j", likewise. */
void run_costs_json(const struct residuals *residuals, struct json_text *json);

#endif

/* What a run was asked to keep to, what its plan predicted of that, and what it used. */
#ifndef PLANNER_REPORT_COSTS_H
#define PLANNER_REPORT_COSTS_H

#include "planner/base/json_text.h"
#include "planner/report/report.h"
#include "planner/report/residuals.h"

/* Lines for people; nothing where nothing was asked for, and nothing costs anything. */
void run_costs_text(const struct residuals *residuals, struct text *text);
/* Members "objective", "deadline", "budget", "charge", "predicted_charge", "within_budget",
 * "energy_j" and "predicted_energy_j", likewise. */
void run_costs_json(const struct residuals *residuals, struct json_text *json);

#endif

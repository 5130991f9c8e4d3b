/*
 * Schedulers: each turns work and platform into loads. One file each, one row each in the table.
 */
#ifndef PLANNER_SCHEDULERS_SCHEDULER_H
#define PLANNER_SCHEDULERS_SCHEDULER_H

#include <stdbool.h>
#include <stddef.h>

#include "planner/base/failure.h"
#include "planner/model/plan.h"
#include "planner/model/platform.h"

struct schedule_request {
    const struct platform *platform;
    double tasks;     /* X >= 1, whole */
    bool real_valued; /* loads may be fractional */
    double tolerance; /* TOL of de la Torre, Definitions 5 and 6, relative; 0: the default, 0.05 */
};

struct scheduler {
    const char *name;    /* "scow-mp" */
    const char *summary; /* one line */
    /* Fill plan's workers, rounds, tasks, real_valued and predicted (all else stays empty). Fails
     * with FAILURE_INFEASIBLE and the reason where it does not apply. Every load lies in a window
     * of the platform. */
    bool (*make)(const struct schedule_request *request, struct plan *plan,
                 struct failure *failure);
};

/* All of them, `auto` not among them, in the order in which they are listed. Borrowed, static. */
const struct scheduler *scheduler_list(size_t *count);
const struct scheduler *scheduler_find(const char *name);

/* The least predicted makespan of all that apply ("auto"): plan->scheduler says which it was. */
bool schedule_auto(const struct schedule_request *request, struct plan *plan,
                   struct failure *failure);
/* Simulate, bound and fill plan->predicted. */
bool schedule_predict(const struct platform *platform, struct plan *plan, struct failure *failure);

#endif

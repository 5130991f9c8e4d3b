/*
 * Can one more worker improve a plan? Decides for which numbers of a platform's first workers a
 * scheduler is called (fewer.h).
 */
#ifndef PLANNER_SCHEDULERS_SEARCH_USEFUL_H
#define PLANNER_SCHEDULERS_SEARCH_USEFUL_H

#include <stdbool.h>

#include "planner/schedulers/search/schedule.h"

/* Estimates of the makespan by closed forms. */
struct estimate {
    double bound_s;       /* no schedule takes less */
    double production_s;  /* the continuous makespans of maximal production and of perfect */
    double utilization_s; /* utilization, the least of all windows and orders; HUGE_VAL: none */
};

/* Fails where memory ends. */
bool estimate_make(const struct schedule_request *request, struct estimate *estimate,
                   struct failure *failure);
/* Whether any of them is better, and by more than rounding, than with fewer workers. Where there
 * are no closed forms, any worker is useful. */
bool estimate_better(const struct estimate *estimate, const struct estimate *fewer);

#endif

/*
 * A plan's static part as Complib's authors assign it (a static part by what can be relied upon,
 * the others on request; R. Wolski's forecasts with AppLeS): a worker can be relied upon for its
 * mean rate less K standard deviations. With rates A_i, relative deviations e_i and X core tasks,
 * all would end together at T = X / sum of A_i, and worker i gets floor(max(0, 1 - K e_i) A_i T)
 * before anybody asks.
 */
#ifndef PLANNER_SIMULATE_DEPENDABLE_H
#define PLANNER_SIMULATE_DEPENDABLE_H

#include <stdbool.h>
#include <stdint.h>

#include "planner/model/plan.h"
#include "planner/model/platform.h"

/* K, unless somebody says otherwise. */
#define DEPENDABLE_ERRORS 3.0

struct dependable_worker {
    double rate;      /* core tasks per second, >= 0; not all 0 */
    double deviation; /* relative */
};

/* How many of `tasks` core tasks each of them is given beforehand. */
void dependable_shares(const struct dependable_worker *workers, int64_t count, double errors,
                       double tasks, double *shares);
/* The first packages of each of the plan's workers, with at most so many core tasks in all; the
 * last one of a worker is smaller where the platform has such packages, and is left out where not.
 * *head is to be released; of the plan it has workers, at least one
 * round, and tasks. False: out of memory. */
bool dependable_head(const struct plan *plan, const struct platform *platform, const double *shares,
                     struct plan *head);

#endif

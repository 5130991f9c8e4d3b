/* What a package is expected to take by its profile, for who decides what still fits into a job's
 * time (planner/dispatch/deadline.h). */
#ifndef SPMD_RUN_EXPECTED_COST_H
#define SPMD_RUN_EXPECTED_COST_H

#include "planner/dispatch/deadline.h"
#include "planner/model/plan.h"
#include "spmd/protocol/emulation.h"

/* `costs` is a struct emulation. */
struct deadline_cost expected_cost(const void *costs, int64_t worker, int64_t tasks);
double expected_start_s(const void *costs, int64_t worker);
/* Seconds that it takes so many workers, each with an equal share of the tasks, to return all
 * results at the end, one after the other. */
double expected_returns_s(const void *costs, int64_t workers, double tasks);
/* The longest package of so many core tasks, by the costs or, where they are not known (NULL), by
 * what the plan says of the whole; 0: neither says. */
double expected_longest_s(const void *costs, const struct plan *plan, int64_t workers,
                          int64_t tasks);
/* A package of the plan, in the mean; likewise. */
double expected_mean_s(const void *costs, const struct plan *plan);

#endif

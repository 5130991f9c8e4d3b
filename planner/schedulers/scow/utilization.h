/*
 * Maximal utilisation (MU) of one period.
 *
 * De la Torre, Scheduling Divisible Tasks under Production or Utilization Constraints, Definition 9
 * and (4.32) to (4.41): k workers with loads x_i use U_h = sum h_i(x_i) / T of the port and U_c =
 * sum (r_i + w_i)(x_i) / (k T) of their own time, and MU is the set with the largest U = U_h + U_c,
 * at most 2. Among unequal workers that is not the set that produces most: U may be 2 where hardly
 * anything is done, so a wish may ask for production as well.
 */
#ifndef PLANNER_SCHEDULERS_SCOW_UTILIZATION_H
#define PLANNER_SCHEDULERS_SCOW_UTILIZATION_H

#include <stdbool.h>
#include <stdint.h>

#include "planner/schedulers/search/ranking.h"

struct utilization {
    double port, workers; /* U_h, U_c */
    double tasks;
    int64_t used; /* k: workers with a load */
};

struct utilization_wish {
    double tasks;  /* of a period, at least; as far as the greedy production has them */
    int64_t nodes; /* of the search among sets of unequal workers, at most */
};

/* Sets of so many workers are all looked at. */
enum { UTILIZATION_EXACT = 20 };

/* Of these loads[0..ranking->count); U_h is that of the row, master or links, that is busier. */
struct utilization utilization_of(const struct ranking *ranking, double period_s,
                                  const double *loads);
/* Fill loads[0..ranking->count) with the best loads for T. Equal workers: Theorem 8. Up to
 * UTILIZATION_EXACT unequal ones under one row: the best of all sets, where the search ended within
 * its nodes (*proven). Otherwise: the workers that the greedy production fills in the ranking's
 * order, with or without the partial one. Returns what they use. */
struct utilization utilization_best(const struct ranking *ranking, double period_s,
                                    const struct utilization_wish *wish, double *loads,
                                    bool *proven);

#endif

/*
 * The exact maximal production of one period (de la Torre (4.4)-(4.10), Theorem 3): which workers
 * take part, and with how much, under the master's row (4.5) and the links' row (4.6).
 *
 * For a chosen set of workers the loads are a fractional knapsack with the latencies paid in
 * advance; which set is a choice among 2^p. Branch and bound decides worker after worker, with the
 * knapsack that pays no undecided latency as its bound.
 */
#ifndef PLANNER_SCHEDULERS_SCOW_SCOW_EXACT_H
#define PLANNER_SCHEDULERS_SCOW_SCOW_EXACT_H

#include <stdbool.h>

#include "planner/schedulers/search/ranking.h"

struct exact_wish {
    double gain; /* loads above the greedy's by no more than this part of them are not looked for */
    int64_t nodes; /* of the search, at most */
};

/* Fill loads[0..ranking->count) with the best loads for T and return their sum. *proven tells
 * whether the search ended before its limit; what is returned is feasible in any case, and never
 * below the greedy's. Where memory ends, *out_of_memory is set (left alone otherwise), and nothing
 * is produced. */
double scow_exact_production(const struct ranking *ranking, double period_s,
                             const struct exact_wish *wish, double *loads, bool *proven,
                             bool *out_of_memory);

#endif

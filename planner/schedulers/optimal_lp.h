/*
 * The linear program of a fixed sequence of packages: all loads of `rounds` rounds over the first
 * `count` workers of a ranking, or of any other sequence of these workers; least makespan under the
 * event semantics of simulate/star.h.
 *
 * Every time is a maximum of sums of earlier times, loads and latencies, and the makespan grows
 * with each of them; so "not before" constraints and a minimised makespan give exactly the earliest
 * times. Port times are variables of their own, each tied to its predecessor, so that the program
 * stays sparse: about four rows and twelve numbers a package, however many packages there are.
 */
#ifndef PLANNER_SCHEDULERS_OPTIMAL_LP_H
#define PLANNER_SCHEDULERS_OPTIMAL_LP_H

#include <stdbool.h>
#include <stdint.h>

#include "planner/schedulers/ranking.h"

struct optimal_lp {
    const struct ranking *ranking;
    int64_t count, rounds;
    int buffers; /* B */
    double tasks;
    const int64_t *places; /* borrowed; the worker of each of `packages` packages in place of
                            * `rounds` rounds; NULL: rounds */
    int64_t packages;
};

int64_t optimal_lp_packages(const struct optimal_lp *lp);

/* Whether this build has the solver. */
bool optimal_lp_available(void);
/* loads[round * count + worker], or one for each of the packages in turn, core tasks, not whole;
 * *makespan_s is the program's value, a lower bound for all plans with these packages in this
 * order. False: no solution within the effort, or memory ended, which sets *out_of_memory (left
 * alone otherwise). */
bool optimal_lp_solve(const struct optimal_lp *lp, double *loads, double *makespan_s,
                      bool *out_of_memory);

#endif

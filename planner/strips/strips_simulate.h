/*
 * Simulates a run of strips on machines whose shares of processors and links change with time, and
 * the loss of a worker. Each worker begins an iteration when it and its neighbours have done the
 * one before; its borders and columns take what the plan says, stretched by its shares at that
 * time. At every test the widths change where that pays, by the times measured since the last test.
 * After a loss all start again at once from the grid that was kept last: a spare takes the lost
 * worker's strip or, without a spare, strips are planned anew for the workers that are left. All
 * this as in a run (spmd/strips/master.c).
 */
#ifndef PLANNER_STRIPS_STRIPS_SIMULATE_H
#define PLANNER_STRIPS_STRIPS_SIMULATE_H

#include <stdbool.h>

#include "planner/base/failure.h"
#include "planner/model/availability.h"
#include "planner/strips/strips_outcome.h"
#include "planner/strips/strips_plan.h"

/* Iterations times strips that are simulated at most: about a minute. */
#define STRIPS_SIMULATED_MOST 4e9

/* What happens; all borrowed. All zero: nothing does. */
struct strips_scenario {
    /* Shares of processors and links, by ranks; NULL: all of them, always. */
    const struct availability *availability;
    int64_t lost;    /* the rank of the worker that is lost; 0: none is */
    double lost_s;   /* when; the master notices at once */
    int64_t workers; /* ranks from 1 on; those without a strip are spares */
    /* Of each worker; tells how much faster or slower a spare is than the one it replaces. NULL:
     * all are equal. */
    const double *s_per_column;
};

/* *outcome is to be released; it is not complete where the only worker is lost. FAILURE_USAGE:
 * there are too many iterations; FAILURE_MISMATCH: the plan does not say what strips cost. */
bool strips_simulate(const struct strips_plan *plan, const struct strips_scenario *scenario,
                     struct strips_outcome *outcome, struct failure *failure);

#endif

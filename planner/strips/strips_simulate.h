/*
 * What a run of strips would come to on machines whose shares of processors and links change with
 * time, and where a worker is lost: each worker begins an iteration when it and its neighbours have
 * done the one before, takes as long for its borders and its columns as the plan says and its
 * shares then make of that, and at every test strips get other widths where that pays, by the times
 * of the iterations since the last one. After a loss all begin anew, at once, with the grid that
 * was kept last, and a worker without a strip at the lost one's place or, where there is none, with
 * strips for those that are left. All as in the run (spmd/strips/master.c).
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

/* What they are simulated on; all borrowed. All zero: nothing happens. */
struct strips_scenario {
    /* Placed for workers by their ranks; NULL: all have all of theirs. */
    const struct availability *availability;
    int64_t lost;    /* the rank of the worker that is lost; 0: nobody is */
    double lost_s;   /* when; the master notices at once */
    int64_t workers; /* ranks from 1 on; those without a strip can take a lost one's place */
    /* Of each worker, by which a spare is slower or faster than whose place it takes; NULL: all are
     * alike. */
    const double *s_per_column;
};

/* *outcome is to be released; it is not complete where the only worker is lost. FAILURE_USAGE:
 * there are too many iterations; FAILURE_MISMATCH: the plan does not say what strips cost. */
bool strips_simulate(const struct strips_plan *plan, const struct strips_scenario *scenario,
                     struct strips_outcome *outcome, struct failure *failure);

#endif

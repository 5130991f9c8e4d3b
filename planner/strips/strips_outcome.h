/*
 * The outcome of a run of strips, measured or simulated.
 */
#ifndef PLANNER_STRIPS_STRIPS_OUTCOME_H
#define PLANNER_STRIPS_STRIPS_OUTCOME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "planner/base/text.h"
#include "planner/strips/strips_plan.h"

/* Of one worker, by the plan's order; seconds of all iterations of the part. */
struct strip_measured {
    int64_t rank, columns;    /* columns: of its strip at the end; 0: it has none */
    double compute_s, wait_s; /* wait_s: for borders, when its columns are computed */
};

/* A worker that was lost while the run went on. */
struct strips_loss {
    int64_t rank, iterations; /* iterations: at the last test before */
    int64_t from;             /* iterations of the grid from which all started again */
    int64_t spare;            /* the rank that took its place; 0: none did */
    double at_s;              /* since the part began */
    char *why;                /* owned */
};

struct strips_outcome {
    int64_t begun, iterations; /* of which the part began, and which the grid is of */
    double change;             /* the greatest one of a cell in the last iteration */
    bool complete;             /* all iterations, or none that changes more than the tolerance */
    bool running;              /* the run still goes on; not written to files */
    bool simulated;            /* and not run; not written to files */
    int64_t rebalanced;        /* how often the widths of strips were changed */
    int64_t tests;             /* of the part */
    double step_s;             /* of an iteration, in the mean */
    double test_s, gather_s;   /* of all of the part */
    double lost_s;             /* for iterations that were repeated, and for starting again */
    double total_s;
    struct strip_measured *strips; /* owned */
    size_t strip_count;
    struct strips_loss *losses; /* owned */
    size_t loss_count;
};

/* Append it as a table for people, beside the plan's prediction for as many iterations. */
void strips_outcome_describe(const struct strips_plan *plan, const struct strips_outcome *outcome,
                             struct text *text);
void strips_outcome_release(struct strips_outcome *outcome);

#endif

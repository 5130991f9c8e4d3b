/*
 * What a run of strips came to, beside what was predicted of it.
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
    int64_t rank, columns;    /* in the end, also if others had it before; 0: it has none */
    double compute_s, wait_s; /* waiting for borders beyond computing */
};

/* A worker that was lost while the run went on. */
struct strips_loss {
    int64_t rank, iterations; /* iterations: at the last test before */
    int64_t from;             /* of the grid with which all began anew */
    int64_t spare;            /* the rank that took its place; 0: none did */
    double at_s;              /* since the part began */
    char *why;                /* owned */
};

struct strips_outcome {
    int64_t begun, iterations; /* of which the part began, and which the grid is of */
    double change;             /* the greatest one of a cell in the last iteration */
    bool complete;             /* all iterations, or none that changes more than the tolerance */
    bool running;              /* the run is still there, as its output shows; in no file */
    bool simulated;            /* it was none; in no file */
    int64_t rebalanced;        /* how often strips got other widths */
    int64_t tests;             /* of the part */
    double step_s;             /* of an iteration, in the mean */
    double test_s, gather_s;   /* of all of the part */
    double lost_s;             /* of iterations that were done again, and of beginning anew */
    double total_s;
    struct strip_measured *strips; /* owned */
    size_t strip_count;
    struct strips_loss *losses; /* owned */
    size_t loss_count;
};

/* As a table for people, beside the plan's prediction for as many iterations. */
void strips_outcome_describe(const struct strips_plan *plan, const struct strips_outcome *outcome,
                             struct text *text);
void strips_outcome_release(struct strips_outcome *outcome);

#endif

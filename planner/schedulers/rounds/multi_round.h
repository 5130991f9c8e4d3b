/*
 * Plans that two numbers decide, how many workers and how many rounds: the search that the
 * multi-round schedulers share. Their formulas give loads; evaluation finds the best pair.
 */
#ifndef PLANNER_SCHEDULERS_ROUNDS_MULTI_ROUND_H
#define PLANNER_SCHEDULERS_ROUNDS_MULTI_ROUND_H

#include <stdbool.h>
#include <stdint.h>

#include "planner/schedulers/search/search.h"

struct multi_round {
    /* loads[round * count + worker] of `rounds` rounds for the first `count` workers, in all about
     * `tasks`; false where the formulas have no solution (a negative load). */
    bool (*fill)(const struct ranking *ranking, int64_t count, int64_t rounds, double tasks,
                 double *loads);
    /* A guess at the best number of rounds; at least 1. */
    double (*guess)(const struct ranking *ranking, int64_t count, double tasks);
    const char *reason;  /* why it may not apply */
    unsigned orders;     /* in which workers are tried: a set of 1 << enum ranking_order */
    int64_t rounds_most; /* 1 for a single round: then `fill` leaves out whom it does not need */
    bool fed_only;       /* not more workers than the port can keep busy for ever */
};

/* All that a scheduler of this kind does; the contract of struct scheduler. */
bool multi_round_make(const struct schedule_request *request, const struct multi_round *family,
                      struct plan *plan, struct failure *failure);

#endif

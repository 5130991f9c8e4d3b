/*
 * The last round: workers start staggered and should end together, or one result's return apart.
 * De la Torre, section 5.1: worker i <= m does its ordinary load and then an auxiliary package Z_i,
 * worker i > m does Z_i instead of its ordinary load.
 *
 * Where results come back (ranking.results), the ends are apart by what the results of the worker
 * before take, E_i = E_(i-1) + K_(i-1) (5.16 to 5.20), of its last package or of all that it has
 * done. The source's K is constant; where it depends on the loads that are looked for, steps of the
 * fixed-point iteration from the ordinary loads on bring the ends in step.
 */
#ifndef PLANNER_SCHEDULERS_SCOW_LAST_ROUND_H
#define PLANNER_SCHEDULERS_SCOW_LAST_ROUND_H

#include <stdbool.h>
#include <stdint.h>

#include "planner/schedulers/search/ranking.h"

enum { LAST_ROUND_STEPS = 2 };

struct last_round {
    const double *loads;  /* of an ordinary round, one per worker of the ranking */
    const double *delays; /* D_i, seconds from worker i - 1's start to worker i's; D_1 counts not */
    double total;         /* core tasks that are left for this round and the auxiliary one */
    double rounds;        /* ordinary ones before it */
    int steps;            /* of the iteration for K; LAST_ROUND_STEPS are enough */
    int64_t most;         /* m at most; INT64_MAX: the largest that there is */
};

/* Fill round[0..ranking->count) and auxiliary[0..ranking->count), in all `total` tasks, each
 * package within the window. The largest m <= last->most with all Z >= 0 is taken: every smaller
 * one has none below 0, either. Where even m = 0 has, the last workers get nothing. False where the
 * window does not allow it, or where memory ended, which sets *out_of_memory (left alone
 * otherwise).
 *
 * By the formulas the end comes later by an auxiliary package's latency with every m more; but
 * without them the first packages are large, and what follows waits for them on the link. Which m
 * is best is a question for the simulation. */
bool last_round_make(const struct ranking *ranking, const struct last_round *last, double *round,
                     double *auxiliary, bool *out_of_memory);

#endif

/*
 * One period: how many core tasks a ranking can be fed and work off in T seconds, and which T makes
 * the whole job shortest in the continuous model.
 *
 * L. F. de la Torre, Scheduling Divisible Tasks under Production or Utilization Constraints:
 * Y_i(T) = (T - RW_i) / rw_i, Theorems 4, 7, 9, 10, 12, 13 and 14, the sums of 12 corrected.
 */
#ifndef PLANNER_SCHEDULERS_SEARCH_PERIOD_H
#define PLANNER_SCHEDULERS_SEARCH_PERIOD_H

#include <stdbool.h>
#include <stdint.h>

#include "planner/schedulers/search/ranking.h"

/* What a period is to be good for. */
enum period_goal {
    PERIOD_PRODUCTION,  /* MP: the port is always busy; one worker may be partial */
    PERIOD_UTILIZATION, /* PWU: the workers are always busy */
    PERIOD_BALANCE      /* MU: port and workers together are as busy as can be */
};

/* A number of workers and of rounds with the makespan of the continuous model. */
struct period {
    int64_t full;      /* workers that are busy for the whole period */
    bool partial;      /* one more worker gets what the port has left */
    double rounds;     /* N, whole */
    double period_s;   /* T */
    double makespan_s; /* mu(N, T) = (N + 1/2) T + (e + g_1)(Y_1) */
};

/* Y_i(T), core tasks, not above `greatest`; negative where the latencies alone exceed T. */
double period_load(const struct ranked_worker *worker, double period_s, double greatest);
/* Fill the ranking greedily in its order for one period: loads[0..ranking->count), their sum
 * returned. Equal to the maximal production for equal workers (Theorem 4), near it otherwise. */
double period_production(const struct ranking *ranking, double period_s, double *loads);
/* The least T whose greedy production is at least `tasks`, and its loads. False where not even
 * full windows for every worker produce that much. */
bool period_for_production(const struct ranking *ranking, double tasks, double *period_s,
                           double *loads);
/* T at which the first `count` workers, all of them busy throughout, do `tasks`, and their loads.
 * False where a window is left or they cannot be fed within T (Theorems 9 and 10). */
bool period_for_perfect(const struct ranking *ranking, int64_t count, double tasks,
                        double *period_s, double *loads);

/* The best pairs of workers and rounds, least makespan first, at most `most`; their number.
 * For each number of full workers nu from Theorem 12 (production; Theorem 13 when the ranking ends)
 * or Theorem 13 (utilization, T not below the T_i of Theorem 10), rounded down and up (5.3.2), and
 * the rounds that a window's bounds ask for. */
int period_list(const struct ranking *ranking, double tasks, enum period_goal goal,
                struct period *best, int most);

#endif

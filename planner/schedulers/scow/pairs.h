/*
 * Perfect pairs: numbers of workers i and periods T_i at which i workers compute without a gap and
 * the port has none either, so that production and utilisation are at their best at once.
 *
 * De la Torre, Scheduling Divisible Tasks under Production or Utilization Constraints, Theorems 5,
 * 9 and 10, figure 4-2: i workers with Y_j(T) = (T - RW_j) / rw_j core tasks each take the port
 * R(i, T) = A_i T + B_i seconds, A_i = sum h_j / rw_j, B_i = sum (H_j - h_j RW_j / rw_j), and are
 * fed where R(i, T) <= T. Where A_i < 1 that is for every T from T_i = B_i / (1 - A_i) on, where
 * A_i > 1 for every T up to it; at lambda workers, where A_i = 1, there is no T_i, though the
 * theorems count one. The master's row (4.5) and the links' row (4.6) are both kept, so h_j is the
 * larger one of the package in question.
 */
#ifndef PLANNER_SCHEDULERS_SCOW_PAIRS_H
#define PLANNER_SCHEDULERS_SCOW_PAIRS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "planner/schedulers/search/ranking.h"

/* R(i, T) of one row. */
struct pair_line {
    double slope, intercept_s;
};

enum { PAIR_MASTER, PAIR_LINKS, PAIR_LINES };

struct pair {
    int64_t workers;        /* i, the first ones of the ranking */
    bool from;              /* fed in every period from T_i on; else in those up to T_i */
    double period_s;        /* T_i */
    double tasks;           /* of a period */
    double least, greatest; /* of the workers' loads */
    double port_utilization, worker_utilization; /* U_h and U_c of Definition 9 */
    bool in_window;                              /* all loads are */
};

/* Numbers of workers without a pair. */
struct pair_gap {
    int64_t first, last;
    bool any; /* they are fed in every period in which they compute at all; else in none */
};

struct pairs {
    struct pair *items; /* owned; by ascending workers */
    size_t count;
    struct pair_gap *gaps; /* owned; by ascending workers */
    size_t gap_count;
    bool more; /* there may be further ones: beyond PAIRS_MOST, or with packages that are too large,
                * for more equal workers than the platform has */
};

enum { PAIRS_MOST = 1000 };

/* Fill *pairs, to be released, in the ranking's order. Of equal workers there are as many as can be
 * fed, whether the platform has them or not: the gap that is in none then ends at LIMIT_WORKERS.
 * False: out of memory. */
bool pairs_find(const struct ranking *ranking, struct pairs *pairs);
void pairs_release(struct pairs *pairs);
/* R(i, T) of the first `workers` workers, the master's and the links'. */
void pairs_lines(const struct ranking *ranking, int64_t workers,
                 struct pair_line lines[PAIR_LINES]);

#endif

/*
 * One period by itself: what a star does in T seconds if it is to produce as much as it can, and if
 * port and workers are to be used as well as they can.
 *
 * De la Torre, Scheduling Divisible Tasks under Production or Utilization Constraints: maximal
 * production (4.4) to (4.10), its greedy approximation by Theorems 4, 7 and 14 with the bound
 * (4.30), and maximal utilisation (4.37) to (4.40).
 */
#ifndef PLANNER_STUDIES_ONE_PERIOD_H
#define PLANNER_STUDIES_ONE_PERIOD_H

#include "planner/base/failure.h"
#include "planner/base/text.h"
#include "planner/model/platform.h"
#include "planner/schedulers/scow/utilization.h"

/* Loads for one period. */
struct period_loads {
    double *loads; /* owned; core tasks of each worker of the platform */
    struct utilization utilization;
    bool proven; /* nothing is better; of the greedy, where it is as good as the exact solution */
};

struct period_window {
    int64_t least, greatest;                         /* package sizes, core tasks */
    struct period_loads production, greedy, balance; /* balance: maximal utilisation */
    int theorem;   /* by which the greedy takes workers: 4, 7 or 14; 0: of both orders the better */
    double missed; /* core tasks that the greedy misses at most, (4.30); below 0: not known */
};

struct one_period {
    double period_s;
    int64_t workers;
    struct period_window *windows; /* owned */
    int64_t window_count;
};

/* Loads may be fractional. To be released. Fails with FAILURE_INFEASIBLE where no worker can be
 * sent, or compute, the least package in that time, or when out of memory. */
bool one_period_make(const struct platform *platform, double period_s, struct one_period *one,
                     struct failure *failure);
void one_period_text(const struct one_period *one, struct text *text);
void one_period_json(const struct one_period *one, struct text *text);
void one_period_release(struct one_period *one);

#endif

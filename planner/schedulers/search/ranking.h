/*
 * One window of a platform as the schedulers' mathematics sees it: a row of workers in activation
 * order, each with the cost that holds the port (or the master) and the cost that holds the worker.
 *
 * Symbols of de la Torre, Scheduling Divisible Tasks under Production or Utilization Constraints,
 * section 3.1: h_i = feed, r_i + w_i (+ o_i) = work, and w_i or o_i alone where
 * results are written behind.
 */
#ifndef PLANNER_SCHEDULERS_SEARCH_RANKING_H
#define PLANNER_SCHEDULERS_SEARCH_RANKING_H

#include <stdbool.h>
#include <stdint.h>

#include "planner/model/platform.h"

struct ranked_worker {
    int64_t id;       /* of the platform */
    struct cost feed; /* h_i: the one of envelope + send and link that the view takes for it */
    struct cost link;
    struct cost work;   /* what holds the worker: platform_class_work */
    struct cost beside; /* what is left of receive + compute + output */
    struct cost result; /* until its results are with the master; zero where they stay */
    struct cost way;    /* with ranking.returns: the link alone, without what results take */
    double start_s;     /* before its first package */
};

struct ranking {
    double least, greatest;        /* package sizes of the window, core tasks */
    bool real_valued;              /* then a package may be any part of a task above least - 1 */
    struct cost master;            /* envelope + send */
    struct ranked_worker *workers; /* owned, in activation order */
    int64_t count;
    enum results results;
    bool returns;  /* results come back over a port of their own */
    bool equal;    /* all workers have the same costs, and the same start */
    bool two_rows; /* (4.5) and (4.6) both, not the one row sum h_i(x_i) <= T */
};

/* Activation orders (Theorems 1, 7 and 14); workers with equal costs keep their platform order. */
enum ranking_order {
    RANKING_BY_FEED,  /* cheapest to feed first: link-bound, long periods */
    RANKING_BY_WORK,  /* fastest first: bus networks and a busy master */
    RANKING_BY_RATIO, /* least share of the port for a full period, h / (r + w) */
    RANKING_BY_START, /* who is ready first; only where starts differ */
    RANKING_ORDERS,
    RANKING_EVERY_ORDER = (1 << RANKING_ORDERS) - 1 /* as a set of 1 << order */
};

/* Which of envelope + send and link is h_i. Which one is larger may differ between workers and
 * between package sizes; the formulas then see the platform from several sides, and evaluation
 * decides. */
enum ranking_view {
    RANKING_OF_GREATEST, /* each worker's larger one, in the window's greatest package; one row */
    RANKING_OF_MASTER,   /* envelope + send; two rows, as in the next one */
    RANKING_OF_LINK,
    RANKING_VIEWS
};

/* Seconds per task, never zero: the schedulers' formulas divide by it. */
static inline double rate_of(struct cost cost)
{
    const double least = 1e-15;
    return cost.s_per_task > least ? cost.s_per_task : least;
}

/* What a package costs in (4.5) and in (4.6); with one row all is in the second. */
static inline struct cost ranking_master(const struct ranking *ranking)
{
    return ranking->two_rows ? ranking->master : (struct cost){0, 0};
}

static inline struct cost ranking_port(const struct ranking *ranking, int64_t place)
{
    return ranking->two_rows ? ranking->workers[place].link : ranking->workers[place].feed;
}

/* False: out of memory, ranking untouched. In the view RANKING_OF_GREATEST. */
bool ranking_init(struct ranking *ranking, const struct platform *platform,
                  const struct platform_window *window, bool real_valued, enum ranking_order order);
/* The same workers in the order that they have in another view. */
void ranking_turn(struct ranking *ranking, enum ranking_view view, enum ranking_order order);
/* The views that differ for packages of up to `tasks`, as a set of 1 << enum ranking_view: one
 * where one side dominates throughout. */
unsigned ranking_views(const struct ranking *ranking, double tasks);
void ranking_release(struct ranking *ranking);
/* Definition 5, relative: every latency and rate of any two workers differ by at most `tolerance`
 * of the greater. */
bool ranking_homogeneous(const struct ranking *ranking, double tolerance);
/* Definition 6: give every worker the mean mapping. */
void ranking_average(struct ranking *ranking);
/* The smallest package there is: `least`, or next to nothing where loads are fractional and
 * packages of one task are allowed. */
double ranking_least(const struct ranking *ranking);

#endif

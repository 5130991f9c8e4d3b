/*
 * Affine cost of one operation on a package of x core tasks: op(x) = OP + op * x seconds for
 * x > 0, and nothing for x = 0 (de la Torre, Scheduling Divisible Tasks under Production or
 * Utilization Constraints, section 3).
 *
 * A fitted latency may be negative where its window does not reach down to where the cost would be
 * (Table 6-7 there: send takes -1.1e-3 + 4.0e-6 x on [500, 2500]). What holds is op(x) > 0 for
 * every whole x of the window, unless the operation takes no time at all.
 */
#ifndef PLANNER_MODEL_COST_H
#define PLANNER_MODEL_COST_H

#include <math.h>

struct cost {
    double latency_s;  /* OP */
    double s_per_task; /* op, >= 0 */
};

/* The uncertainty of a cost, and how much single packages deviate from it. All 0 in a profile
 * written by hand; n = 0: not measured. */
struct fit {
    double stderr_latency_s, stderr_s_per_task; /* standard errors of the two */
    double correlation; /* of these two errors, -1..1; they mostly have opposite signs */
    double deviation; /* relative standard deviation between timings of one and the same package, */
    double jitter_s;  /* and its part, seconds, that does not grow with the package */
    double drift; /* relative standard deviation of latency and rate together, between passes over
                   * the job or between calibrations */
    double drift_own; /* the part of it that differs between workers of the class; 0 for operations
                       * of the master */
    double r2;        /* coefficient of determination of the weighted fit, at most 1 */
    int n;            /* packages timed */
    int outliers;     /* timings that were cut to a multiple of another timing of the same package,
                       * among these n or among all sizes */
};

struct measured_cost {
    struct cost cost;
    struct fit fit;
};

/* Seconds, never below 0, even for fractions of a task below the smallest whole package. */
static inline double cost_of(struct cost cost, double tasks)
{
    const double seconds = cost.latency_s + cost.s_per_task * tasks;
    return tasks > 0 && seconds > 0 ? seconds : 0.0;
}

/* Relative standard deviation between timings of one package of `tasks` tasks; HUGE_VAL: there is
 * jitter but no cost. */
static inline double measured_cost_deviation(const struct measured_cost *cost, double tasks)
{
    return cost->fit.jitter_s > 0
               ? hypot(cost->fit.deviation, cost->fit.jitter_s / cost_of(cost->cost, tasks))
               : cost->fit.deviation;
}

static inline struct cost cost_sum(struct cost a, struct cost b)
{
    return (struct cost){a.latency_s + b.latency_s, a.s_per_task + b.s_per_task};
}

#endif

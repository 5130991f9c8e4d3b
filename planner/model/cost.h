/*
 * Affine cost of one operation on a package of x core tasks: op(x) = OP + op * x seconds for
 * x > 0, and nothing for x = 0 (de la Torre, Scheduling Divisible Tasks under Production or
 * Utilization Constraints, section 3).
 */
#ifndef PLANNER_MODEL_COST_H
#define PLANNER_MODEL_COST_H

struct cost {
    double latency_s;  /* OP, >= 0 */
    double s_per_task; /* op, >= 0 */
};

/* How well a cost fits the probes it comes from; n = 0 when it was not measured. */
struct fit {
    double stderr_s_per_task; /* standard error of the rate */
    double r2;                /* coefficient of determination of the weighted fit, 0..1 */
    int n;                    /* package sizes fitted */
};

struct measured_cost {
    struct cost cost;
    struct fit fit;
};

static inline double cost_of(struct cost cost, double tasks)
{
    return tasks > 0 ? cost.latency_s + cost.s_per_task * tasks : 0.0;
}

static inline struct cost cost_sum(struct cost a, struct cost b)
{
    return (struct cost){a.latency_s + b.latency_s, a.s_per_task + b.s_per_task};
}

#endif

#include "planner/simulate/robustness.h"

#include <math.h>
#include <stdlib.h>

static struct dispatch *dispatch_new(const struct decision *decision, struct failure *failure)
{
    if (!decision->plan)
        return dispatch_new_rule(decision->setup, failure);
    struct dispatch *dispatch =
        decision->watch ? dispatch_new_watch(decision->watch) : dispatch_new_plan(decision->plan);
    const struct plan_tail *tail = decision->tail;
    return dispatch && tail && tail->setup.tasks > 0
               ? dispatch_new_tail(dispatch, &tail->setup, failure)
               : dispatch;
}

struct dispatch *decision_dispatch(const struct decision *decision, const struct platform *platform,
                                   const struct scenario *scenario, struct failure *failure)
{
    struct dispatch *dispatch = dispatch_new(decision, failure);
    if (failure->code != FAILURE_NONE)
        return NULL; /* the rule has said why */
    if (dispatch && scenario->lost_worker >= 0)
        dispatch = dispatch_new_recovery(dispatch, platform->worker_count);
    if (!dispatch)
        failure_memory(failure, "simulating");
    return dispatch;
}

static int makespan_compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Of `count` sorted values, the least that a share of them does not exceed. */
static double quantile(const double *sorted, int64_t count, double share)
{
    int64_t rank = (int64_t)ceil(share * (double)count - 1e-9);
    return sorted[rank > 0 ? rank - 1 : 0];
}

static bool seed_simulate(const struct platform *platform, const struct decision *decision,
                          const struct scenario *scenario, double *makespan_s,
                          struct failure *failure)
{
    struct simulation simulation;
    struct dispatch *dispatch = decision_dispatch(decision, platform, scenario, failure);
    bool good =
        dispatch && simulate_scenario(platform, dispatch, scenario, NULL, &simulation, failure);
    if (good)
        *makespan_s = simulation.makespan_s;
    dispatch_free(&dispatch);
    return good;
}

bool robustness_measure(const struct platform *platform, const struct decision *decision,
                        const struct scenario *scenario, int64_t seeds,
                        struct robustness *robustness, struct failure *failure)
{
    double *makespans_s = malloc((size_t)seeds * sizeof *makespans_s);
    struct scenario seeded = *scenario;
    bool good = true;
    if (!makespans_s)
        return failure_memory(failure, "simulating");
    for (int64_t k = 0; good && k < seeds; k++) {
        seeded.seed = scenario->seed + (uint64_t)k;
        good = seed_simulate(platform, decision, &seeded, &makespans_s[k], failure);
    }
    if (good) {
        qsort(makespans_s, (size_t)seeds, sizeof *makespans_s, makespan_compare);
        *robustness =
            (struct robustness){makespans_s[0], quantile(makespans_s, seeds, 0.5),
                                quantile(makespans_s, seeds, 0.95), makespans_s[seeds - 1]};
    }
    free(makespans_s);
    return good;
}

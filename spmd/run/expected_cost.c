#include "spmd/run/expected_cost.h"

#include <math.h>

/* The times on the port and at the worker. */
struct deadline_cost expected_cost(const void *costs, int64_t worker, int64_t tasks)
{
    static const enum operation way[] = {OPERATION_ENVELOPE, OPERATION_SEND, OPERATION_LINK};
    static const enum operation work[] = {OPERATION_RECEIVE, OPERATION_COMPUTE, OPERATION_OUTPUT};
    struct deadline_cost cost = {0, 0};
    for (size_t k = 0; k < sizeof way / sizeof *way; k++)
        cost.way_s += emulation_cost(costs, way[k], worker, tasks);
    for (size_t k = 0; k < sizeof work / sizeof *work; k++)
        cost.work_s += emulation_cost(costs, work[k], worker, tasks);
    return cost;
}

double expected_start_s(const void *costs, int64_t worker)
{
    return emulation_cost(costs, OPERATION_START, worker, 1);
}

double expected_returns_s(const void *costs, int64_t workers, double tasks)
{
    const int64_t share = (int64_t)ceil(tasks / (double)workers);
    double sum_s = 0;
    for (int64_t k = 0; costs && k < workers; k++)
        sum_s += emulation_cost(costs, OPERATION_RESULT, k, share) +
                 emulation_cost(costs, OPERATION_COLLECT, k, share);
    return sum_s;
}

double expected_longest_s(const void *costs, const struct plan *plan, int64_t workers,
                          int64_t tasks)
{
    const struct plan_prediction *predicted = &plan->predicted;
    double longest_s = 0;
    for (int64_t worker = 0; costs && worker < workers; worker++)
        longest_s = fmax(longest_s, expected_cost(costs, worker, tasks).work_s);
    if (!costs && predicted->known && plan->tasks > 0)
        longest_s = predicted->makespan_s * (double)tasks * (double)workers / plan->tasks;
    return longest_s;
}

double expected_mean_s(const void *costs, const struct plan *plan)
{
    const struct plan_prediction *predicted = &plan->predicted;
    const double packages = (double)plan_packages(plan);
    if (!(packages > 0))
        return 0;
    if (costs)
        return expected_cost(costs, plan->workers[0], (int64_t)ceil(plan->tasks / packages)).work_s;
    return predicted->known ? predicted->makespan_s * (double)plan_workers_used(plan) / packages
                            : 0;
}

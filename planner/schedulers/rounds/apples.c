/*
 * AppLeS, time balancing: one package per worker, such that all take equally long by themselves,
 * A_i P_i + C_i = tau with A_i = h_i + rw_i and C_i = H_i + RW_i: tau = (X + sum C_i / A_i) /
 * (sum 1 / A_i), P_i = (tau - C_i) / A_i. A worker whose P_i is negative takes no part, the least
 * one first. F. Berman, R. Wolski, S. Figueira, J. Schopf, G. Shao, Application-level scheduling on
 * distributed heterogeneous networks, Supercomputing 1996.
 *
 * The balance knows nothing of the port, which serves one worker at a time; the prediction does.
 * With what is forecast of the machines (model/shared.h), A_i and C_i are those of the time to
 * come.
 */
#include "planner/schedulers/rounds/one_package.h"
#include "planner/schedulers/rounds/rounds_schedulers.h"

static struct cost whole_of(const struct ranked_worker *worker)
{
    return cost_sum(worker->feed, worker->work);
}

/* The common time of the workers whose load is not 0. */
static double balance_s(const struct ranking *ranking, double tasks, const double *loads)
{
    double sum = tasks, speeds = 0;
    for (int64_t i = 0; i < ranking->count; i++) {
        const struct cost whole = whole_of(&ranking->workers[i]);
        if (loads[i] == 0)
            continue;
        sum += whole.latency_s / rate_of(whole);
        speeds += 1 / rate_of(whole);
    }
    return sum / speeds;
}

/* Their loads for that time; returns the place of the least load. */
static int64_t loads_fill(const struct ranking *ranking, double end_s, double *loads)
{
    int64_t least = -1;
    for (int64_t i = 0; i < ranking->count; i++) {
        const struct cost whole = whole_of(&ranking->workers[i]);
        if (loads[i] == 0)
            continue;
        loads[i] = (end_s - whole.latency_s) / rate_of(whole);
        if (least < 0 || loads[i] < loads[least])
            least = i;
    }
    return least;
}

static void loads_balance(const struct ranking *ranking, double tasks, double *loads)
{
    for (int64_t i = 0; i < ranking->count; i++)
        loads[i] = 1;
    for (int64_t dropped = 0; dropped < ranking->count; dropped++) {
        const int64_t least = loads_fill(ranking, balance_s(ranking, tasks, loads), loads);
        if (least < 0 || loads[least] > 0)
            return;
        loads[least] = 0;
    }
}

bool apples_make(const struct schedule_request *request, struct plan *plan, struct failure *failure)
{
    return one_package_make(request, loads_balance, plan, failure);
}

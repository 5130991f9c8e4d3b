/*
 * Single round: one package per worker, sent one after the other, sized so that all end together;
 * the best order and the best subset.
 *
 * With A_i the time at which worker i's package has arrived, A_i = A_{i-1} + h_i(x_i), and
 * (r_i + w_i)(x_i) = T - A_i: x_i = (T - A_{i-1} - H_i - RW_i) / (h_i + rw_i). T is found by
 * halving so that the loads sum to X; workers whose load would be negative take no part. One that
 * starts until s_i begins at the later of A_i and s_i, so that it has the lesser of that load and
 * (T - s_i - RW_i) / rw_i. Single-round divisible load theory: V. Bharadwaj, D. Ghose, V. Mani, T.
 * Robertazzi, Scheduling Divisible Loads in Parallel and Distributed Systems, 1996.
 */
#include <math.h>

#include "planner/schedulers/rounds/multi_round.h"
#include "planner/schedulers/rounds/rounds_schedulers.h"

/* The loads that end at T; returns their sum. */
static double loads_ending(const struct ranking *ranking, int64_t count, double end_s,
                           double *loads)
{
    double arrived_s = 0, sum = 0;
    for (int64_t i = 0; i < count; i++) {
        const struct ranked_worker *worker = &ranking->workers[i];
        const double latency_s = worker->feed.latency_s + worker->work.latency_s;
        const double rate = rate_of(cost_sum(worker->feed, worker->work));
        loads[i] = fmin((end_s - arrived_s - latency_s) / rate, ranking->greatest);
        if (worker->start_s > 0)
            loads[i] = fmin(loads[i], (end_s - worker->start_s - worker->work.latency_s) /
                                          rate_of(worker->work));
        if (loads[i] < ranking_least(ranking))
            loads[i] = 0;
        arrived_s += cost_of(worker->feed, loads[i]);
        sum += loads[i];
    }
    return sum;
}

static bool single_fill(const struct ranking *ranking, int64_t count, int64_t rounds, double tasks,
                        double *loads)
{
    enum { HALVINGS = 100 };
    /* Limits are relative to the platform's own times, so that the unit of time does not matter. */
    double low_s = 0, high_s = cost_of(ranking->workers[0].work, tasks) / (double)count +
                               cost_of(ranking->workers[0].feed, 1) + 1e-300;
    (void)rounds; /* there is only one */
    if (tasks > (double)count * ranking->greatest)
        return false;
    while (loads_ending(ranking, count, high_s, loads) < tasks && high_s < 1e300)
        high_s *= 2;
    for (int step = 0; step < HALVINGS; step++) {
        const double middle_s = 0.5 * (low_s + high_s);
        if (loads_ending(ranking, count, middle_s, loads) < tasks)
            low_s = middle_s;
        else
            high_s = middle_s;
    }
    loads_ending(ranking, count, high_s, loads);
    return true;
}

static double single_guess(const struct ranking *ranking, int64_t count, double tasks)
{
    (void)ranking;
    (void)count;
    (void)tasks;
    return 1;
}

bool single_round_make(const struct schedule_request *request, struct plan *plan,
                       struct failure *failure)
{
    static const struct multi_round family = {
        .fill = single_fill,
        .guess = single_guess,
        .reason = "one package per worker does not fit the profile's windows",
        .orders = RANKING_EVERY_ORDER,
        .rounds_most = 1,
        .fed_only = false};
    return multi_round_make(request, &family, plan, failure);
}

/*
 * Multi-installment (MI): M rounds for a linear cost model, in which every worker computes one
 * package exactly while the next one for it is on its way, and all end together.
 *
 * Counted from the last package (k = 0) backwards, q running over the packages sent after k:
 *   k < n:  rw_k x_k = sum_{q < k} h_q x_q + rw_0 x_0        (all end together)
 *   k >= n: rw_k x_k = sum_{k - n <= q < k} h_q x_q          (no gap before the next installment)
 * The loads are scaled to X. Latencies are not in the model; the evaluation knows them and so finds
 * the best M. V. Bharadwaj, D. Ghose, V. Mani, Multi-installment load distribution in tree networks
 * with delays, IEEE Trans. Aerospace and Electronic Systems 31 (1995).
 */
#include <math.h>

#include "planner/schedulers/rounds/multi_round.h"
#include "planner/schedulers/rounds/rounds_schedulers.h"

static double feed_rate(const struct ranking *ranking, int64_t place)
{
    return ranking->workers[place].feed.s_per_task;
}

static bool installments_fill(const struct ranking *ranking, int64_t count, int64_t rounds,
                              double tasks, double *loads)
{
    const int64_t packages = count * rounds;
    double sent_s = 0, sum = 0; /* sent_s: sum of h_q x_q over the last `count` packages */
    for (int64_t k = 0; k < packages; k++) {
        const int64_t at = packages - 1 - k, place = at % count;
        const double end_s = k < count ? rate_of(ranking->workers[count - 1].work) : 0;
        loads[at] = k == 0 ? 1 : (sent_s + end_s) / rate_of(ranking->workers[place].work);
        sum += loads[at];
        sent_s += feed_rate(ranking, place) * loads[at];
        if (k >= count)
            sent_s -= feed_rate(ranking, place) * loads[at + count];
        if (!(sum < 1e250))
            return false;
    }
    for (int64_t at = 0; at < packages; at++)
        loads[at] *= tasks / sum;
    return true;
}

/* A first guess of the number of installments: a few, as the model itself has no best number. */
static double installments_guess(const struct ranking *ranking, int64_t count, double tasks)
{
    (void)ranking;
    (void)count;
    (void)tasks;
    return 4;
}

bool multi_installment_make(const struct schedule_request *request, struct plan *plan,
                            struct failure *failure)
{
    static const struct multi_round family = {
        .fill = installments_fill,
        .guess = installments_guess,
        .reason = "packages within the profile's windows cannot add up to the tasks",
        .orders = 1u << RANKING_BY_FEED | 1u << RANKING_BY_WORK,
        .rounds_most = 1000,
        .fed_only = false};
    return multi_round_make(request, &family, plan, failure);
}

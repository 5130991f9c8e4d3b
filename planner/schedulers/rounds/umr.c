#include "planner/schedulers/rounds/umr.h"

#include <math.h>

#include "planner/schedulers/rounds/multi_round.h"
#include "planner/schedulers/rounds/rounds_schedulers.h"

/* The formulas are for latencies of at least 0; a fitted one below 0 counts as 0. */
static double latency_of(struct cost cost)
{
    return fmax(0, cost.latency_s);
}

/* beta_i = alpha_i sum_k S_k cLat_k - S_i cLat_i. */
static double beta_of(const struct umr *umr, const struct ranked_worker *worker)
{
    const double speed = 1 / rate_of(worker->work);
    return speed / umr->speed * umr->latency - speed * latency_of(worker->work);
}

void umr_init(struct umr *umr, const struct ranking *ranking, int64_t count)
{
    double share = 0; /* sum S_i / B_i */
    *umr = (struct umr){.ranking = ranking, .count = count};
    for (int64_t i = 0; i < count; i++) {
        const struct ranked_worker *worker = &ranking->workers[i];
        umr->speed += 1 / rate_of(worker->work);
        umr->latency += latency_of(worker->work) / rate_of(worker->work);
        share += worker->feed.s_per_task / rate_of(worker->work);
    }
    for (int64_t i = 0; i < count; i++) {
        const struct ranked_worker *worker = &ranking->workers[i];
        umr->feed_s += latency_of(worker->feed) + beta_of(umr, worker) * worker->feed.s_per_task;
    }
    umr->feed_rate = share / umr->speed;
    umr->theta = 1 / fmax(share, 1e-15); /* links may take no time, and share be 0 */
    umr->mu = umr->theta * (umr->latency - umr->speed * umr->feed_s);
}

double umr_load(const struct umr *umr, int64_t worker, double round_tasks)
{
    const struct ranked_worker *one = &umr->ranking->workers[worker];
    return round_tasks / (rate_of(one->work) * umr->speed) + beta_of(umr, one);
}

static bool theta_is_one(const struct umr *umr)
{
    return fabs(umr->theta - 1) < 1e-9;
}

double umr_first(const struct umr *umr, double rounds, double tasks)
{
    if (theta_is_one(umr))
        return tasks / rounds - umr->mu * (rounds - 1) / 2;
    const double eta = umr->mu / (1 - umr->theta);
    /* (1 - theta) / (1 - theta^M), kept finite for large M. */
    const double growth = pow(umr->theta, rounds);
    return eta + (1 - umr->theta) * ((tasks - rounds * eta) / (1 - growth));
}

/* dF / dM = sum S cLat / sum S + (sum alpha_i / B_i) dR_0 / dM. */
static double makespan_slope(const struct umr *umr, double rounds, double tasks)
{
    const double step = 1e-4 * rounds;
    const double first_slope =
        (umr_first(umr, rounds + step, tasks) - umr_first(umr, rounds - step, tasks)) / (2 * step);
    return umr->latency / umr->speed + umr->feed_rate * first_slope;
}

double umr_rounds(const struct umr *umr, double tasks)
{
    enum { HALVINGS = 60 };
    double low = 1, high = 2;
    if (makespan_slope(umr, low, tasks) >= 0)
        return 1;
    while (makespan_slope(umr, high, tasks) < 0 && high < 1e6)
        high *= 2;
    for (int step = 0; step < HALVINGS; step++) {
        const double middle = 0.5 * (low + high);
        if (makespan_slope(umr, middle, tasks) < 0)
            low = middle;
        else
            high = middle;
    }
    return high;
}

static bool rounds_fill(const struct ranking *ranking, int64_t count, int64_t rounds, double tasks,
                        double *loads)
{
    struct umr umr;
    umr_init(&umr, ranking, count);
    double round_tasks = umr_first(&umr, (double)rounds, tasks);
    for (int64_t r = 0; r < rounds; r++) {
        for (int64_t i = 0; i < count; i++) {
            loads[r * count + i] = umr_load(&umr, i, round_tasks);
            if (!(loads[r * count + i] >= 0))
                return false;
        }
        round_tasks = umr.theta * round_tasks + umr.mu;
    }
    return true;
}

static double rounds_guess(const struct ranking *ranking, int64_t count, double tasks)
{
    struct umr umr;
    umr_init(&umr, ranking, count);
    return umr_rounds(&umr, tasks);
}

/* Selection: sum S_i as large as sum S_i / B_i <= 1 allows, by decreasing B_i; smaller sets are
 * tried, too. */
bool umr_make(const struct schedule_request *request, struct plan *plan, struct failure *failure)
{
    static const struct multi_round family = {.fill = rounds_fill,
                                              .guess = rounds_guess,
                                              .reason =
                                                  "no number of workers and rounds has all chunks "
                                                  "positive and within the profile's windows",
                                              .orders = 1u << RANKING_BY_FEED,
                                              .rounds_most = 2000,
                                              .fed_only = true};
    return multi_round_make(request, &family, plan, failure);
}

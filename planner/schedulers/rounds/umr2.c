/*
 * UMR2 / MRRS: multi-round scheduling with resource selection. In a round of length T_j every
 * worker communicates and computes for the same time; rounds grow (theta > 1) or shrink (theta < 1,
 * then the inner workers have gaps).
 *
 * N. T. Loc, S. Elnaffar, T. Katayama, H. T. Bao, MRRS: a more efficient algorithm for scheduling
 * divisible loads of grid applications, SITIS 2006. With A_i = S_i B_i / (S_i + B_i):
 * c_{j,i} = A_i (T_j - nLat_i - cLat_i), and the last worker computes its chunk of round j while
 * the master sends round j + 1, which gives T_{j+1} = theta T_j + kappa,
 * theta = [B_n / (B_n + S_n)] / sum [S_i / (B_i + S_i)].
 */
#include "planner/schedulers/rounds/umr2.h"

#include <math.h>

#include "planner/schedulers/rounds/multi_round.h"
#include "planner/schedulers/rounds/rounds_schedulers.h"

struct mrrs {
    double theta, kappa;
    double capacity; /* sum A_i */
    double idle;     /* sum A_i (nLat_i + cLat_i) */
};

static double chunk_latency(const struct ranked_worker *worker)
{
    return worker->feed.latency_s + worker->work.latency_s;
}

/* A_i in the rates' own terms: 1 / (h + rw). */
static double chunk_capacity(const struct ranked_worker *worker)
{
    return 1 / rate_of(cost_sum(worker->feed, worker->work));
}

static void mrrs_init(struct mrrs *mrrs, const struct ranking *ranking, int64_t count)
{
    const struct ranked_worker *last = &ranking->workers[count - 1];
    const double weight = last->work.s_per_task * chunk_capacity(last); /* B / (B + S) */
    double share = 0, latency_s = 0, hidden_s = 0;
    *mrrs = (struct mrrs){.theta = 0};
    for (int64_t i = 0; i < count; i++) {
        const struct ranked_worker *worker = &ranking->workers[i];
        const double part = worker->feed.s_per_task * chunk_capacity(worker); /* S / (B + S) */
        mrrs->capacity += chunk_capacity(worker);
        mrrs->idle += chunk_capacity(worker) * chunk_latency(worker);
        latency_s += worker->feed.latency_s;
        hidden_s += part * chunk_latency(worker);
        share += part;
    }
    mrrs->theta = weight / fmax(share, 1e-15);
    mrrs->kappa = (last->work.latency_s - weight * chunk_latency(last) - latency_s + hidden_s) /
                  fmax(share, 1e-15);
}

/* T_0 such that M rounds hold the tasks: sum_j T_j = (X + M idle) / capacity. */
static double mrrs_first(const struct mrrs *mrrs, int64_t rounds, double tasks)
{
    double of_first = 0, fixed = 0, weight = 1, added = 0;
    for (int64_t r = 0; r < rounds; r++) {
        of_first += weight;
        fixed += added;
        weight *= mrrs->theta;
        added = mrrs->theta * added + mrrs->kappa;
    }
    return ((tasks + (double)rounds * mrrs->idle) / mrrs->capacity - fixed) / of_first;
}

bool umr2_fill(const struct ranking *ranking, int64_t count, int64_t rounds, double tasks,
               double *loads)
{
    struct mrrs mrrs;
    mrrs_init(&mrrs, ranking, count);
    double round_s = mrrs_first(&mrrs, rounds, tasks);
    for (int64_t r = 0; r < rounds; r++) {
        for (int64_t i = 0; i < count; i++) {
            const struct ranked_worker *worker = &ranking->workers[i];
            double *load = &loads[r * count + i];
            *load = chunk_capacity(worker) * (round_s - chunk_latency(worker));
            if (!(*load >= 0))
                return false;
        }
        round_s = mrrs.theta * round_s + mrrs.kappa;
    }
    return true;
}

static double chunks_guess(const struct ranking *ranking, int64_t count, double tasks)
{
    (void)ranking;
    (void)count;
    (void)tasks;
    return 6;
}

bool umr2_make(const struct schedule_request *request, struct plan *plan, struct failure *failure)
{
    static const struct multi_round family = {.fill = umr2_fill,
                                              .guess = chunks_guess,
                                              .reason =
                                                  "no number of workers and rounds has all chunks "
                                                  "positive and within the profile's windows",
                                              .orders = 1u << RANKING_BY_FEED,
                                              .rounds_most = 2000,
                                              .fed_only = false};
    return multi_round_make(request, &family, plan, failure);
}

/*
 * The periodic scheduler of Beaumont, Legrand and Robert, with the number of rounds of Yang: the
 * steady state of the linear model, all latencies paid in every period.
 *
 * De la Torre (3.35)-(3.41): maximise rho = sum y_i subject to sum h_i y_i <= 1, rw_i y_i <= 1, a
 * fractional knapsack by increasing h; x_i = y_i X / (rho n), T = max(a / n + b, a' / n + b') with
 * a = X sum y_i h_i / rho, b = sum H_i, a' = X max rw_i y_i / rho, b' = 0, and
 * n = max(sqrt(a / b), (a' - a) / b); the n that counts the workers' latencies competes. The last
 * round is SCOW's.
 */
#include <math.h>

#include "planner/schedulers/level.h"
#include "planner/schedulers/schedulers.h"
#include "planner/schedulers/steady.h"

/* y_i into `loads`; rho. */
static double steady_rates(const struct ranking *ranking, double *loads)
{
    double left = 1, rho = 0;
    for (int64_t i = 0; i < ranking->count; i++) {
        const struct ranked_worker *worker = &ranking->workers[i];
        const double full = 1 / rate_of(worker->work);
        loads[i] = fmin(full, left / rate_of(worker->feed));
        left = fmax(left - loads[i] * worker->feed.s_per_task, 0);
        /* What is left of 1 by rounding alone is no share. */
        if (loads[i] < 1e-9 * full)
            loads[i] = 0;
        rho += loads[i];
    }
    return rho;
}

/* a and b of the port, a' and b' of the busiest worker; the published b' is 0. */
struct rounds_terms {
    double a, b, a_work, b_work;
};

static struct rounds_terms terms_make(struct steady *steady)
{
    const struct ranking *ranking = steady->ranking;
    const double *rates = steady->loads, rho = steady_rates(ranking, steady->loads);
    struct rounds_terms terms = {0, 0, 0, 0};
    for (int64_t i = 0; i < ranking->count; i++) {
        const struct ranked_worker *worker = &ranking->workers[i];
        const double tasks = steady->tasks * rates[i] / rho;
        if (!(rates[i] > 0))
            continue;
        terms.a += tasks * worker->feed.s_per_task;
        terms.b += worker->feed.latency_s;
        terms.a_work = fmax(terms.a_work, tasks * worker->work.s_per_task);
        terms.b_work = fmax(terms.b_work, worker->work.latency_s);
    }
    return terms;
}

/* n, real. */
static double rounds_published(const struct rounds_terms *terms)
{
    if (!(terms->b > 0))
        return HUGE_VAL;
    return fmax(sqrt(terms->a / terms->b), (terms->a_work - terms->a) / terms->b);
}

/* Where the port has time to spare, (a' - a) / b rounds cost a' latencies that b' = 0 hides:
 * (n + 1)(a' / n + b') is least at sqrt(a' / b'). */
static double rounds_with_latency(const struct rounds_terms *terms)
{
    return terms->b_work > 0 ? sqrt(terms->a_work / terms->b_work) : rounds_published(terms);
}

/* x_i = y_i X / (rho n) and their period. */
static void rounds_offer(struct steady *steady, double rounds)
{
    const double rho = steady_rates(steady->ranking, steady->loads);
    double feed_s = 0, work_s = 0;
    for (int64_t i = 0; i < steady->ranking->count; i++) {
        const struct ranked_worker *worker = &steady->ranking->workers[i];
        steady->loads[i] *= steady->tasks / (rho * rounds);
        feed_s += cost_of(worker->feed, steady->loads[i]);
        work_s = fmax(work_s, cost_of(worker->work, steady->loads[i]));
    }
    steady_offer(steady, fmax(feed_s, work_s), rounds);
}

static bool visit_ranking(struct search *search, struct ranking *ranking, void *context)
{
    struct steady steady;
    (void)context;
    if (!steady_open(&steady, search, ranking))
        return true;
    const struct rounds_terms terms = terms_make(&steady);
    const double wanted[] = {rounds_published(&terms), rounds_with_latency(&terms)};
    /* Windows may ask for smaller packages than the formula knows, or larger ones. */
    const double fewest = ceil(steady.tasks / (ranking->greatest * (double)ranking->count));
    const double most = fmax(floor(steady.tasks / ranking->least), fewest);
    for (size_t k = 0; k < sizeof wanted / sizeof wanted[0]; k++) {
        const double rounds = fmin(fmax(wanted[k], fewest), most);
        rounds_offer(&steady, floor(rounds));
        if (ceil(rounds) > floor(rounds))
            rounds_offer(&steady, ceil(rounds));
    }
    if (!search->request->real_valued)
        search_level(search, ranking);
    steady_close(&steady);
    return false;
}

bool periodic_make(const struct schedule_request *request, struct plan *plan,
                   struct failure *failure)
{
    struct search search;
    if (!search_init(&search, request, failure))
        return false;
    search_visit(&search, 1u << RANKING_BY_FEED, visit_ranking, NULL);
    return search_finish(
        &search, "packages within the profile's windows cannot add up to the tasks", plan, failure);
}

/*
 * The periodic scheduler of Beaumont, Legrand and Robert, with the number of rounds of Yang: the
 * steady state of the linear model, all latencies paid in every period.
 *
 * De la Torre (3.35)-(3.41): maximise rho = sum y_i subject to sum h_i y_i <= 1, rw_i y_i <= 1, a
 * fractional knapsack by increasing h (two of them, e + s and l, where workers are dominated
 * differently); x_i = y_i X / (rho n), T = max(a / n + b, a' / n + b') with
 * a = X sum y_i h_i / rho, b = sum H_i, a' = X max rw_i y_i / rho, b' = 0, and
 * n = max(sqrt(a / b), (a' - a) / b); the n that counts the workers' latencies competes. The last
 * round is SCOW's.
 */
#include <math.h>

#include "planner/schedulers/scow/scow_schedulers.h"
#include "planner/schedulers/scow/steady.h"
#include "planner/schedulers/search/level.h"

/* Writes y_i to `loads`; returns rho. */
static double steady_rates(const struct ranking *ranking, double *loads)
{
    double master = 1, port = 1, rho = 0;
    for (int64_t i = 0; i < ranking->count; i++) {
        const struct ranked_worker *worker = &ranking->workers[i];
        const double full = 1 / rate_of(worker->work);
        const struct cost prepared = ranking_master(ranking), sent = ranking_port(ranking, i);
        loads[i] = fmin(full, fmin(master / rate_of(prepared), port / rate_of(sent)));
        master = fmax(master - loads[i] * prepared.s_per_task, 0);
        port = fmax(port - loads[i] * sent.s_per_task, 0);
        /* What is left of 1 by rounding gives no share. */
        if (loads[i] < 1e-9 * full)
            loads[i] = 0;
        rho += loads[i];
    }
    return rho;
}

/* a and b of the port, a' and b' of the busiest worker; in the paper, b' is 0. */
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

/* n as published, not rounded. */
static double rounds_published(const struct rounds_terms *terms)
{
    if (!(terms->b > 0))
        return HUGE_VAL;
    return fmax(sqrt(terms->a / terms->b), (terms->a_work - terms->a) / terms->b);
}

/* Where the port has time left, (a' - a) / b rounds have a' latencies, which b' = 0 ignores: (n +
 * 1)(a' / n + b') is least at sqrt(a' / b'). */
static double rounds_with_latency(const struct rounds_terms *terms)
{
    return terms->b_work > 0 ? sqrt(terms->a_work / terms->b_work) : rounds_published(terms);
}

/* Offers x_i = y_i X / (rho n) with their period. */
static void rounds_offer(struct steady *steady, double rounds)
{
    const double rho = steady_rates(steady->ranking, steady->loads);
    double master_s = 0, port_s = 0, work_s = 0;
    for (int64_t i = 0; i < steady->ranking->count; i++) {
        const struct ranked_worker *worker = &steady->ranking->workers[i];
        steady->loads[i] *= steady->tasks / (rho * rounds);
        master_s += cost_of(ranking_master(steady->ranking), steady->loads[i]);
        port_s += cost_of(ranking_port(steady->ranking, i), steady->loads[i]);
        work_s = fmax(work_s, cost_of(worker->work, steady->loads[i]));
    }
    steady_offer(steady, fmax(fmax(master_s, port_s), work_s), rounds);
}

/* Tries one more number of rounds; true: it becomes the incumbent. */
static bool rounds_try(struct steady *steady, double rounds)
{
    const double before_s = steady->search->best_s;
    if (rounds < 1 || rounds > steady->tasks || search_exhausted(steady->search))
        return false;
    rounds_offer(steady, rounds);
    return steady->search->best_s < before_s;
}

/* Goes on from the formulas' best number of rounds. They know only one row of the port, no last
 * round and no whole core tasks, which cost more in packages of few core tasks than a longer
 * start. */
static void rounds_climb(struct steady *steady, double formulas)
{
    enum { PARTS = 16 };
    double rounds = formulas;
    for (int part = PARTS - 1; part >= 1; part--)
        if (rounds_try(steady, ceil(formulas * part / PARTS)))
            rounds = ceil(formulas * part / PARTS);
    for (int64_t step = (int64_t)fmax(floor(rounds / 4), 1); step >= 1; step /= 2) {
        while (rounds_try(steady, rounds + (double)step))
            rounds += (double)step;
        while (rounds_try(steady, rounds - (double)step))
            rounds -= (double)step;
    }
}

/* Tries the formulas' numbers of rounds; returns the best one, 0: none has a plan. */
static double rounds_offer_wanted(struct steady *steady)
{
    const struct ranking *ranking = steady->ranking;
    const struct rounds_terms terms = terms_make(steady);
    const double wanted[] = {rounds_published(&terms), rounds_with_latency(&terms)};
    /* Windows may require smaller or larger packages than the formula gives. */
    const double fewest = ceil(steady->tasks / (ranking->greatest * (double)ranking->count));
    const double most = fmax(floor(steady->tasks / ranking->least), fewest);
    double best = 0;
    for (size_t k = 0; k < sizeof wanted / sizeof wanted[0]; k++) {
        const double rounds = fmin(fmax(wanted[k], fewest), most);
        if (rounds_try(steady, floor(rounds)))
            best = floor(rounds);
        if (ceil(rounds) > floor(rounds) && rounds_try(steady, ceil(rounds)))
            best = ceil(rounds);
    }
    return best;
}

/* Plans are levelled before and after the search: levelling gains more for some than for others. */
static bool visit_ranking(struct search *search, struct ranking *ranking, void *context)
{
    const bool whole = !search->request->real_valued;
    struct steady steady;
    (void)context;
    for (int climb = 0; climb <= (whole ? 1 : 0); climb++) {
        struct search fork = search_fork(search);
        if (steady_open(&steady, &fork, ranking)) {
            const double best = rounds_offer_wanted(&steady);
            if (climb == 1 && best > 0)
                rounds_climb(&steady, best);
            steady_offer_last_rounds(&steady);
            if (whole)
                search_level(&fork, ranking);
            steady_close(&steady);
        }
        search_join(search, &fork);
    }
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

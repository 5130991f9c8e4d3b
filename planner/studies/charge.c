#include "planner/studies/charge.h"

#include <math.h>

static bool price_known(struct price price)
{
    return price.price_s > 0 || price.fee > 0;
}

static double charge_of(struct price price, double run_s)
{
    return price.price_s * run_s + price.fee;
}

static double energy_of(struct price price, double run_s)
{
    return price.watts * run_s;
}

/* Sums what `of` gives for the master and for the first `workers` workers. */
static double ranks_sum(const struct profile *profile, const struct profile_setting *setting,
                        int64_t workers, double run_s, double (*of)(struct price, double))
{
    const struct profile_window *window = &setting->windows[0];
    double sum = of(profile->master, run_s);
    int64_t left = workers;
    for (size_t k = 0; k < window->worker_count && left > 0; k++) {
        const struct profile_worker *class = &window->workers[k];
        const int64_t count = class->count < left ? class->count : left;
        sum += (double)count * of(class->price, run_s);
        left -= count;
    }
    return sum;
}

bool charge_known(const struct profile *profile, const struct profile_setting *setting)
{
    const struct profile_window *window = &setting->windows[0];
    bool known = price_known(profile->master);
    for (size_t k = 0; k < window->worker_count; k++)
        known = known || price_known(window->workers[k].price);
    return known;
}

bool energy_known(const struct profile *profile, const struct profile_setting *setting)
{
    const struct profile_window *window = &setting->windows[0];
    return ranks_sum(profile, setting, profile_workers(window), 1, energy_of) > 0;
}

double charge_of_run(const struct profile *profile, const struct profile_setting *setting,
                     int64_t workers, double run_s)
{
    return ranks_sum(profile, setting, workers, run_s, charge_of);
}

double energy_of_run(const struct profile *profile, const struct profile_setting *setting,
                     int64_t workers, double run_s)
{
    return ranks_sum(profile, setting, workers, run_s, energy_of);
}

bool charge_rate_find(const struct profile *profile, const struct profile_setting *setting,
                      const struct plan *plan, int64_t workers, struct charge_rate *rate)
{
    static const double ROUNDING = 1e-9;
    const struct overhead *overhead = &profile->overhead;
    const double charge = plan->predicted.charge;
    const double planned_s = overhead->start_s + plan->predicted.makespan_s + overhead->seal_s;
    const int64_t own = plan_workers_needed(plan);
    if (!plan->predicted.known || !(charge > 0) || !(planned_s > 0))
        return false;
    if (workers != own &&
        fabs(charge_of_run(profile, setting, own, planned_s) - charge) > ROUNDING * charge)
        return false;
    rate->fees = charge_of_run(profile, setting, workers, 0);
    rate->per_s = workers == own ? (charge - rate->fees) / planned_s
                                 : charge_of_run(profile, setting, workers, 1) - rate->fees;
    return true;
}

bool charge_evaluate(const struct profile *profile, const struct profile_setting *setting,
                     const struct waits *waits, const struct plan *plan,
                     struct evaluation *evaluation)
{
    const struct plan_prediction *predicted = &plan->predicted;
    const struct overhead *overhead = &profile->overhead;
    const double used = (double)plan_workers_used(plan);
    const int64_t workers = plan_workers_needed(plan);
    const double run_s = overhead->start_s + predicted->makespan_s + overhead->seal_s;
    *evaluation = (struct evaluation){
        .makespan_s = predicted->makespan_s,
        .run_s = run_s,
        .cpu_s = predicted->worker_busy_share * predicted->makespan_s * used +
                 plan->own.tasks * plan->own.task_s,
        .worker_s = used * predicted->makespan_s,
        .charge = charge_of_run(profile, setting, workers, run_s),
        .workers = workers,
    };
    return !waits || waits_find(waits, workers + 1, run_s, &evaluation->wait_s);
}

void charge_predict(const struct profile *profile, const struct profile_setting *setting,
                    const struct waits *waits, struct plan *plan)
{
    struct evaluation evaluation;
    const bool known = charge_evaluate(profile, setting, waits, plan, &evaluation);
    plan->predicted.cpu_s = evaluation.cpu_s;
    plan->predicted.charge = evaluation.charge;
    plan->predicted.energy_j =
        energy_of_run(profile, setting, evaluation.workers, evaluation.run_s);
    plan->predicted.turnaround_s = waits && known ? evaluation.wait_s + evaluation.run_s : 0;
}

void charge_predict_remaining(const struct profile *profile, const struct profile_setting *setting,
                              const struct plan *whole, struct plan *plan)
{
    const struct overhead *overhead = &profile->overhead;
    const double run_s = overhead->start_s + plan->predicted.makespan_s + overhead->seal_s;
    struct charge_rate rate;
    if (charge_rate_find(profile, setting, whole, plan_workers_needed(plan), &rate))
        plan->predicted.charge = rate.fees + rate.per_s * run_s;
    plan->predicted.energy_j = energy_of_run(profile, setting, plan_workers_needed(plan), run_s);
}

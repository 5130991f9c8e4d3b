#include "planner/simulate/ensemble.h"

#include <math.h>
#include <stdlib.h>

#include "planner/simulate/stars.h"
#include "planner/simulate/tree.h"

bool ensemble_init(struct ensemble *ensemble, int64_t most, struct failure *failure)
{
    *ensemble = (struct ensemble){calloc((size_t)most, sizeof *ensemble->runs), 0};
    return ensemble->runs || failure_memory(failure, "simulating");
}

void ensemble_add(struct ensemble *ensemble, double makespan_s)
{
    ensemble->runs[ensemble->count] = (struct ensemble_run){makespan_s, ensemble->count};
    ensemble->count++;
}

static int run_compare(const void *a, const void *b)
{
    const struct ensemble_run *p = a, *q = b;
    if (p->makespan_s != q->makespan_s)
        return p->makespan_s < q->makespan_s ? -1 : 1;
    return (p->number > q->number) - (p->number < q->number);
}

void ensemble_sort(struct ensemble *ensemble)
{
    qsort(ensemble->runs, (size_t)ensemble->count, sizeof *ensemble->runs, run_compare);
}

void ensemble_release(struct ensemble *ensemble)
{
    free(ensemble->runs);
    *ensemble = (struct ensemble){NULL, 0};
}

static bool dispatch_simulate(const struct ensemble_setup *setup, const struct scenario *scenario,
                              struct simulation *simulation, struct failure *failure)
{
    struct dispatch *dispatch =
        decision_dispatch(setup->decision, setup->platform, scenario, failure);
    const bool good = dispatch && simulate_scenario(setup->platform, dispatch, scenario, NULL,
                                                    simulation, failure);
    dispatch_free(&dispatch);
    return good;
}

static bool stars_simulate(const struct ensemble_setup *setup, const struct scenario *scenario,
                           struct simulation *simulation, struct failure *failure)
{
    struct moves_list moves = {.items = NULL};
    const struct stars_setup stars = {.platform = setup->platform,
                                      .plan = setup->decision->plan,
                                      .decisions = setup->decisions,
                                      .scenario = scenario};
    const bool good = simulate_stars(&stars, NULL, &moves, simulation, failure);
    moves_list_release(&moves);
    return good;
}

/* Does the scenario disturb runs by anything but its variation? */
static bool is_disturbed(const struct scenario *scenario)
{
    return scenario->noise > 0 || scenario->outlier_rate > 0 || scenario->slow_workers > 0 ||
           scenario->lost_worker >= 0 || scenario->copies;
}

static bool groups_simulate(const struct ensemble_setup *setup, const struct scenario *scenario,
                            struct simulation *simulation, struct failure *failure)
{
    const struct tree_setup tree = {.platform = setup->platform,
                                    .plan = setup->decision->plan,
                                    .decisions = setup->decisions,
                                    .scenario = scenario};
    return setup->decisions || is_disturbed(scenario)
               ? simulate_tree(&tree, NULL, simulation, failure)
               : tree_simulate(setup->platform, tree.plan, scenario->variation, NULL, simulation,
                               failure);
}

static bool run_simulate(const struct ensemble_setup *setup, const struct scenario *scenario,
                         struct ensemble *ensemble, struct failure *failure)
{
    const struct plan *plan = setup->decision->plan;
    struct simulation simulation;
    const bool good =
        plan && plan->star_count > 0    ? stars_simulate(setup, scenario, &simulation, failure)
        : plan && plan->child_count > 0 ? groups_simulate(setup, scenario, &simulation, failure)
                                        : dispatch_simulate(setup, scenario, &simulation, failure);
    if (good)
        ensemble_add(ensemble, simulation.makespan_s);
    return good;
}

bool ensemble_simulate(const struct ensemble_setup *setup, struct ensemble *ensemble,
                       struct failure *failure)
{
    const struct variation *variation = setup->scenario->variation;
    struct scenario scenario = *setup->scenario;
    bool good = ensemble_init(ensemble, setup->runs, failure);
    for (int64_t k = 0; good && k < setup->runs; k++) {
        scenario.seed = setup->scenario->seed + (uint64_t)k;
        if (variation && variation->begin)
            variation->begin(variation->self, k);
        good = run_simulate(setup, &scenario, ensemble, failure);
    }
    if (good)
        ensemble_sort(ensemble);
    return good;
}

double ensemble_mean(const struct ensemble *ensemble)
{
    double sum_s = 0;
    for (int64_t k = 0; k < ensemble->count; k++)
        sum_s += ensemble->runs[k].makespan_s;
    return sum_s / (double)ensemble->count;
}

/* The quantile of the standard normal distribution, by bisection of erfc. */
static double normal_quantile(double share)
{
    double low = -40, high = 40;
    for (int k = 0; k < 64; k++) {
        const double middle = (low + high) / 2;
        if (erfc(-middle * 0.7071067811865476) / 2 < share)
            low = middle;
        else
            high = middle;
    }
    return high;
}

static double tail_quantile(const struct ensemble *ensemble, double share)
{
    const double count = (double)ensemble->count;
    double sum = 0, squares = 0;
    for (int64_t k = 0; k < ensemble->count; k++)
        sum += log(ensemble->runs[k].makespan_s) / count;
    for (int64_t k = 0; k < ensemble->count; k++) {
        const double off = log(ensemble->runs[k].makespan_s) - sum;
        squares += off * off / (count - 1);
    }
    return exp(sum + sqrt(squares) * normal_quantile(share));
}

double ensemble_quantile(const struct ensemble *ensemble, double share)
{
    const struct ensemble_run *sorted = ensemble->runs;
    const double place = share * (double)ensemble->count - 0.5;
    const int64_t last = ensemble->count - 1;
    if (sorted[0].makespan_s == sorted[last].makespan_s)
        return sorted[0].makespan_s;
    if (place > (double)(last - 1))
        return fmax(tail_quantile(ensemble, share), sorted[last].makespan_s);
    if (place < 1)
        return fmin(tail_quantile(ensemble, share), sorted[0].makespan_s);
    const int64_t low = (int64_t)place;
    return sorted[low].makespan_s +
           (place - (double)low) * (sorted[low + 1].makespan_s - sorted[low].makespan_s);
}

double ensemble_median_error(const struct ensemble *ensemble)
{
    static const double ROOT_HALF_PI = 1.2533141373155003, WITHIN_ONE = 0.6826894921370859;
    const double low_s = ensemble_quantile(ensemble, (1 - WITHIN_ONE) / 2);
    const double high_s = ensemble_quantile(ensemble, (1 + WITHIN_ONE) / 2);
    return ROOT_HALF_PI * (high_s - low_s) / 2 / sqrt((double)ensemble->count);
}

double ensemble_typical(const struct ensemble *ensemble, double predicted_s)
{
    /* Finds the half of the runs that are closest to the prediction: drops the farther end of the
     * sorted runs until half are left. The farther end of these is then at the median of all
     * distances. */
    int64_t first = 0, last = ensemble->count - 1;
    const struct ensemble_run *sorted = ensemble->runs;
    while (last - first > ensemble->count / 2) {
        if (fabs(sorted[first].makespan_s - predicted_s) >
            fabs(sorted[last].makespan_s - predicted_s))
            first++;
        else
            last--;
    }
    return fmax(fabs(sorted[first].makespan_s - predicted_s),
                fabs(sorted[last].makespan_s - predicted_s)) /
           predicted_s;
}

struct ensemble_summary ensemble_sum(const struct ensemble *ensemble)
{
    return (struct ensemble_summary){.least_s = ensemble->runs[0].makespan_s,
                                     .median_s = ensemble_quantile(ensemble, 0.5),
                                     .p95_s = ensemble_quantile(ensemble, 0.95),
                                     .greatest_s = ensemble->runs[ensemble->count - 1].makespan_s};
}

bool ensemble_study(const struct ensemble_setup *setup, struct ensemble_summary *summary,
                    struct failure *failure)
{
    struct ensemble ensemble;
    const bool good = ensemble_simulate(setup, &ensemble, failure);
    if (good)
        *summary = ensemble_sum(&ensemble);
    ensemble_release(&ensemble);
    return good;
}

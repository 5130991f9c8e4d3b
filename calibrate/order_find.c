#include "calibrate/order_find.h"

#include <math.h>
#include <stdlib.h>

#include "calibrate/fit/strata_fit.h"
#include "calibrate/focus.h"

/* Costs are looked at in so many parts of the job: what packages of a size differ by depends on
 * which share of the job they take, not on how many core tasks that is. */
enum { PARTS_MOST = 4096 };

static double middle_of(const struct stratum *stratum)
{
    return (double)stratum->place.first + (double)stratum->place.count / 2;
}

/* Costs are interpolated linearly between the middles of the strata that were timed. */
static void costs_fill(const struct strata_fit *fit, int64_t tasks, double *costs, int64_t parts)
{
    size_t next = 0;
    for (int64_t k = 0; k < parts; k++) {
        const double at = ((double)k + 0.5) * (double)tasks / (double)parts;
        while (next < fit->count && middle_of(&fit->strata[next]) < at)
            next++;
        const struct stratum *above = &fit->strata[next < fit->count ? next : fit->count - 1];
        const struct stratum *below = next > 0 ? above - (next < fit->count) : above;
        const double from = middle_of(below), to = middle_of(above);
        const double share = to > from ? (at - from) / (to - from) : 0;
        costs[k] = below->cost_s + share * (above->cost_s - below->cost_s);
    }
}

/* The order of the whole job from that of its parts: a stride as large as the number of parts
 * becomes the number of packages, a small one stays. */
static struct order order_scale(const struct order *of_parts, int64_t packages,
                                const struct order_job *job)
{
    static const int64_t most_fixed = 16;
    struct order order = *of_parts;
    order.tasks = job->tasks;
    if (order.stride > most_fixed)
        order.stride = packages;
    return order;
}

bool order_find(const struct order_job *job, struct order *order, struct failure *failure)
{
    const int64_t parts = job->tasks < PARTS_MOST ? job->tasks : PARTS_MOST;
    const double load = focus_load(job->setting, job->tasks, job->workers);
    const double share = load / (double)job->tasks;
    struct strata_fit fit;
    *order = (struct order){.kind = ORDER_NATURAL, .tasks = job->tasks, .stride = 1};
    if (!strata_fit_make(job->samples, job->sampled, job->workers, 0, &fit, failure))
        return false;
    double *costs = fit.differ && fit.count > 1 ? malloc((size_t)parts * sizeof *costs) : NULL;
    const bool good = costs || !(fit.differ && fit.count > 1);
    if (costs && load > 0) {
        costs_fill(&fit, job->tasks, costs, parts);
        const struct order chosen =
            order_choose(costs, parts, (int64_t)fmax(1, round(share * (double)parts)));
        *order = order_scale(&chosen, (int64_t)ceil(1 / share), job);
    }
    free(costs);
    strata_fit_release(&fit);
    return good || failure_memory(failure, "choosing an order");
}

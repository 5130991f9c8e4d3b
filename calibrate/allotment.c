#include "calibrate/allotment.h"

#include <math.h>

/* Of a pass's time, what goes to packages; the rest is making the ranks ready. */
static const double PACKAGES_SHARE = 0.75;
/* Probes in which a pass is carried out, for packages that overlap are not in one. */
enum { PROBES_EACH = 2, SIZES_LEAST = 3, LARGEST_LEAST = 4 };

/* Workers are unlike where the fastest beats their mean by more than this, and then may get this
 * much more than its speed says, for all that speeds are known from few packages. */
static const double LEAD_LEAST = 1.1, LEAD_MARGIN = 1.05;

int64_t allotment_need(const struct scouting *costs, int64_t most)
{
    const double wanted_s = ALLOTMENT_LATENCIES * costs->latency_least_s;
    const double tasks = costs->s_per_task > 0
                             ? ceil((wanted_s - costs->latency_s) / costs->s_per_task)
                             : (double)most;
    return (int64_t)fmin((double)most, fmax(1, tasks));
}

/* Seconds of one package of each size from 1 to `largest`. */
static double grid_s(const struct scouting *costs, int64_t largest, double growth)
{
    const int steps = largest > 1 ? (int)ceil(log((double)largest) / log(growth) - 1e-9) : 0;
    double sum = costs->latency_s + costs->s_per_task * (double)largest;
    for (int step = 0; step < steps; step++)
        sum += costs->latency_s + costs->s_per_task * floor(pow(growth, step));
    return sum;
}

double allotment_tasks_most(const struct campaign_effort *effort, int64_t tasks, int workers)
{
    enum { HALVES = 2, PARTS = 2 }; /* of a campaign; of a pass, grid and focus, as both may be */
    const double share = ceil((double)tasks / workers);
    const double sizes = share * effort->growth / (effort->growth - 1); /* of one package each */
    const double copies = effort->copies_most * sizes * workers;
    return HALVES * PARTS * effort->sets * fmin(copies, (double)DESIGN_JOBS_MOST * (double)tasks);
}

/* The largest package such that one of each size fits. */
static int64_t largest_within(const struct scouting *costs, double growth, int64_t most,
                              double seconds)
{
    int64_t low = 1, high = most;
    while (low < high) {
        const int64_t middle = low + (high - low + 1) / 2;
        if (grid_s(costs, middle, growth) <= seconds)
            low = middle;
        else
            high = middle - 1;
    }
    return low;
}

struct allotment allotment_make(const struct scouting *costs, const struct campaign_effort *effort,
                                int64_t most, double left_s)
{
    const int64_t least = most < LARGEST_LEAST ? most : LARGEST_LEAST; /* for a third size */
    const int64_t wanted = allotment_need(costs, most), need = wanted > least ? wanted : least;
    for (int sets = effort->sets; sets > 0; sets--) {
        const double pass_s = left_s / (3 * sets) - PROBES_EACH * costs->overhead_s;
        const double packages_s = PACKAGES_SHARE * fmax(0, pass_s);
        const int64_t largest = largest_within(costs, effort->growth, most, packages_s);
        if (largest >= need)
            return (struct allotment){sets, largest, effort->growth, packages_s};
    }
    const double growth = fmax(2, pow((double)need, 1.0 / (SIZES_LEAST - 1)));
    const double pass_s = grid_s(costs, need, growth);
    if (2 * (pass_s + PROBES_EACH * costs->overhead_s) <= left_s)
        return (struct allotment){1, need, growth, pass_s};
    return (struct allotment){0, costs->largest, growth, 0};
}

int64_t allotment_size_most(const struct campaign *campaign, double lead)
{
    const double tasks = (double)campaign->tasks;
    const double more = lead > LEAD_LEAST ? lead * LEAD_MARGIN : 1;
    const double share = fmin(tasks, ceil(more * tasks / campaign->workers));
    return (int64_t)fmax(1, fmin(share, (double)campaign->package_most));
}

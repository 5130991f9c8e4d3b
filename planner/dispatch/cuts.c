#include "planner/dispatch/cuts.h"

#include <math.h>

/* Limits on parts, as shares of the run's time: of what they may cost a worker; and of how long the
 * port may be busy in all, so that it delays no worker. Parts must not cost more than worth_most of
 * what they are to save either, which is the work of one worker divided among all others: with many
 * workers that is little. */
static const double cost_most = 0.004, port_most = 0.5, worth_most = 0.05;
/* Parts shorter than so many seconds would not be found overdue much sooner. */
static const double least_s = 0.25;
/* The middle cut's place, as a share of the run. Half of the cuts lie before it. */
static const double middle = 0.45;
enum { PARTS_MOST = 20 };

/* How much longer the most affected worker works with so many parts; HUGE_VAL: the port has no time
 * for them. */
static double cost_find(const struct cuts_demand *demand, const struct deadline_setup *setup,
                        int64_t parts)
{
    double most_s = 0, port_s = demand->port_s;
    for (int64_t k = 0; k < setup->workers; k++) {
        if (!(demand->tasks[k] > 0))
            continue;
        const int64_t each = (int64_t)fmax(1, demand->tasks[k] / (double)parts);
        const struct deadline_cost whole = setup->cost(setup->self, k, parts * each);
        const struct deadline_cost part = setup->cost(setup->self, k, each);
        port_s += fmax(0, (double)parts * part.way_s - whole.way_s);
        most_s = fmax(most_s, (double)parts * part.work_s - whole.work_s);
    }
    return port_s <= port_most * demand->run_s ? most_s : HUGE_VAL;
}

static double cost_limit_s(const struct cuts_demand *demand, int64_t workers)
{
    int64_t others = -1;
    for (int64_t k = 0; k < workers; k++)
        others += demand->tasks[k] > 0;
    return demand->run_s * fmin(cost_most, worth_most / fmax(1, (double)others));
}

struct cuts cuts_find(const struct cuts_demand *demand, const struct deadline_setup *setup)
{
    struct cuts cuts = {.setup = *setup, .parts = 1, .run_s = demand->run_s};
    for (int64_t parts = PARTS_MOST; parts > 1 && cuts.parts == 1; parts--) {
        if (demand->run_s < (double)parts * least_s)
            continue;
        const double cost_s = cost_find(demand, setup, parts);
        if (cost_s > cost_limit_s(demand, setup->workers))
            continue;
        cuts.parts = parts;
        cuts.cost_s = cost_s;
    }
    return cuts;
}

/* When cut number `cut` comes: half of the parts are before the middle cut, the others after it. */
static double cut_s(const struct cuts *cuts, int64_t cut)
{
    const int64_t before = cuts->parts / 2, after = cuts->parts - before;
    const double share = cut <= before
                             ? middle * (double)cut / (double)before
                             : middle + (1 - middle) * (double)(cut - before) / (double)after;
    return share * cuts->run_s;
}

bool cuts_long(const struct cuts *cuts, double work_s)
{
    return cuts->parts > 1 && 2 * work_s * (double)cuts->parts > cuts->run_s;
}

struct cuts_package cuts_package(const struct cuts *cuts, int64_t worker, int64_t tasks,
                                 double from_s)
{
    const double work_s = cuts->setup.cost(cuts->setup.self, worker, tasks).work_s;
    return (struct cuts_package){worker, tasks, from_s, work_s};
}

int64_t cuts_end(const struct cuts *cuts, const struct cuts_package *package, int64_t first)
{
    const double tasks = (double)package->tasks;
    for (int64_t cut = 1; cuts_long(cuts, package->work_s) && cut < cuts->parts; cut++) {
        const double place = floor((cut_s(cuts, cut) - package->from_s) / package->work_s * tasks);
        if (place > (double)first && place < tasks)
            return (int64_t)place;
    }
    return package->tasks;
}

int64_t cuts_count(const struct cuts *cuts, const struct cuts_package *package, int64_t first,
                   int64_t end)
{
    int64_t parts = 0;
    for (; first < end; first = cuts_end(cuts, package, first))
        parts++;
    return parts;
}

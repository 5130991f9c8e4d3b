#include "planner/model/work.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "planner/base/gallop.h"

static const double SCALED_ALREADY = 1e-6;

/* The factor that makes the mean 1; what a file says is kept. */
static double scale_of(double tasks, double sum)
{
    const double exact = tasks / sum;
    return fabs(exact - 1) > SCALED_ALREADY ? exact : 1;
}

static bool costs_settle(struct work *work)
{
    const double sum = task_costs_all(&work->costs);
    if (!(sum > 0))
        return false;
    const double scale = scale_of((double)work->tasks, sum);
    if (scale < 1 || scale > 1)
        task_costs_change(&work->costs, 0, scale);
    return true;
}

static bool regions_settle(struct work *work)
{
    double sum = 0, until = 0;
    int64_t end = 0;
    for (size_t k = 0; k < work->region_count; k++) {
        end += work->regions[k].tasks;
        sum += (double)work->regions[k].tasks * work->regions[k].cost;
    }
    if (work->region_count > 0 && (end != work->tasks || !(sum > 0)))
        return false;
    const double scale = scale_of((double)work->tasks, sum);
    end = 0;
    for (size_t k = 0; k < work->region_count; k++) {
        struct work_region *region = &work->regions[k];
        region->cost *= scale;
        until += (double)region->tasks * region->cost;
        end += region->tasks;
        region->until = until;
        region->end = end;
    }
    return true;
}

bool work_settle(struct work *work)
{
    assert(work->regions || work->weights || work->region_count == 0);
    assert(!work->users || *work->users == 1);
    return work->weights ? costs_settle(work) : regions_settle(work);
}

/* ---- making -------------------------------------------------------------------------------- */

static size_t runs_count(const double *weights, int64_t tasks)
{
    size_t count = 1;
    for (int64_t k = 1; k < tasks; k++)
        count += weights[k] != weights[k - 1];
    return count;
}

static bool runs_weigh(struct work *work, const double *weights, size_t runs)
{
    work->regions = calloc(runs, sizeof *work->regions);
    if (!work->regions)
        return false;
    for (int64_t k = 0; k < work->tasks; k++)
        if (k > 0 && weights[k] == weights[k - 1])
            work->regions[work->region_count - 1].tasks++;
        else
            work->regions[work->region_count++] =
                (struct work_region){.tasks = 1, .cost = weights[k]};
    return true;
}

/* Makes every core task a region of its own, with these weights, which become owned. */
static bool tasks_weigh(struct work *work, double *weights)
{
    work->weights = weights;
    work->region_count = (size_t)work->tasks;
    return task_costs_init(&work->costs, weights, work->tasks);
}

bool work_weigh_own(struct work *work, double *weights, int64_t tasks)
{
    const size_t runs = runs_count(weights, tasks);
    const bool unlike = runs > WORK_REGIONS_LISTED &&
                        runs * sizeof *work->regions > (size_t)tasks * sizeof *weights;
    *work = (struct work){.tasks = tasks};
    bool good = unlike ? tasks_weigh(work, weights) : runs_weigh(work, weights, runs);
    if (!unlike)
        free(weights);
    good = good && work_settle(work);
    if (!good)
        work_release(work);
    return good;
}

bool work_weigh(struct work *work, const double *weights, int64_t tasks)
{
    double *own = malloc((size_t)tasks * sizeof *own);
    *work = (struct work){.tasks = 0};
    if (!own)
        return false;
    memcpy(own, weights, (size_t)tasks * sizeof *own);
    return work_weigh_own(work, own, tasks);
}

/* ---- copies -------------------------------------------------------------------------------- */

/* Owned; NULL: out of memory, or there is nothing to copy. */
static void *items_copy(const void *items, size_t count, size_t item_size)
{
    void *copy = items ? malloc(count * item_size) : NULL;
    if (copy)
        memcpy(copy, items, count * item_size);
    return copy;
}

/* Copies regions or weights. False: out of memory. */
static bool regions_copy(struct work *work, const struct work *from)
{
    const size_t count = from->region_count;
    *work = (struct work){.tasks = from->tasks, .region_count = count};
    work->regions = items_copy(from->regions, count, sizeof *work->regions);
    work->weights = items_copy(from->weights, count, sizeof *work->weights);
    if (count == 0 || work->regions ||
        (work->weights && task_costs_copy(&work->costs, &from->costs))) {
        work->costs.weights = work->weights;
        return true;
    }
    work_release(work);
    return false;
}

/* Makes a copy of shared regions before they are changed. */
static bool regions_part(struct work *work)
{
    struct work own;
    if (!work->users || *work->users == 1)
        return true;
    if (!regions_copy(&own, work))
        return false;
    work_release(work);
    *work = own;
    return true;
}

void work_share(struct work *work)
{
    if (work->users || !work_differs(work))
        return;
    work->users = malloc(sizeof *work->users);
    if (work->users)
        *work->users = 1;
}

bool work_copy(struct work *work, const struct work *from)
{
    if (!from->users)
        return regions_copy(work, from);
    *work = *from;
    if (from->weights && !task_costs_copy(&work->costs, &from->costs)) {
        *work = (struct work){.tasks = 0};
        return false;
    }
    ++*work->users;
    return true;
}

void work_release(struct work *work)
{
    if (!work->users || --*work->users == 0) {
        free(work->regions);
        free(work->weights);
        free(work->users);
    }
    task_costs_release(&work->costs);
    *work = (struct work){.tasks = 0};
}

/* ---- changing ------------------------------------------------------------------------------ */

/* Adds a region to the last one of `into`, or begins another one there. */
static void region_merge(struct work *into, const struct work_region *region, int64_t first,
                         double length)
{
    struct work_region *last =
        into->region_count > 0 ? &into->regions[into->region_count - 1] : NULL;
    /* Does the last part end before this region? */
    if (!last || (double)first >= (double)into->region_count * length) {
        into->regions[into->region_count++] = *region;
        return;
    }
    const double cost = (double)last->tasks * last->cost + (double)region->tasks * region->cost;
    last->tasks += region->tasks;
    last->cost = cost / (double)last->tasks;
}

bool work_coarsen(struct work *work, size_t most)
{
    struct work made = {.tasks = work->tasks};
    if (work->region_count <= most)
        return true;
    made.regions = calloc(most, sizeof *made.regions);
    if (!made.regions)
        return false;
    int64_t first = 0;
    for (size_t k = 0; k < work->region_count; k++) {
        const struct work_region region = {.tasks = work_region_tasks(work, k),
                                           .cost = work_region_cost(work, k)};
        region_merge(&made, &region, first, (double)work->tasks / (double)most);
        first += region.tasks;
    }
    work_release(work);
    *work = made;
    return work_settle(work);
}

bool work_flatten(struct work *work, double constant)
{
    if (work->weights) { /* they may be shared; their costs are this work's own */
        task_costs_change(&work->costs, constant, 1 - constant);
        return costs_settle(work);
    }
    if (!regions_part(work))
        return false;
    for (size_t k = 0; k < work->region_count; k++)
        work->regions[k].cost = constant + (1 - constant) * work->regions[k].cost;
    return work_settle(work);
}

/* ---- where things are ---------------------------------------------------------------------- */

static double region_end(const void *regions, size_t region)
{
    return (double)((const struct work_region *)regions)[region].end;
}

static double region_until(const void *regions, size_t region)
{
    return ((const struct work_region *)regions)[region].until;
}

static struct work_region region_of_task(const struct work *work, int64_t task)
{
    return (struct work_region){.tasks = 1,
                                .cost = task_costs_of(&work->costs, task),
                                .until = task_costs_until(&work->costs, task),
                                .end = task + 1};
}

/* The region that ends at or behind `at`, or the last one. */
static struct work_region region_at(const struct work *work, double at)
{
    const struct gallop ends = {work->region_count, work->regions, region_end};
    if (!work->weights)
        return work->regions[gallop_find(&ends, at)];
    const double last = (double)(work->tasks - 1);
    return region_of_task(work, (int64_t)fmin(last, fmax(0, ceil(at) - 1)));
}

/* The first region up to whose end there are so many units, or the last one. */
static struct work_region region_reaching(const struct work *work, double units)
{
    const struct gallop untils = {work->region_count, work->regions, region_until};
    return work->weights ? region_of_task(work, task_costs_find(&work->costs, units))
                         : work->regions[gallop_find(&untils, units)];
}

struct work_region work_region_of(const struct work *work, int64_t task)
{
    return region_at(work, (double)task + 1);
}

/* ---- parts --------------------------------------------------------------------------------- */

static int64_t tasks_in(const struct task_range *ranges, int64_t count)
{
    int64_t tasks = 0;
    for (int64_t k = 0; k < count; k++)
        tasks += ranges[k].count;
    return tasks;
}

/* How many regions begin in the range or reach into it. */
static size_t regions_in(const struct work *work, const struct task_range *range)
{
    const struct gallop ends = {work->region_count, work->regions, region_end};
    return 1 + gallop_find(&ends, (double)(range->first + range->count)) -
           gallop_find(&ends, (double)range->first + 1);
}

/* Adds the part of each region that lies in the range. */
static void range_add(struct work *work, const struct work *from, const struct task_range *range)
{
    const int64_t end = range->first + range->count;
    for (int64_t at = range->first; at < end;) {
        const struct work_region region = work_region_of(from, at);
        const int64_t until = region.end < end ? region.end : end;
        work->regions[work->region_count++] =
            (struct work_region){.tasks = until - at, .cost = region.cost};
        at = until;
    }
}

static bool regions_select(struct work *work, const struct work *from,
                           const struct task_range *ranges, int64_t count)
{
    size_t most = 0;
    for (int64_t k = 0; k < count; k++)
        most += regions_in(from, &ranges[k]);
    work->regions = calloc(most + 1, sizeof *work->regions);
    for (int64_t k = 0; work->regions && k < count; k++)
        range_add(work, from, &ranges[k]);
    return work->regions != NULL;
}

static bool weights_pick(struct work *work, const struct work *from,
                         const struct task_range *ranges, int64_t count)
{
    double *weights = malloc((size_t)(work->tasks + 1) * sizeof *weights);
    int64_t at = 0;
    for (int64_t k = 0; weights && k < count; at += ranges[k++].count)
        memcpy(weights + at, from->weights + ranges[k].first,
               (size_t)ranges[k].count * sizeof *weights);
    if (!weights || !tasks_weigh(work, weights))
        return false;
    task_costs_change(&work->costs, from->costs.constant, from->costs.scale);
    return true;
}

static bool is_whole(const struct work *from, const struct task_range *ranges, int64_t count)
{
    return count == 1 && ranges[0].first == 0 && ranges[0].count == from->tasks;
}

bool work_select(struct work *work, const struct work *from, const struct task_range *ranges,
                 int64_t count, double *mean)
{
    double units = 0;
    for (int64_t k = 0; k < count; k++)
        units += work_worth(from, ranges[k]);
    *work = (struct work){.tasks = tasks_in(ranges, count)};
    *mean = units / (double)work->tasks;
    if (!work_differs(from))
        return true;
    if (is_whole(from, ranges, count))
        return work_copy(work, from);
    const bool good = from->weights ? weights_pick(work, from, ranges, count)
                                    : regions_select(work, from, ranges, count);
    if (good && work_settle(work))
        return true;
    work_release(work);
    return false;
}

/* ---- units --------------------------------------------------------------------------------- */

double work_before(const struct work *work, double at)
{
    if (!work_differs(work))
        return at;
    const struct work_region region = region_at(work, at);
    return region.until - ((double)region.end - at) * region.cost;
}

/* Where in the work so many units end. */
static double place_of(const struct work *work, double units)
{
    if (!work_differs(work))
        return units;
    const struct work_region region = region_reaching(work, units);
    const double first = (double)(region.end - region.tasks);
    const double before = region.until - (double)region.tasks * region.cost;
    return region.cost > 0 ? first + fmax(0, (units - before) / region.cost) : first;
}

/* A work as seen by a job with another number of core tasks, by relative position. */
struct job {
    const struct work *work;
    double scale; /* core tasks of the work to one of the job */
};

static double units_off(const struct job *job, int64_t at, double units)
{
    return fabs(work_before(job->work, (double)at * job->scale) / job->scale - units);
}

/* Goes back to before core tasks that are worth nothing, but not below `least`. */
static int64_t before_nothing(const struct job *job, int64_t at, int64_t least)
{
    if (!work_differs(job->work) || at <= least)
        return at;
    const struct work_region region = region_at(job->work, (double)at * job->scale);
    if (region.cost > 0)
        return at;
    /* Regions that are worth nothing end at the same number of units as what comes before them: so
     * the first region with that many units is the one before them, unless nothing comes before. */
    const struct work_region last = region_reaching(job->work, region.until);
    const int64_t end = last.cost > 0 ? last.end : 0;
    const int64_t first = (int64_t)ceil((double)end / job->scale);
    return first >= at ? at : first > least ? first : least;
}

int64_t work_nearest(const struct work *work, int64_t tasks, double units, int64_t least)
{
    const struct job job = {work, work_differs(work) ? (double)work->tasks / (double)tasks : 1};
    const double place = place_of(work, units * job.scale) / job.scale;
    const int64_t near = place < (double)tasks ? (int64_t)place - 1 : tasks;
    int64_t best = near > least ? near : least;
    for (int64_t at = best + 1; at <= near + 3 && at <= tasks; at++)
        if (units_off(&job, at, units) < units_off(&job, best, units))
            best = at;
    return before_nothing(&job, best, least);
}

double work_worth(const struct work *work, struct task_range range)
{
    return work_before(work, (double)(range.first + range.count)) -
           work_before(work, (double)range.first);
}

double work_mean_cost(const struct work *work, double tasks, double first, double count)
{
    if (!work_differs(work) || !(count > 0) || !(tasks > 0))
        return 1;
    const double scale = (double)work->tasks / tasks;
    const double units =
        work_before(work, (first + count) * scale) - work_before(work, first * scale);
    return fmax(0, units / (count * scale));
}

/* ---- all of it ----------------------------------------------------------------------------- */

double work_deviation(const struct work *work)
{
    double squares = 0;
    for (size_t k = 0; k < work->region_count; k++) {
        const double off = work_region_cost(work, k) - 1;
        squares += (double)work_region_tasks(work, k) * off * off;
    }
    return work_differs(work) ? sqrt(squares / (double)work->tasks) : 0;
}

double work_greatest(const struct work *work)
{
    double greatest = work_differs(work) ? 0 : 1;
    for (size_t k = 0; k < work->region_count; k++)
        greatest = fmax(greatest, work_region_cost(work, k));
    return greatest;
}

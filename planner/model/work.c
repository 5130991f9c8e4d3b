#include "planner/model/work.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double SCALED_ALREADY = 1e-6;

bool work_settle(struct work *work)
{
    assert(work->regions || work->region_count == 0);
    assert(!work->users || *work->users == 1);
    double sum = 0, until = 0;
    int64_t end = 0;
    for (size_t k = 0; k < work->region_count; k++) {
        end += work->regions[k].tasks;
        sum += (double)work->regions[k].tasks * work->regions[k].cost;
    }
    if (work->region_count > 0 && (end != work->tasks || !(sum > 0)))
        return false;
    const double exact = (double)work->tasks / sum;
    const double scale = fabs(exact - 1) > SCALED_ALREADY ? exact : 1; /* a file stays as it is */
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

static size_t runs_count(const double *weights, int64_t tasks)
{
    size_t count = 1;
    for (int64_t k = 1; k < tasks; k++)
        count += weights[k] != weights[k - 1];
    return count;
}

bool work_weigh(struct work *work, const double *weights, int64_t tasks)
{
    const size_t most = runs_count(weights, tasks);
    *work = (struct work){.tasks = tasks, .regions = malloc(most * sizeof *work->regions)};
    if (!work->regions)
        return false;
    for (int64_t k = 0; k < tasks; k++)
        if (k > 0 && weights[k] == weights[k - 1])
            work->regions[work->region_count - 1].tasks++;
        else
            work->regions[work->region_count++] =
                (struct work_region){.tasks = 1, .cost = weights[k]};
    if (work_settle(work))
        return true;
    work_release(work);
    return false;
}

/* Regions of its own. False: out of memory. */
static bool regions_copy(struct work *work, const struct work *from)
{
    *work = *from;
    work->regions = NULL;
    work->users = NULL;
    if (from->region_count == 0)
        return true;
    work->regions = malloc(from->region_count * sizeof *work->regions);
    if (work->regions)
        memcpy(work->regions, from->regions, from->region_count * sizeof *work->regions);
    else
        work->region_count = 0;
    return work->regions != NULL;
}

/* They are about to be changed. */
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
    if (!work->users && work_differs(work))
        work->users = malloc(sizeof *work->users);
    if (work->users)
        *work->users = 1;
}

bool work_copy(struct work *work, const struct work *from)
{
    if (!from->users)
        return regions_copy(work, from);
    *work = *from;
    ++*work->users;
    return true;
}

void work_release(struct work *work)
{
    if (!work->users || --*work->users == 0) {
        free(work->regions);
        free(work->users);
    }
    *work = (struct work){.tasks = 0};
}

bool work_coarsen(struct work *work, size_t most)
{
    const double length = (double)work->tasks / (double)most;
    size_t made = 0;
    if (work->region_count <= most)
        return true;
    if (!regions_part(work))
        return false;
    for (size_t k = 0; k < work->region_count; k++) {
        const struct work_region *region = &work->regions[k];
        struct work_region *into = made > 0 ? &work->regions[made - 1] : NULL;
        /* Does the part that is being made reach no farther than here? */
        if (!into || (double)(region->end - region->tasks) >= (double)made * length) {
            work->regions[made++] = *region;
            continue;
        }
        const double cost = (double)into->tasks * into->cost + (double)region->tasks * region->cost;
        into->tasks += region->tasks;
        into->cost = cost / (double)into->tasks;
    }
    work->region_count = made;
    return work_settle(work);
}

bool work_flatten(struct work *work, double constant)
{
    if (!regions_part(work))
        return false;
    for (size_t k = 0; k < work->region_count; k++)
        work->regions[k].cost = constant + (1 - constant) * work->regions[k].cost;
    return work_settle(work);
}

/* How far a region reaches: in core tasks, or in units. */
static double reach(const struct work_region *region, bool in_units)
{
    return in_units ? region->until : (double)region->end;
}

/* Where the region would be that is the first to reach so far, if all were alike. */
static size_t region_guess(const struct work *work, double far, bool in_units)
{
    const size_t last = work->region_count - 1;
    const double share = far / reach(&work->regions[last], in_units);
    return share > 0 ? (size_t)fmin((double)last, ceil(share * (double)(last + 1)) - 1) : 0;
}

/* The first region that reaches so far, or the last. Looked at first is where it is likely; then
 * what lies no farther from there than a step that doubles, nor behind the middle of what is left.
 */
static const struct work_region *region_first(const struct work *work, double far, bool in_units)
{
    const struct work_region *regions = work->regions;
    size_t low = 0, high = work->region_count - 1, at = region_guess(work, far, in_units);
    at = at < high ? at : high - 1;
    for (size_t step = 0; low < high; step = 2 * step + 1) {
        const bool beyond = reach(&regions[at], in_units) < far;
        if (beyond)
            low = at + 1;
        else
            high = at;
        const size_t half = high > low ? (high - low - 1) / 2 : 0;
        const size_t most = half < step ? half : step;
        at = beyond ? low + most : high - 1 - most;
    }
    return &regions[low];
}

/* The region that ends at or behind `at`. */
static const struct work_region *region_at(const struct work *work, double at)
{
    return region_first(work, at, false);
}

/* Regions that begin in a range, or reach into it. */
static size_t regions_in(const struct work *work, const struct task_range *range)
{
    const struct work_region *first = region_at(work, (double)range->first + 1);
    return 1 + (size_t)(region_at(work, (double)(range->first + range->count)) - first);
}

/* What of each region lies in the range. */
static void range_add(struct work *work, const struct work *from, const struct task_range *range)
{
    const struct work_region *region = region_at(from, (double)range->first + 1);
    const int64_t end = range->first + range->count;
    for (int64_t at = range->first; at < end; region++) {
        const int64_t until = region->end < end ? region->end : end;
        work->regions[work->region_count++] =
            (struct work_region){.tasks = until - at, .cost = region->cost};
        work->tasks += until - at;
        at = until;
    }
}

bool work_select(struct work *work, const struct work *from, const struct task_range *ranges,
                 int64_t count, double *mean)
{
    size_t most = 0;
    double units = 0;
    *work = (struct work){.tasks = 0};
    for (int64_t k = 0; k < count; k++)
        most += work_differs(from) ? regions_in(from, &ranges[k]) : 1;
    work->regions = work_differs(from) ? calloc(most + 1, sizeof *work->regions) : NULL;
    for (int64_t k = 0; k < count; k++) {
        units += work_before(from, (double)(ranges[k].first + ranges[k].count)) -
                 work_before(from, (double)ranges[k].first);
        if (work->regions)
            range_add(work, from, &ranges[k]);
        else
            work->tasks += ranges[k].count;
    }
    *mean = units / (double)work->tasks;
    if (work->regions ? work_settle(work) : !work_differs(from))
        return true;
    work_release(work);
    return false;
}

double work_before(const struct work *work, double at)
{
    if (!work_differs(work))
        return at;
    const struct work_region *region = region_at(work, at);
    return region->until - ((double)region->end - at) * region->cost;
}

/* Where in the work so many units end. */
static double place_of(const struct work *work, double units)
{
    if (!work_differs(work))
        return units;
    const struct work_region *region = region_first(work, units, true);
    const double first = (double)(region->end - region->tasks);
    const double before = region->until - (double)region->tasks * region->cost;
    return region->cost > 0 ? first + fmax(0, (units - before) / region->cost) : first;
}

/* A work as a job of another number of core tasks sees it, by relative position. */
struct job {
    const struct work *work;
    double scale; /* core tasks of the work to one of the job */
};

static double units_off(const struct job *job, int64_t at, double units)
{
    return fabs(work_before(job->work, (double)at * job->scale) / job->scale - units);
}

/* Before core tasks that are worth nothing, from `least` on. */
static int64_t before_nothing(const struct job *job, int64_t at, int64_t least)
{
    while (work_differs(job->work) && at > least) {
        const struct work_region *region = region_at(job->work, (double)at * job->scale);
        if (region->cost > 0)
            break;
        const int64_t first = (int64_t)ceil((double)(region->end - region->tasks) / job->scale);
        if (first >= at)
            break;
        at = first > least ? first : least;
    }
    return at;
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

double work_mean_cost(const struct work *work, double tasks, double first, double count)
{
    if (!work_differs(work) || !(count > 0) || !(tasks > 0))
        return 1;
    const double scale = (double)work->tasks / tasks;
    const double units =
        work_before(work, (first + count) * scale) - work_before(work, first * scale);
    return fmax(0, units / (count * scale));
}

double work_deviation(const struct work *work)
{
    double squares = 0;
    for (size_t k = 0; k < work->region_count; k++) {
        const double off = work->regions[k].cost - 1;
        squares += (double)work->regions[k].tasks * off * off;
    }
    return work_differs(work) ? sqrt(squares / (double)work->tasks) : 0;
}

double work_greatest(const struct work *work)
{
    double greatest = work_differs(work) ? 0 : 1;
    for (size_t k = 0; k < work->region_count; k++)
        greatest = fmax(greatest, work->regions[k].cost);
    return greatest;
}

static int heavier(const void *a, const void *b)
{
    const double p = ((const struct work_region *)a)->cost,
                 q = ((const struct work_region *)b)->cost;
    return (p < q) - (p > q);
}

double work_heaviest(const struct work *work, double share)
{
    struct work sorted;
    const double all = (double)work->tasks;
    double left = share * all, units = 0;
    if (!work_differs(work) || !regions_copy(&sorted, work))
        return share;
    qsort(sorted.regions, sorted.region_count, sizeof *sorted.regions, heavier);
    for (size_t k = 0; k < sorted.region_count; k++) {
        const double taken = fmin(left, (double)sorted.regions[k].tasks);
        units += taken * sorted.regions[k].cost;
        left -= taken;
    }
    work_release(&sorted);
    return units / all;
}

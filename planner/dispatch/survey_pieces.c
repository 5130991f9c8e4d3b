#include "planner/dispatch/survey_pieces.h"

#include <math.h>
#include <stdlib.h>

#include "planner/base/array.h"
#include "planner/dispatch/survey.h"
#include "planner/dispatch/weighted.h"

/* No core task is taken to need less. */
static const double WORTH_LEAST_S = 1e-9;

/* ---- zones --------------------------------------------------------------------------------- */

/* The last place that was timed before core task `border`, and the first one from there on. */
static struct task_range border_gap(const struct stratum *strata, size_t count, int64_t border)
{
    size_t k = 1;
    while (k + 1 < count && strata[k].place.first < border)
        k++;
    const int64_t first = strata[k - 1].place.first + strata[k - 1].place.count;
    return (struct task_range){first, strata[k].place.first - first};
}

static void zone_add(struct survey_pieces *pieces, const struct survey_zone *zone)
{
    if (zone->count > 0)
        pieces->zones[pieces->zone_count++] = *zone;
}

/* The core tasks between two timed places of neighbouring regions: when pieces are cut they count
 * as heavy as the heavier region, because they may be. */
static struct survey_zone zone_between(const struct region *before, const struct region *after,
                                       struct task_range gap)
{
    const double left = (double)(after->first - gap.first), right = (double)gap.count - left;
    return (struct survey_zone){.first = gap.first,
                                .count = gap.count,
                                .cost_s = (left * before->cost_s + right * after->cost_s) /
                                          (double)gap.count,
                                .handed_out_s = fmax(before->cost_s, after->cost_s)};
}

static void zones_fill(struct survey_pieces *pieces, const struct region *regions,
                       const struct stratum *strata, size_t strata_count)
{
    int64_t at = 0;
    for (size_t k = 0; k < pieces->region_count; k++) {
        const struct region *own = &regions[k];
        const bool last = k + 1 == pieces->region_count;
        const int64_t end = own->first + own->count;
        const struct task_range gap =
            last ? (struct task_range){end, 0} : border_gap(strata, strata_count, end);
        const struct survey_zone zone = {at, gap.first - at, own->cost_s, own->cost_s};
        zone_add(pieces, &zone);
        if (gap.count > 0) {
            const struct survey_zone border = zone_between(own, own + 1, gap);
            zone_add(pieces, &border);
        }
        at = gap.first + gap.count;
    }
}

/* One region for all; owned. Used where it is known otherwise by what core tasks differ. */
static struct region *region_of_all(const struct stratum *strata, size_t count, size_t *found)
{
    const struct strata_total total = strata_total(strata, count, NULL, 0);
    struct region *region = malloc(sizeof *region);
    *found = 1;
    if (region)
        *region = (struct region){0, total.tasks, total.mean_s};
    return region;
}

static bool zones_make(struct survey_pieces *pieces, const struct survey_job *job)
{
    struct stratum strata[SURVEY_STRATA_MOST];
    const size_t count = survey_timings_strata(job->timings, strata);
    if (count == 0)
        return true;
    struct region *regions = job->work ? region_of_all(strata, count, &pieces->region_count)
                                       : strata_regions(strata, count, &pieces->region_count);
    if (!regions)
        return false;
    pieces->total = strata_total(strata, count, regions, pieces->region_count);
    pieces->zones = calloc(2 * pieces->region_count, sizeof *pieces->zones);
    if (pieces->zones)
        zones_fill(pieces, regions, strata, count);
    free(regions);
    return pieces->zones != NULL;
}

/* The zone that contains the core task; NULL: there is none. */
static const struct survey_zone *zone_of(const struct survey_pieces *pieces, int64_t task)
{
    size_t k = 0;
    while (k + 1 < pieces->zone_count && pieces->zones[k + 1].first <= task)
        k++;
    return pieces->zone_count > 0 ? &pieces->zones[k] : NULL;
}

double survey_pieces_cost(const struct survey_pieces *pieces, int64_t first, int64_t count)
{
    double sum_s = 0;
    if (pieces->work && pieces->zone_count > 0)
        return pieces->zones[0].cost_s * (work_before(pieces->work, (double)(first + count)) -
                                          work_before(pieces->work, (double)first));
    for (size_t k = 0; k < pieces->zone_count; k++) {
        const struct survey_zone *zone = &pieces->zones[k];
        const int64_t from = first > zone->first ? first : zone->first;
        const int64_t zone_end = zone->first + zone->count, end = first + count;
        const int64_t to = end < zone_end ? end : zone_end;
        if (to > from)
            sum_s += zone->cost_s * (double)(to - from);
    }
    return sum_s;
}

/* ---- pieces -------------------------------------------------------------------------------- */

/* How many of the range's first core tasks make a piece. */
static int64_t piece_length(const struct survey_pieces *pieces, int64_t most,
                            struct task_range range)
{
    const struct survey_zone *zone = zone_of(pieces, range.first);
    const int64_t length = range.count < most ? range.count : most;
    const int64_t left = zone ? zone->first + zone->count - range.first : length;
    return length < left ? length : left;
}

static bool piece_add(struct survey_pieces *pieces, size_t *capacity, struct task_range piece)
{
    struct task_range *items =
        array_reserve(pieces->items, capacity, (size_t)pieces->count + 1, sizeof *items);
    if (!items)
        return false;
    items[pieces->count++] = piece;
    pieces->items = items;
    pieces->tasks += piece.count;
    return true;
}

bool survey_pieces_make(struct survey_pieces *pieces, const struct survey_job *job,
                        const struct task_range *free, size_t free_count)
{
    size_t capacity = 0;
    *pieces = (struct survey_pieces){.work = job->work};
    if (!zones_make(pieces, job))
        return false;
    for (size_t k = 0; k < free_count; k++)
        for (struct task_range left = free[k]; left.count > 0;) {
            const int64_t length = piece_length(pieces, job->most, left);
            if (!piece_add(pieces, &capacity, (struct task_range){left.first, length}))
                return false;
            left.first += length;
            left.count -= length;
        }
    return true;
}

void survey_pieces_release(struct survey_pieces *pieces)
{
    free(pieces->items);
    free(pieces->zones);
    work_release(&pieces->left);
    *pieces = (struct survey_pieces){.items = NULL};
}

double survey_pieces_worth(const struct survey_pieces *pieces)
{
    double sum_s = 0;
    for (int64_t k = 0; k < pieces->count; k++)
        sum_s += survey_pieces_cost(pieces, pieces->items[k].first, pieces->items[k].count);
    return pieces->tasks > 0 ? sum_s / (double)pieces->tasks : 0;
}

double survey_pieces_last(const struct survey_pieces *pieces)
{
    const struct task_range last = pieces->items[pieces->count - 1];
    return survey_pieces_cost(pieces, last.first + last.count - 1, 1);
}

/* ---- assigning ----------------------------------------------------------------------------- */

static bool work_make(const struct survey_pieces *pieces, struct work *work)
{
    *work = (struct work){.tasks = pieces->tasks};
    work->regions = calloc((size_t)pieces->count, sizeof *work->regions);
    if (!work->regions)
        return false;
    work->region_count = (size_t)pieces->count;
    for (int64_t k = 0; k < pieces->count; k++) {
        const struct survey_zone *zone = zone_of(pieces, pieces->items[k].first);
        work->regions[k] = (struct work_region){.tasks = pieces->items[k].count,
                                                .cost = fmax(zone->handed_out_s, WORTH_LEAST_S)};
    }
    return work_settle(work);
}

/* Assigns by factoring, by the worth of core tasks where that is known and not 0. */
static struct dispatch *factoring_new(struct survey_pieces *pieces, const struct survey_job *job)
{
    struct failure none = FAILURE_INIT;
    double mean;
    work_release(&pieces->left);
    const bool weighed = pieces->work && work_select(&pieces->left, pieces->work, pieces->items,
                                                     pieces->count, &mean);
    const struct dispatch_setup setup = {.rule = SURVEY_RULE,
                                         .tasks = pieces->tasks,
                                         .workers = job->workers,
                                         .ahead = 2,
                                         .least = 1,
                                         .most = job->most,
                                         .work = weighed ? &pieces->left : NULL};
    return dispatch_new_rule(&setup, &none);
}

static struct dispatch *weighted_new(struct dispatch *inner, const struct survey_pieces *pieces)
{
    struct work work;
    if (work_make(pieces, &work))
        return dispatch_new_weighted(inner, &work, work.tasks, 0);
    work_release(&work);
    dispatch_free(&inner);
    return NULL;
}

struct dispatch *survey_pieces_dispatch(struct survey_pieces *pieces, const struct survey_job *job,
                                        struct dispatch *inner)
{
    if (!inner)
        inner = factoring_new(pieces, job);
    if (inner && pieces->region_count > 1)
        inner = weighted_new(inner, pieces);
    return inner ? dispatch_new_ranges(inner, pieces->items, pieces->count, job->workers) : NULL;
}

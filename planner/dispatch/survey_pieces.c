#include "planner/dispatch/survey_pieces.h"

#include <math.h>
#include <stdlib.h>

#include "planner/base/array.h"
#include "planner/dispatch/survey.h"
#include "planner/dispatch/weighted.h"

/* Every task is worth something. */
static const double WORTH_LEAST_S = 1e-9;

/* ---- regions ------------------------------------------------------------------------------- */

static bool regions_make(struct survey_pieces *pieces, const struct survey_timings *timings)
{
    struct stratum strata[SURVEY_STRATA_MOST];
    const size_t count = survey_timings_strata(timings, strata);
    if (count == 0)
        return true;
    pieces->total = strata_total(strata, count);
    pieces->regions = strata_regions(strata, count, &pieces->region_count);
    return pieces->regions != NULL;
}

/* The region that holds the task; NULL: there is none. */
static const struct region *region_of(const struct survey_pieces *pieces, int64_t task)
{
    size_t k = 0;
    while (k + 1 < pieces->region_count && pieces->regions[k + 1].first <= task)
        k++;
    return pieces->region_count > 0 ? &pieces->regions[k] : NULL;
}

/* ---- pieces -------------------------------------------------------------------------------- */

/* How many of the range's first tasks make a piece. */
static int64_t piece_length(const struct survey_pieces *pieces, int64_t most,
                            struct task_range range)
{
    const struct region *region = region_of(pieces, range.first);
    const int64_t length = range.count < most ? range.count : most;
    const int64_t left = region ? region->first + region->count - range.first : length;
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
    *pieces = (struct survey_pieces){.items = NULL};
    if (!regions_make(pieces, job->timings))
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
    free(pieces->regions);
    *pieces = (struct survey_pieces){.items = NULL};
}

double survey_pieces_worth(const struct survey_pieces *pieces)
{
    double sum = 0;
    for (int64_t k = 0; pieces->region_count > 0 && k < pieces->count; k++)
        sum += region_of(pieces, pieces->items[k].first)->cost_s * (double)pieces->items[k].count;
    return pieces->tasks > 0 ? sum / (double)pieces->tasks : 0;
}

/* ---- dealing ------------------------------------------------------------------------------- */

static bool work_make(const struct survey_pieces *pieces, struct work *work)
{
    *work = (struct work){.tasks = pieces->tasks};
    work->regions = calloc((size_t)pieces->count, sizeof *work->regions);
    if (!work->regions)
        return false;
    work->region_count = (size_t)pieces->count;
    for (int64_t k = 0; k < pieces->count; k++) {
        const struct region *region = region_of(pieces, pieces->items[k].first);
        work->regions[k] = (struct work_region){.tasks = pieces->items[k].count,
                                                .cost = fmax(region->cost_s, WORTH_LEAST_S)};
    }
    return work_settle(work);
}

static struct dispatch *factoring_new(const struct survey_pieces *pieces,
                                      const struct survey_job *job)
{
    struct failure none = FAILURE_INIT;
    const struct dispatch_setup setup = {.rule = SURVEY_RULE,
                                         .tasks = pieces->tasks,
                                         .workers = job->workers,
                                         .ahead = 2,
                                         .least = 1,
                                         .most = job->most};
    return dispatch_new_rule(&setup, &none);
}

static struct dispatch *weighted_new(struct dispatch *inner, const struct survey_pieces *pieces)
{
    struct work work;
    if (work_make(pieces, &work))
        return dispatch_new_weighted(inner, &work);
    work_release(&work);
    dispatch_free(&inner);
    return NULL;
}

struct dispatch *survey_pieces_deal(const struct survey_pieces *pieces,
                                    const struct survey_job *job, struct dispatch *inner)
{
    if (!inner)
        inner = factoring_new(pieces, job);
    if (inner && pieces->region_count > 1)
        inner = weighted_new(inner, pieces);
    return inner ? dispatch_new_ranges(inner, pieces->items, pieces->count, job->workers) : NULL;
}

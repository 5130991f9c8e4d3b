#include "kernel/motif/search.h"

#include <string.h>

/* Work is counted in 128 bits of a plane: this many take a tenth of a millisecond to one, and a
 * path by itself about as much as PATH_WORK of them. */
enum { WORK_BETWEEN_PULSES = 1 << 19, PATH_WORK = 32 };

size_t search_size(const struct motif_job *job)
{
    const size_t profile = (size_t)job->length.words * sizeof(uint32_t);
    return sizeof(struct search) + (size_t)(job->shape.heads + 1) * profile;
}

void search_start(struct search *search, const struct motif_job *job, const struct scow_host *host)
{
    search->job = job;
    search->host = host;
    search->work_left = WORK_BETWEEN_PULSES;
    search->rest = NULL;
    search->need = 1;
    search->score = 0;
    search->tally.planes = job->tail.columns * job->tail.sequences;
    memset(search_profile(search, 0), 0, (size_t)job->length.words * sizeof(uint32_t));
}

uint32_t *search_profile(struct search *search, int rows)
{
    return search->profile + (ptrdiff_t)rows * search->job->length.words;
}

/* True: go on. */
static bool work_done(struct search *search, int64_t work)
{
    search->work_left -= work;
    if (search->work_left > 0)
        return true;
    search->work_left = WORK_BETWEEN_PULSES;
    return search->host && !search->host->pulse(search->host);
}

static void tuple_keep(struct search *search, int score)
{
    const struct motif_shape *shape = &search->job->shape;
    const int last = shape->sequences - 1;
    const int64_t at = search->tally.at;
    search->score = score;
    search->need = score + 1;
    memcpy(search->start, search->path, sizeof search->start);
    search->start[last] = (uint32_t)(at % shape->starts[last]);
    if (last > shape->heads)
        search->start[shape->heads] = (uint32_t)(at / shape->starts[last]);
}

/* Tuples [begin, end) of the tail, below a whole path. */
static bool tail_walk(struct search *search, int64_t begin, int64_t end)
{
    const struct motif_job *job = search->job;
    const int heads = job->shape.heads;
    struct tally *tally = &search->tally;
    const int score = profile_types(&job->length, search_profile(search, heads), search->type);
    if (search->rest && score + search->rest[heads] < search->need)
        return work_done(search, PATH_WORK);
    tail_choose(&job->tail, search->type, tally->plane);
    tally->begin = begin;
    tally->end = end;
    tally->least = search->need - score;
    if (job->tally(tally))
        tuple_keep(search, score + tally->sum);
    return work_done(search, PATH_WORK + ((end - begin) / 128 + 1) * tally->planes);
}

static bool bypassed(struct search *search, int rows)
{
    return search->rest && rows < search->job->shape.heads &&
           profile_score(&search->job->length, search_profile(search, rows)) + search->rest[rows] <
               search->need;
}

/* on_low: the path so far is the low one's beginning, so that the next position is at least its;
 * on_high the same. */
static bool walk(struct search *search, int rows, bool on_low, bool on_high)
{
    const struct motif_job *job = search->job;
    const struct motif_shape *shape = &job->shape;
    if (rows == shape->heads)
        return tail_walk(search, on_low ? search->low_tail : 0,
                         on_high ? search->high_tail : shape->block);
    const uint32_t low = on_low ? search->low[rows] : 0;
    const uint32_t high = on_high ? search->high[rows] : (uint32_t)shape->starts[rows] - 1;
    uint32_t *next = search_profile(search, rows + 1);
    for (uint32_t at = low; at <= high; at++) {
        search->path[rows] = at;
        profile_add(&job->length, next, search_profile(search, rows), job->rows[rows] + at);
        if (bypassed(search, rows + 1)) {
            if (!work_done(search, PATH_WORK))
                return false;
            continue;
        }
        if (!walk(search, rows + 1, on_low && at == low, on_high && at == high))
            return false;
    }
    return true;
}

bool search_between(struct search *search, int first)
{
    memset(search_profile(search, first), 0, (size_t)search->job->length.words * sizeof(uint32_t));
    return walk(search, first, true, true);
}

bool search_below(struct search *search, int rows)
{
    if (bypassed(search, rows))
        return work_done(search, PATH_WORK);
    return walk(search, rows, false, false);
}

#include "spmd/output/extents.h"

#include <string.h>

#include "kernel/type.h"

/* ---- bands --------------------------------------------------------------------------------- */

enum { BAND_MOST = 256 };

/* Core tasks whose boxes lie side by side, all with one height and depth. */
struct band {
    int64_t first;
    int64_t start[3], count[3]; /* the box of all of them */
    int tasks;
    int64_t columns[BAND_MOST]; /* of each box */
};

static bool is_beside(const struct band *band, const int64_t start[3], const int64_t count[3])
{
    return start[0] == band->start[0] && count[0] == band->count[0] && start[1] == band->start[1] &&
           count[1] == band->count[1] && start[2] == band->start[2] + band->count[2];
}

/* Finds the longest band from core task `first` on, below `end`. */
static bool band_find(struct band *band, const struct job *job, int64_t first, int64_t end,
                      struct failure *failure)
{
    band->first = first;
    if (!job_place(job, first, band->start, band->count, failure))
        return false;
    band->columns[0] = band->count[2];
    for (band->tasks = 1; band->tasks < BAND_MOST && first + band->tasks < end; band->tasks++) {
        int64_t start[3], count[3];
        if (!job_place(job, first + band->tasks, start, count, failure))
            return false;
        if (!is_beside(band, start, count))
            break;
        band->columns[band->tasks] = count[2];
        band->count[2] += count[2];
    }
    return true;
}

/* ---- gathering ----------------------------------------------------------------------------- */

/* What was found and is not passed on yet. */
struct gathering {
    const struct extents *extents;
    struct extent pending; /* its bytes are the core task's, or in `room`; size 0: nothing */
    struct failure *failure;
};

static bool gathering_flush(struct gathering *gathering)
{
    const struct extents *extents = gathering->extents;
    struct extent *pending = &gathering->pending;
    const bool good =
        pending->size == 0 || extents->take(extents->self, pending, gathering->failure);
    pending->size = 0;
    return good;
}

/* Appends to what is pending. */
static void gathering_append(struct gathering *gathering, const struct extent *piece)
{
    char *room = gathering->extents->room;
    struct extent *pending = &gathering->pending;
    if (pending->bytes != room)
        memcpy(room, pending->bytes, (size_t)pending->size);
    memcpy(room + pending->size, piece->bytes, (size_t)piece->size);
    pending->bytes = room;
    pending->size += piece->size;
}

/* Bytes that are consecutive both in memory and in the file need no copy. */
static bool gathering_add(struct gathering *gathering, const struct extent *piece)
{
    struct extent *pending = &gathering->pending;
    const bool follows = pending->size > 0 && piece->place == pending->place + pending->size;
    if (follows && (!piece->bytes || piece->bytes == pending->bytes + pending->size)) {
        pending->size += piece->size;
        return true;
    }
    if (follows && pending->size + piece->size <= EXTENTS_ROOM) {
        gathering_append(gathering, piece);
        return true;
    }
    if (!gathering_flush(gathering))
        return false;
    *pending = *piece;
    return true;
}

/* Adds row `row` of the band, counted through its depth; `values` are those of its first core
 * task. */
static bool row_add(struct gathering *gathering, const struct band *band, int64_t row,
                    const char *values)
{
    const struct job *job = gathering->extents->job;
    const int64_t *extent = job->results.grid_extent;
    const int64_t size = (int64_t)scow_type_size(job->results.grid_type);
    const int64_t z = band->start[0] + row / band->count[1];
    const int64_t y = band->start[1] + row % band->count[1];
    int64_t place = ((z * extent[1] + y) * extent[2] + band->start[2]) * size;
    if (!values) {
        const struct extent piece = {place, band->count[2] * size, NULL, band->first};
        return gathering_add(gathering, &piece);
    }
    for (int k = 0; k < band->tasks; k++) {
        const int64_t bytes = band->columns[k] * size;
        const char *box = values + (size_t)k * job->tile_size;
        const struct extent piece = {place, bytes, box + row * bytes, band->first + k};
        if (!gathering_add(gathering, &piece))
            return false;
        place += bytes;
    }
    return true;
}

static bool band_add(struct gathering *gathering, const struct band *band, const char *values)
{
    for (int64_t row = 0; row < band->count[0] * band->count[1]; row++)
        if (!row_add(gathering, band, row, values))
            return false;
    return true;
}

bool extents_take(const struct extents *extents, int64_t first, int64_t count, const char *values,
                  struct failure *failure)
{
    const struct job *job = extents->job;
    struct gathering gathering = {.extents = extents, .failure = failure};
    struct band band;
    for (int64_t task = first; task < first + count; task += band.tasks) {
        const char *boxes = values ? values + (size_t)(task - first) * job->tile_size : NULL;
        if (!band_find(&band, job, task, first + count, failure) ||
            !band_add(&gathering, &band, boxes))
            return false;
    }
    return gathering_flush(&gathering);
}

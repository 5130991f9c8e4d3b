#include "spmd/archive/archive_trace.h"

#include <stdlib.h>
#include <string.h>

#include "planner/report/resumed.h"
#include "planner/report/trace_blocks.h"
#include "spmd/archive/archive_file.h"
#include "spmd/layout/contents.h"
#include "spmd/layout/layout.h"

struct stored_trace {
    char *path;
    char name[LAYOUT_NAME_SIZE]; /* of the data set */
    bool begun_only;
};

/* Rows that are read at a time: whole pieces of a compressed trace. */
enum { ROWS_MOST = 1 << 15 };

/* Negative: there is none. */
static int64_t rows_count(hid_t dataset)
{
    const hid_t space = H5Dget_space(dataset);
    const int64_t rows = (int64_t)H5Sget_simple_extent_npoints(space);
    H5Sclose(space);
    return rows;
}

static bool rows_read(hid_t dataset, hid_t type, int64_t first, int64_t count,
                      struct trace_event *events)
{
    const hsize_t start = (hsize_t)first, rows = (hsize_t)count;
    const hid_t space = H5Dget_space(dataset), memory = H5Screate_simple(1, &rows, NULL);
    const bool good = H5Sselect_hyperslab(space, H5S_SELECT_SET, &start, NULL, &rows, NULL) >= 0 &&
                      H5Dread(dataset, type, memory, space, H5P_DEFAULT, events) >= 0;
    H5Sclose(memory);
    H5Sclose(space);
    return good;
}

/* What an event is told to; there may be fewer than announced. */
static bool rows_give(const struct trace_event *events, int64_t count, struct trace_blocks *blocks,
                      struct failure *failure)
{
    for (int64_t k = 0; k < count; k++)
        if (events[k].tasks > 0 && !trace_blocks_add(blocks, &events[k]))
            return blocks->refused ? false : failure_memory(failure, "reading a trace");
    return true;
}

static bool dataset_play(hid_t dataset, const struct stored_trace *stored,
                         struct trace_blocks *blocks, struct failure *failure)
{
    const int64_t rows = rows_count(dataset);
    const hid_t type = layout_trace_type();
    struct trace_event *events = calloc(ROWS_MOST, sizeof *events);
    bool good = events != NULL;
    if (!good)
        failure_memory(failure, "reading a trace");
    for (int64_t first = 0; good && first < rows; first += ROWS_MOST) {
        const int64_t count = rows - first < ROWS_MOST ? rows - first : ROWS_MOST;
        good = (rows_read(dataset, type, first, count, events) ||
                archive_not_ours(stored->path, "trace", failure)) &&
               rows_give(events, count, blocks, failure);
    }
    free(events);
    H5Tclose(type);
    return good &&
           (trace_blocks_end(blocks) || blocks->refused ||
            failure_memory(failure, "reading a trace")) &&
           !blocks->refused;
}

static bool stored_play(void *self, const struct trace_taker *taker, struct failure *failure)
{
    const struct stored_trace *stored = self;
    struct trace_blocks blocks;
    const hid_t file = H5Fopen(stored->path, H5F_ACC_RDONLY, H5P_DEFAULT);
    const hid_t dataset = file < 0 ? file : contents_open(file, stored->name);
    trace_blocks_init(&blocks, taker, stored->begun_only);
    const bool good = dataset < 0 ? archive_not_ours(stored->path, "trace", failure)
                                  : dataset_play(dataset, stored, &blocks, failure);
    trace_blocks_release(&blocks);
    if (dataset >= 0)
        H5Dclose(dataset);
    if (file >= 0)
        H5Fclose(file);
    return good;
}

static void stored_release(void *self)
{
    struct stored_trace *stored = self;
    free(stored->path);
    free(stored);
}

static bool extent_take(void *self, const struct trace *block)
{
    struct run_trace *trace = self;
    for (size_t k = 0; k < block->count; k++) {
        const struct trace_event *event = &block->events[k];
        trace->ranks = event->rank > trace->ranks ? event->rank : trace->ranks;
        if (event->package >= trace->packages)
            trace->packages = event->package + 1;
    }
    return true;
}

static bool long_read(const struct stored_trace *like, struct run_record *part,
                      struct failure *failure)
{
    struct run_trace *trace = &part->long_trace;
    const struct trace_taker taker = {extent_take, trace};
    struct stored_trace *stored = malloc(sizeof *stored);
    if (!stored)
        return failure_memory(failure, "reading a trace");
    *stored = *like;
    stored->path = strdup(like->path);
    if (!stored->path) {
        free(stored);
        return failure_memory(failure, "reading a trace");
    }
    *trace = (struct run_trace){.self = stored, .release = stored_release};
    if (!stored_play(stored, &taker, failure))
        return false;
    if (trace->packages > 0)
        trace->play = stored_play;
    return true;
}

static bool short_read(hid_t dataset, const char *path, struct run_record *part,
                       struct failure *failure)
{
    struct trace *trace = &part->trace;
    const int64_t rows = rows_count(dataset);
    trace->events = calloc((size_t)rows + 1, sizeof *trace->events);
    if (!trace->events)
        return failure_memory(failure, "reading a trace");
    trace->capacity = (size_t)rows + 1;
    const hid_t type = layout_trace_type();
    const bool good = rows == 0 || rows_read(dataset, type, 0, rows, trace->events) ||
                      archive_not_ours(path, "trace", failure);
    H5Tclose(type);
    for (int64_t k = 0; good && k < rows; k++) /* there may be fewer than announced */
        if (trace->events[k].tasks > 0)
            trace->events[trace->count++] = trace->events[k];
    return good && (!part->cut_short || run_record_cut_short(part) ||
                    failure_memory(failure, "reading a run's output"));
}

bool archive_trace_read(hid_t file, const char *path, const char *group, struct run_record *part,
                        struct failure *failure)
{
    struct stored_trace stored = {.path = strdup(path), .begun_only = part->cut_short};
    snprintf(stored.name, sizeof stored.name, "%s/%s", group, LAYOUT_PART_TRACE);
    const hid_t dataset = contents_open(file, stored.name);
    const int64_t rows = dataset < 0 ? -1 : rows_count(dataset);
    bool good = false;
    if (!stored.path)
        failure_memory(failure, "reading a trace");
    else if (rows < 0)
        archive_not_ours(path, "trace", failure);
    else
        good = rows > TRACE_BLOCK_EVENTS ? long_read(&stored, part, failure)
                                         : short_read(dataset, path, part, failure);
    if (dataset >= 0)
        H5Dclose(dataset);
    free(stored.path);
    return good;
}

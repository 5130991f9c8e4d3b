#include "spmd/archive/archive_trace.h"

#include <stdlib.h>
#include <string.h>

#include "planner/report/resumed.h"
#include "planner/report/trace_blocks.h"
#include "spmd/archive/archive_file.h"
#include "spmd/layout/contents.h"
#include "spmd/layout/layout.h"

struct stored_trace {
    char *path;                  /* of the output */
    char name[LAYOUT_NAME_SIZE]; /* of the data set */
    struct trace_part part;
    bool beside; /* the trace is not in the output yet, but in the file beside it */
    bool begun_only;
};

/* Rows that are read at a time: several whole pieces of a compressed trace. */
enum { ROWS_MOST = 1 << 15 };

/* ---- rows, wherever they are ---------------------------------------------------------------- */

struct rows {
    const struct stored_trace *stored;
    int64_t count, next;
    hid_t file, dataset, type;
    struct trace_reader reader;
};

static bool rows_refuse(const struct rows *rows, struct failure *failure)
{
    if (failure->code == FAILURE_NONE)
        archive_not_ours(rows->stored->path, "trace", failure);
    return false;
}

static int64_t dataset_rows(hid_t dataset)
{
    const hid_t space = H5Dget_space(dataset);
    const int64_t rows = (int64_t)H5Sget_simple_extent_npoints(space);
    H5Sclose(space);
    return rows;
}

static bool dataset_open(struct rows *rows)
{
    rows->file = H5Fopen(rows->stored->path, H5F_ACC_RDONLY, H5P_DEFAULT);
    rows->dataset = rows->file < 0 ? -1 : contents_open(rows->file, rows->stored->name);
    rows->count = rows->dataset < 0 ? -1 : dataset_rows(rows->dataset);
    return rows->count >= 0;
}

static void rows_close(struct rows *rows)
{
    if (rows->dataset >= 0)
        H5Dclose(rows->dataset);
    if (rows->file >= 0)
        H5Fclose(rows->file);
    H5Tclose(rows->type);
    trace_reader_close(&rows->reader);
}

/* To be closed if true. */
static bool rows_open(struct rows *rows, const struct stored_trace *stored, struct failure *failure)
{
    *rows = (struct rows){.stored = stored,
                          .file = -1,
                          .dataset = -1,
                          .type = layout_trace_type(),
                          .reader = {.streams = NULL}};
    const bool good = stored->beside
                          ? trace_reader_open(&rows->reader, stored->path, &stored->part, failure)
                          : dataset_open(rows);
    if (stored->beside)
        rows->count = rows->reader.count;
    if (!good)
        rows_close(rows);
    return good || rows_refuse(rows, failure);
}

static bool dataset_read(const struct rows *rows, int64_t count, struct trace_event *events)
{
    const hsize_t start = (hsize_t)rows->next, size = (hsize_t)count;
    const hid_t space = H5Dget_space(rows->dataset), memory = H5Screate_simple(1, &size, NULL);
    const bool good = H5Sselect_hyperslab(space, H5S_SELECT_SET, &start, NULL, &size, NULL) >= 0 &&
                      H5Dread(rows->dataset, rows->type, memory, space, H5P_DEFAULT, events) >= 0;
    H5Sclose(memory);
    H5Sclose(space);
    return good;
}

/* Reads the next rows, at most `most`; returns how many, 0: there are no more. Negative: they
 * cannot be read. */
static int64_t rows_next(struct rows *rows, struct trace_event *events, int64_t most)
{
    const int64_t left = rows->count - rows->next, count = left < most ? left : most;
    if (count <= 0)
        return 0;
    const bool good = rows->stored->beside
                          ? trace_reader_next(&rows->reader, events, count) == count
                          : dataset_read(rows, count, events);
    rows->next += count;
    return good ? count : -1;
}

/* ---- one that is read block by block -------------------------------------------------------- */

/* Passes events on; there may be fewer than announced. */
static bool rows_give(const struct trace_event *events, int64_t count, struct trace_blocks *blocks,
                      struct failure *failure)
{
    for (int64_t k = 0; k < count; k++)
        if (events[k].tasks > 0 && !trace_blocks_add(blocks, &events[k]))
            return blocks->refused ? false : failure_memory(failure, "reading a trace");
    return true;
}

static bool rows_take(struct rows *rows, struct trace_blocks *blocks, struct failure *failure)
{
    struct trace_event *events = calloc(ROWS_MOST, sizeof *events);
    bool good = events != NULL;
    if (!good)
        failure_memory(failure, "reading a trace");
    for (int64_t count = 1; good && count > 0;) {
        count = rows_next(rows, events, ROWS_MOST);
        good = count < 0 ? rows_refuse(rows, failure) : rows_give(events, count, blocks, failure);
    }
    free(events);
    return good &&
           (trace_blocks_end(blocks) || blocks->refused ||
            failure_memory(failure, "reading a trace")) &&
           !blocks->refused;
}

static bool blocks_read(void *self, const struct trace_taker *taker, struct failure *failure)
{
    const struct stored_trace *stored = self;
    struct trace_blocks blocks;
    struct rows rows;
    if (!rows_open(&rows, stored, failure))
        return false;
    trace_blocks_init(&blocks, taker, stored->begun_only);
    const bool good = rows_take(&rows, &blocks, failure);
    trace_blocks_release(&blocks);
    rows_close(&rows);
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
    if (!blocks_read(stored, &taker, failure))
        return false;
    if (trace->packages > 0)
        trace->read = blocks_read;
    return true;
}

/* ---- one that is in memory ------------------------------------------------------------------ */

static bool short_read(struct rows *rows, struct run_record *part, struct failure *failure)
{
    struct trace *trace = &part->trace;
    const size_t room = (size_t)rows->count + 1;
    trace->events = calloc(room, sizeof *trace->events);
    if (!trace->events)
        return failure_memory(failure, "reading a trace");
    trace->capacity = room;
    const int64_t count = rows_next(rows, trace->events, rows->count);
    if (count < 0)
        return rows_refuse(rows, failure);
    for (int64_t k = 0; k < count; k++) /* there may be fewer than announced */
        if (trace->events[k].tasks > 0)
            trace->events[trace->count++] = trace->events[k];
    return !part->cut_short || run_record_cut_short(part) ||
           failure_memory(failure, "reading a run's output");
}

/* ---- whole ---------------------------------------------------------------------------------- */

static bool stored_read(const struct stored_trace *stored, struct run_record *part,
                        struct failure *failure)
{
    struct rows rows;
    if (!rows_open(&rows, stored, failure))
        return false;
    const bool is_long = rows.count > TRACE_BLOCK_EVENTS;
    const bool good = is_long || short_read(&rows, part, failure);
    rows_close(&rows);
    return is_long ? long_read(stored, part, failure) : good;
}

/* Has the file beside the output events of that part? */
static bool is_beside(const struct stored_trace *stored)
{
    struct failure none = FAILURE_INIT;
    struct trace_reader reader;
    if (!trace_reader_open(&reader, stored->path, &stored->part, &none))
        return false;
    const bool there = reader.count > 0;
    trace_reader_close(&reader);
    return there;
}

static void trace_drop(struct run_record *part)
{
    trace_release(&part->trace);
    if (part->long_trace.release)
        part->long_trace.release(part->long_trace.self);
    part->long_trace = (struct run_trace){.self = NULL};
}

bool archive_trace_read(const char *path, const char *group, const struct trace_part *which,
                        struct run_record *part, struct failure *failure)
{
    struct stored_trace stored = {
        .path = strdup(path), .part = *which, .begun_only = part->cut_short};
    snprintf(stored.name, sizeof stored.name, "%s/%s", group, LAYOUT_PART_TRACE);
    if (!stored.path)
        return failure_memory(failure, "reading a trace");
    bool good = stored_read(&stored, part, failure);
    if (good && !run_record_traced(part) && is_beside(&stored)) {
        trace_drop(part);
        stored.beside = true;
        good = stored_read(&stored, part, failure);
    }
    free(stored.path);
    return good;
}

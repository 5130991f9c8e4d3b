#include "spmd/input/spans.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "planner/base/array.h"
#include "spmd/input/unpack.h"

enum { SCAN_BYTES = 1 << 18, WINDOW_BYTES = 1 << 16 };

bool spans_init(struct spans *spans, const char *name, const struct regular_rule *rule,
                struct failure *failure)
{
    int64_t size_bytes;
    *spans = (struct spans){
        .name = strdup(name), .window = malloc(WINDOW_BYTES), .stride = 1, .block = -1};
    if (!spans->name || !spans->window)
        return failure_memory(failure, "opening the input");
    spans->stream = regular_open(name, rule, &size_bytes, failure);
    return spans->stream && unpack(&spans->stream, name, failure);
}

/* ---- finding ---- */

/* While those of a block are found again: what begins behind it is not its. */
static bool within_add(struct spans *spans, int64_t start)
{
    if (start < spans->within_end && spans->within_count < spans->stride)
        spans->within[spans->within_count++] = start;
    return true;
}

/* Every other one is enough. */
static void starts_thin(struct spans *spans)
{
    for (size_t i = 0; i < SPANS_STARTS_MOST / 2; i++)
        spans->starts[i] = spans->starts[2 * i];
    spans->stride *= 2;
}

bool spans_add(struct spans *spans, int64_t start, struct failure *failure)
{
    if (spans->within)
        return within_add(spans, start);
    if (spans->again && spans->count == spans->stride * SPANS_STARTS_MOST)
        starts_thin(spans);
    spans->last = start;
    const int64_t at = spans->count++;
    if (at % spans->stride != 0)
        return true;
    const size_t kept = (size_t)(at / spans->stride);
    int64_t *room = array_reserve(spans->starts, &spans->capacity, kept + 1, sizeof *room);
    if (!room)
        return failure_memory(failure, "counting what the input holds");
    spans->starts = room;
    spans->starts[kept] = start;
    return true;
}

/* How many spans are kept. */
static int64_t spans_kept(const struct spans *spans)
{
    return (spans->count + spans->stride - 1) / spans->stride;
}

/* Memory that growing took in advance goes back; where that cannot be, it stays. */
static void spans_trim(struct spans *spans)
{
    const size_t kept = (size_t)spans_kept(spans);
    int64_t *starts = kept > 0 ? realloc(spans->starts, kept * sizeof *starts) : NULL;
    if (!starts)
        return;
    spans->starts = starts;
    spans->capacity = kept;
}

bool spans_scan(struct spans *spans, spans_take *take, void *self, struct failure *failure)
{
    int64_t offset = 0;
    size_t size;
    char *bytes = malloc(SCAN_BYTES);
    bool good = bytes || failure_memory(failure, "opening the input");
    while (good && (size = fread(bytes, 1, SCAN_BYTES, spans->stream)) > 0) {
        good = take(self, bytes, size, offset, failure);
        offset += (int64_t)size;
    }
    if (good && ferror(spans->stream))
        good = regular_unreadable(spans->name, failure);
    free(bytes);
    spans->end = offset;
    if (good)
        spans_trim(spans);
    return good;
}

/* ---- reading ---- */

/* Up to `size` bytes from `offset`; fewer only where the file ends. -1: errno says why not. */
static ssize_t bytes_read(FILE *stream, char *bytes, size_t size, int64_t offset)
{
    size_t done = 0;
    while (done < size) {
        ssize_t got = pread(fileno(stream), bytes + done, size - done, offset + (int64_t)done);
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return -1;
        if (got == 0)
            break;
        done += (size_t)got;
    }
    return (ssize_t)done;
}

/* All of a span into spans->bytes. */
static bool span_fetch(struct spans *spans, int64_t from, size_t size, struct failure *failure)
{
    ssize_t got = bytes_read(spans->stream, spans->bytes, size, from);
    if (got < 0)
        return regular_unreadable(spans->name, failure);
    return (size_t)got == size || regular_changed(spans->name, failure);
}

static bool window_holds(const struct spans *spans, int64_t from, size_t size)
{
    return from >= spans->window_from &&
           from + (int64_t)size <= spans->window_from + (int64_t)spans->window_size;
}

/* The same by way of the window: one call of the system for many short spans. */
static bool span_copy(struct spans *spans, int64_t from, size_t size, struct failure *failure)
{
    if (!window_holds(spans, from, size)) {
        spans->window_size = 0;
        ssize_t got = bytes_read(spans->stream, spans->window, WINDOW_BYTES, from);
        if (got < 0)
            return regular_unreadable(spans->name, failure);
        spans->window_from = from;
        spans->window_size = (size_t)got;
    }
    if (!window_holds(spans, from, size))
        return regular_changed(spans->name, failure);
    memcpy(spans->bytes, spans->window + (from - spans->window_from), size);
    return true;
}

/* Find the spans of a block again. */
static bool block_scan(struct spans *spans, int64_t from, int64_t to, struct failure *failure)
{
    spans->within_count = 0;
    spans->within_end = to;
    spans->inside = false;
    spans->window_size = 0;
    within_add(spans, from);
    for (int64_t at = from; at < to;) {
        const size_t size = to - at < WINDOW_BYTES ? (size_t)(to - at) : WINDOW_BYTES;
        const ssize_t got = bytes_read(spans->stream, spans->window, size, at);
        if (got < 0)
            return regular_unreadable(spans->name, failure);
        if (got == 0)
            break;
        if (!spans->again(spans, spans->window, (size_t)got, at, failure))
            return false;
        spans->window_from = at;
        spans->window_size = (size_t)got;
        at += got;
    }
    return true;
}

static bool block_load(struct spans *spans, int64_t block, struct failure *failure)
{
    const int64_t left = spans->count - block * spans->stride;
    const int64_t count = left < spans->stride ? left : spans->stride;
    const bool last = block + 1 == spans_kept(spans);
    if (!spans->within)
        spans->within = malloc((size_t)spans->stride * sizeof *spans->within);
    if (!spans->within)
        return failure_memory(failure, "reading the input");
    spans->block = -1;
    if (!block_scan(spans, spans->starts[block], last ? spans->end : spans->starts[block + 1],
                    failure))
        return false;
    if (spans->within_count != count)
        return regular_changed(spans->name, failure);
    spans->block = block;
    return true;
}

/* Where a span lies. */
static bool span_place(struct spans *spans, int64_t index, int64_t *from, int64_t *to,
                       struct failure *failure)
{
    const int64_t block = index / spans->stride, k = index % spans->stride;
    if (spans->stride == 1) {
        *from = spans->starts[index];
        *to = index + 1 < spans->count ? spans->starts[index + 1] : spans->end;
        return true;
    }
    if (block != spans->block && !block_load(spans, block, failure))
        return false;
    *from = spans->within[k];
    *to = k + 1 < spans->within_count ? spans->within[k + 1] : spans->within_end;
    return true;
}

static bool bytes_reserve(struct spans *spans, size_t size, struct failure *failure)
{
    if (size <= spans->bytes_capacity)
        return true;
    char *bytes = realloc(spans->bytes, size);
    if (!bytes)
        return failure_memory(failure, "reading the input");
    spans->bytes = bytes;
    spans->bytes_capacity = size;
    return true;
}

char *spans_read(struct spans *spans, int64_t index, size_t *size, struct failure *failure)
{
    int64_t from, to;
    if (!span_place(spans, index, &from, &to, failure))
        return NULL;
    size_t length = (size_t)(to - from);
    bool one_after_the_other = index == spans->next && length <= WINDOW_BYTES / 2;
    spans->next = index + 1;
    if (!bytes_reserve(spans, length + 1, failure) ||
        !(one_after_the_other ? span_copy : span_fetch)(spans, from, length, failure))
        return NULL;
    *size = length;
    return spans->bytes;
}

void spans_release(struct spans *spans)
{
    if (spans->stream)
        fclose(spans->stream);
    free(spans->name);
    free(spans->starts);
    free(spans->within);
    free(spans->window);
    free(spans->bytes);
}

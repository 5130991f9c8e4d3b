#include "spmd/input/spans.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "planner/base/array.h"

enum { SCAN_BYTES = 1 << 18, WINDOW_BYTES = 1 << 16 };

bool spans_init(struct spans *spans, const char *name, const struct regular_rule *rule,
                struct failure *failure)
{
    int64_t size_bytes;
    *spans = (struct spans){.name = strdup(name), .window = malloc(WINDOW_BYTES)};
    if (!spans->name || !spans->window)
        return failure_memory(failure, "opening the input");
    spans->stream = regular_open(name, rule, &size_bytes, failure);
    return spans->stream != NULL;
}

/* ---- finding ---- */

bool spans_add(struct spans *spans, int64_t start, struct failure *failure)
{
    int64_t *room =
        array_reserve(spans->starts, &spans->capacity, (size_t)spans->count + 1, sizeof *room);
    if (!room)
        return failure_memory(failure, "counting what the input holds");
    spans->starts = room;
    spans->starts[spans->count++] = start;
    return true;
}

/* Memory that growing took in advance goes back; where that cannot be, it stays. */
static void spans_trim(struct spans *spans)
{
    int64_t *starts = realloc(spans->starts, (size_t)spans->count * sizeof *starts);
    if (!starts)
        return;
    spans->starts = starts;
    spans->capacity = (size_t)spans->count;
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
    /* The end of the last span is no span, and memory that growing took in advance goes back. */
    if (!good || !spans_add(spans, offset, failure))
        return false;
    spans_trim(spans);
    spans->count--;
    return true;
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
    int64_t from = spans->starts[index];
    size_t length = (size_t)(spans->starts[index + 1] - from);
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
    free(spans->window);
    free(spans->bytes);
}

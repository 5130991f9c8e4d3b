/* Lines of a text file. A line ends with LF or CR LF, the last one also with the file; an empty
 * line is one, a file without a byte is refused. What is no text is known by its zero bytes. Of a
 * file whose name ends on .csv, perhaps with .gz or .zst behind, a line is a record of RFC 4180:
 * an end within quotes ends none. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "spmd/input/reader.h"
#include "spmd/input/spans.h"

static bool name_is_csv(const char *name)
{
    const char *dot = strrchr(name, '.');
    size_t size = strlen(name);
    if (dot && (strcmp(dot, ".gz") == 0 || strcmp(dot, ".zst") == 0))
        size = (size_t)(dot - name);
    return size > 4 && memcmp(name + size - 4, ".csv", 4) == 0;
}

static bool ends_find(struct spans *spans, const char *bytes, size_t size, int64_t offset,
                      struct failure *failure)
{
    const char *at = bytes, *const end = bytes + size;
    while (at < end && (at = memchr(at, '\n', (size_t)(end - at))) != NULL)
        if (!spans_add(spans, offset + (++at - bytes), failure))
            return false;
    return true;
}

/* A quote within quotes is doubled, and so ends them and begins them again. */
static bool records_find(struct spans *spans, const char *bytes, size_t size, int64_t offset,
                         struct failure *failure)
{
    const char *at = bytes, *const end = bytes + size;
    while (at < end) {
        const char *quote = memchr(at, '"', (size_t)(end - at));
        const char *stop = quote ? quote : end;
        if (!spans->inside &&
            !ends_find(spans, at, (size_t)(stop - at), offset + (at - bytes), failure))
            return false;
        spans->inside ^= quote != NULL;
        at = quote ? quote + 1 : end;
    }
    return true;
}

static bool lines_take(void *self, const char *bytes, size_t size, int64_t offset,
                       struct failure *failure)
{
    struct spans *spans = self;
    const char *zero = memchr(bytes, 0, size);
    const size_t text = zero ? (size_t)(zero - bytes) : size;
    if (offset == 0 && !spans_add(spans, 0, failure))
        return false;
    if (!spans->again(spans, bytes, text, offset, failure))
        return false;
    if (!zero)
        return true;
    return failure_set(failure, FAILURE_MISMATCH,
                       "line %" PRId64 " of '%s' holds a zero byte: name a text file, and convert "
                       "UTF-16 to UTF-8 first",
                       spans->count, spans->name);
}

static bool lines_find(struct spans *spans, struct failure *failure)
{
    if (!spans_scan(spans, lines_take, spans, failure))
        return false;
    if (spans->count == 0)
        return regular_changed(spans->name, failure); /* it was not empty a moment ago */
    if (spans->inside)
        return failure_set(failure, FAILURE_MISMATCH,
                           "record %" PRId64 " of '%s' begins quotes that nothing ends: close "
                           "them, or give the file a name that does not end on .csv",
                           spans->count, spans->name);
    /* After the last line's end no line begins. */
    if (spans->last == spans->end)
        spans->count--;
    return true;
}

static void lines_close(void *self)
{
    if (!self)
        return;
    spans_release(self);
    free(self);
}

static bool lines_open(const char *name, struct scow_input *shape, void **self,
                       struct failure *failure)
{
    static const struct regular_rule rule = {"the lines", "a text file", .may_be_empty = false};
    struct spans *spans = malloc(sizeof *spans);
    if (!spans)
        return failure_memory(failure, "opening the input");
    bool good = spans_init(spans, name, &rule, failure);
    spans->again = name_is_csv(name) ? records_find : ends_find;
    if (!good || !lines_find(spans, failure)) {
        lines_close(spans);
        return false;
    }
    shape->extent[0] = spans->count;
    *self = spans;
    return true;
}

/* Line ends where only a file that has changed can have some. */
static bool ends_within(const struct spans *spans, const char *bytes, size_t size)
{
    const char *end = memchr(bytes, '\n', size);
    bool quoted = false;
    for (; end && spans->again == records_find && bytes < end; bytes++)
        quoted ^= *bytes == '"';
    return end && !quoted;
}

static bool lines_read(void *self, int64_t index, struct scow_item *item, struct failure *failure)
{
    struct spans *spans = self;
    size_t size;
    char *bytes = spans_read(spans, index, &size, failure);
    if (!bytes)
        return false;
    const char *end = size > 0 && bytes[size - 1] == '\n' ? bytes + size - 1 : NULL;
    bool whole = end || index == spans->count - 1;
    if (!whole || memchr(bytes, 0, size) || ends_within(spans, bytes, end ? size - 1 : size))
        return regular_changed(spans->name, failure);
    if (end)
        size--;
    if (end && size > 0 && bytes[size - 1] == '\r')
        size--;
    bytes[size] = '\0';
    *item = (struct scow_item){.bytes = bytes, .size = size, .name = NULL};
    return true;
}

const struct input_reader input_lines = {
    .kind = SCOW_INPUT_LINES, .open = lines_open, .read_item = lines_read, .close = lines_close};

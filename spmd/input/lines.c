/* Lines of a text file. A line ends with LF or CR LF, the last one also with the file; an empty
 * line is one, a file without a byte is refused. What is no text is known by its zero bytes. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "spmd/input/reader.h"
#include "spmd/input/spans.h"

static bool lines_take(void *self, const char *bytes, size_t size, int64_t offset,
                       struct failure *failure)
{
    struct spans *spans = self;
    const char *zero = memchr(bytes, 0, size);
    const char *at = bytes, *end = zero ? zero : bytes + size;
    if (offset == 0 && !spans_add(spans, 0, failure))
        return false;
    while (at < end && (at = memchr(at, '\n', (size_t)(end - at))) != NULL)
        if (!spans_add(spans, offset + (++at - bytes), failure))
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
    /* After the last line's end no line begins. */
    if (spans->starts[spans->count - 1] == spans->starts[spans->count])
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
    if (!spans_init(spans, name, &rule, failure) || !lines_find(spans, failure)) {
        lines_close(spans);
        return false;
    }
    shape->extent[0] = spans->count;
    *self = spans;
    return true;
}

static bool lines_read(void *self, int64_t index, struct scow_item *item, struct failure *failure)
{
    struct spans *spans = self;
    size_t size;
    char *bytes = spans_read(spans, index, &size, failure);
    if (!bytes)
        return false;
    const char *end = memchr(bytes, '\n', size);
    bool whole = end ? end == bytes + size - 1 : index == spans->count - 1;
    if (!whole || memchr(bytes, 0, size))
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

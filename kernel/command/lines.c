#include "kernel/command/lines.h"

#include <stdlib.h>
#include <string.h>

enum { WINDOW_MOST = 1 << (LINE_WINDOWS - 1) };

bool line_meter_init(struct line_meter *meter)
{
    *meter = (struct line_meter){.sizes = malloc(WINDOW_MOST * sizeof *meter->sizes)};
    return meter->sizes != NULL;
}

void line_meter_release(struct line_meter *meter)
{
    free(meter->sizes);
    *meter = (struct line_meter){0};
}

void line_meter_add(struct line_meter *meter, size_t size)
{
    struct line_bounds *bounds = &meter->bounds;
    meter->lines++;
    bounds->size += (int64_t)(size + 1 + sizeof(uint32_t));
    if ((int64_t)size > bounds->line_most)
        bounds->line_most = (int64_t)size;
    for (int i = 0; i < LINE_WINDOWS; i++) {
        const int64_t before = meter->lines - ((int64_t)1 << i);
        const int64_t sum = bounds->size - (before > 0 ? meter->sizes[before % WINDOW_MOST] : 0);
        if (sum > bounds->size_most[i])
            bounds->size_most[i] = sum;
    }
    meter->sizes[meter->lines % WINDOW_MOST] = bounds->size;
}

/* What lies between two windows is covered by the greater one, or by the smaller one and a package
 * of the rest: f(2^i + r) = min(f(2^i) + f(r), f(2^(i + 1))) grows, as f(r) <= f(2^i). */
size_t line_bounds_most(const struct line_bounds *bounds, int64_t count)
{
    const int64_t greatest = bounds->size_most[LINE_WINDOWS - 1];
    int64_t size = 0;
    for (int i = 0; i < LINE_WINDOWS - 1; i++) {
        if (count >> i & 1)
            size += bounds->size_most[i];
        if (size > bounds->size_most[i + 1])
            size = bounds->size_most[i + 1];
    }
    size += (count >> (LINE_WINDOWS - 1)) * greatest;
    return (size_t)(size < bounds->size ? size : bounds->size);
}

size_t lines_size(const struct lines *lines, int64_t index)
{
    uint32_t size;
    memcpy(&size, lines->package + (size_t)index * sizeof size, sizeof size);
    return size;
}

bool lines_init(struct lines *lines, const void *package, size_t size, int64_t count)
{
    *lines = (struct lines){.package = package, .count = count};
    if (count < 0 || (size_t)count > size / sizeof(uint32_t))
        return false;
    const size_t sizes = (size_t)count * sizeof(uint32_t);
    lines->line = lines->package + sizes;
    size_t total = sizes;
    for (int64_t i = 0; i < count; i++)
        total += lines_size(lines, i) + 1;
    return total == size;
}

size_t lines_skip(struct lines *lines, int64_t count)
{
    size_t size = 0;
    for (int64_t i = 0; i < count; i++)
        size += lines_size(lines, lines->index++) + 1;
    lines->line += size;
    return size;
}

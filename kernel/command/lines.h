/*
 * Packages of lines: their sizes (uint32 each), then the lines, each followed by a newline. The
 * maximum size of a package of a given number of lines is computed without the lines, from the
 * greatest sums of consecutive ones.
 */
#ifndef KERNEL_COMMAND_LINES_H
#define KERNEL_COMMAND_LINES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { LINE_WINDOWS = 17, LINE_SIZE_MOST = 1 << 30 };

/* The most bytes that 2^i consecutive lines take in a package; all of them, where there are fewer.
 */
struct line_bounds {
    int64_t size_most[LINE_WINDOWS];
    int64_t size;      /* of all lines in one package */
    int64_t line_most; /* bytes of the longest line alone */
};

/* Measures lines one after the other. */
struct line_meter {
    struct line_bounds bounds;
    int64_t lines;  /* so far */
    int64_t *sizes; /* owned: after each of the last lines */
};

/* False: out of memory. */
bool line_meter_init(struct line_meter *meter);
void line_meter_release(struct line_meter *meter);
void line_meter_add(struct line_meter *meter, size_t size);

/* No package of `count` lines takes more; grows with count. */
size_t line_bounds_most(const struct line_bounds *bounds, int64_t count);

/* The lines of a package, in order. */
struct lines {
    const char *package, *line; /* of `index` */
    int64_t index, count;       /* counted from the package's first */
};

/* False: these bytes are not a package of `count` lines. */
bool lines_init(struct lines *lines, const void *package, size_t size, int64_t count);
/* Of the line itself. */
size_t lines_size(const struct lines *lines, int64_t index);
/* Skip `count` lines; returns their bytes, newlines included. */
size_t lines_skip(struct lines *lines, int64_t count);

#endif

/*
 * How long points of the plane stay: z <- z^2 + c from z = c in double precision, for many points
 * at once.
 *
 * The count of a point is the number of z, the first one (c) included, before the first one that is
 * outside of abs(z) <= 2, and at most `iterations`; computed as
 *
 *     inside:  x * x + y * y <= 4
 *     next:    (x * x - y * y) + c_x,  (x * y + x * y) + c_y
 *
 * with every operation rounded once, to double: the same counts with every instruction set, and for
 * every cut of a picture into spans.
 */
#ifndef KERNEL_MANDELBROT_ESCAPE_H
#define KERNEL_MANDELBROT_ESCAPE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kernel/vector/isa.h"

/* The picture: pixels of [x_min, x_max] x [y_min, y_max], y_max at row 0. The point of a pixel is
 * its centre, ((width - t) * x_min + t * x_max) / width with t = column + 1/2, and the same for
 * rows, so that a picture that is symmetric about an axis has symmetric points. */
struct escape_picture {
    double width, height; /* whole */
    double x_min, x_max, y_min, y_max;
    uint32_t iterations; /* >= 1 */
};

/* Spans are best a multiple of the first: of the points that are counted together with any
 * instruction set, and of a cache line. */
enum { ESCAPE_SPAN_UNIT = 80, ESCAPE_SPAN_MOST = 960 };

/* Neighbouring pixels of a row. */
struct escape_span {
    int64_t row, column;
    int count; /* 1 to ESCAPE_SPAN_MOST */
    uint32_t *counts;
};

/* Where spans come from, one after the other, and who may end it all. */
struct escape_source {
    void *self;
    bool (*next)(void *self, struct escape_span *span); /* false: there are no more */
    /* Called about every tenth of a millisecond. True: give up. */
    bool (*stop)(void *self);
};

/* Of one thread, aligned to 64. */
size_t escape_workspace_size(void);

/* Compute all spans of the source, with that instruction set. False: given up, and counts are not
 * to be looked at. */
bool escape_run(const struct escape_picture *picture, enum isa isa,
                const struct escape_source *source, void *workspace);

#endif

/*
 * Jacobi's iteration for Laplace's equation on a strip of a grid: every cell becomes the mean of
 * its four neighbours of the iteration before,
 *     cell = (north + south + west + east) / 4,
 * added in this order, so that the outcome does not depend, to the bit, on how a grid is cut into
 * strips. Around the grid are cells that stay as they are.
 */
#ifndef KERNEL_JACOBI_STRIP_H
#define KERNEL_JACOBI_STRIP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What is around the grid, and in it before the first iteration. */
struct jacobi_values {
    double north, south, west, east, inside;
};

/* Columns one after the other, each with a cell of the north and of the south edge around its own;
 * before the first one and after the last one there is one more, of a neighbour or an edge. */
struct jacobi_strip {
    int64_t rows, columns; /* without what is around them */
    double *now, *next;    /* borrowed: jacobi_strip_size bytes each */
    int threads;
};

/* Bytes of one of its two arrays; 0: more than can be counted. */
size_t jacobi_strip_size(int64_t rows, int64_t columns);
/* All cells of both arrays as before the first iteration, as if the strip were the grid. */
void jacobi_strip_begin(const struct jacobi_strip *strip, const struct jacobi_values *values);
/* The first cell of a column; 0 and columns + 1 are those beside it. */
static inline double *jacobi_column(const struct jacobi_strip *strip, double *array, int64_t column)
{
    return array + column * (strip->rows + 2) + 1;
}

/* Called now and then from the thread that called; true: stop. */
struct jacobi_pulse {
    bool (*call)(void *self); /* NULL: nothing */
    void *self;
};

/* Columns [first, end), from 1, of the next iteration, out of those of now. False: it was stopped.
 */
bool jacobi_strip_step(const struct jacobi_strip *strip, int64_t first, int64_t end,
                       struct jacobi_pulse pulse);
/* The greatest difference of a cell between next and now. */
double jacobi_strip_change(const struct jacobi_strip *strip);

#endif

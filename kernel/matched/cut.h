/*
 * How a stack of images is cut into core tasks, and which rectangles of a slice a run of them
 * needs.
 *
 * A core task is a rectangle of one slice. A slice is cut into `down` x `across` of them, whose
 * sides differ by at most one pixel, so that all are the same work; they are numbered row by row,
 * slice after slice. Coordinates are pixels.
 */
#ifndef KERNEL_MATCHED_CUT_H
#define KERNEL_MATCHED_CUT_H

#include <stdint.h>

#include "kernel/matched/banks/bank.h"
#include "kernel/scow.h"

/* All core tasks of an image. */
struct grid {
    int64_t slices, rows, columns; /* of the image */
    int type;                      /* of its pixels: enum scow_type */
    int64_t down, across;          /* tasks of a slice */
};

struct rectangle {
    int64_t row, column, rows, columns;
};

enum { CUT_MOST = 3 };

/* Rectangles of one slice that cover some tasks and their surroundings, in the order of rows. */
struct cut {
    int count;
    struct rectangle rectangles[CUT_MOST];
    int64_t pixels; /* of all rectangles */
};

/* Where part `part` begins of a side cut into that many parts, 1 .. length; `parts` gives the end.
 */
int64_t part_start(int64_t length, int64_t parts, int64_t part);

/* down <= rows, across <= columns. */
void grid_init(struct grid *grid, const struct scow_input *image, int64_t down, int64_t across);
int64_t grid_slice_tasks(const struct grid *grid);
int64_t grid_tasks(const struct grid *grid);
/* Rows and columns that no task has more of; some task has them. */
int64_t grid_rows_most(const struct grid *grid);
int64_t grid_columns_most(const struct grid *grid);
/* The pixels of one task, and (may be NULL) its slice. */
struct rectangle grid_place(const struct grid *grid, int64_t task, int64_t *slice);
/* `area` and what lies within reach of it, clipped to the slice. */
struct rectangle grid_surroundings(const struct grid *grid, const struct reach *reach,
                                   const struct rectangle *area);
/* The rectangles for tasks [first, end) of a slice, counted within it: those of the first, partial
 * row of tasks, the whole rows, and the last, partial one, joined where that takes fewer pixels.
 */
struct cut cut_make(const struct grid *grid, const struct reach *reach, int64_t first, int64_t end);
/* No cut of `tasks` consecutive tasks of one slice has more pixels. As a function of the tasks the
 * bound is concave up to rounding up: the bound for two slices that share n tasks is twice that for
 * the larger half of n. */
int64_t cut_pixels_most(const struct grid *grid, const struct reach *reach, int64_t tasks);
bool rectangle_contains(const struct rectangle *outer, const struct rectangle *inner);

#endif

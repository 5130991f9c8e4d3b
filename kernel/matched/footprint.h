/*
 * Packages: what is sent for a run of consecutive core tasks. A package is the rectangles that
 * cover the run, slice after slice (kernel/matched/cut.h), in the image's own pixel type, each
 * row-major, one after the other without gaps. It carries no description: whoever knows (first,
 * count) knows the layout.
 */
#ifndef KERNEL_MATCHED_PACKAGE_H
#define KERNEL_MATCHED_PACKAGE_H

#include "kernel/matched/cut.h"

/* The layout of one package. */
struct package {
    const struct grid *grid; /* borrowed */
    int64_t first_slice, last_slice;
    struct cut head, middle, tail; /* first slice; whole slices between; last slice, if another */
};

/* A rectangle's pixels within a package. */
struct window {
    const void *pixels; /* its first one */
    int64_t stride;     /* pixels from row to row */
};

/* For tasks [first, first + count), count > 0. */
void package_init(struct package *package, const struct grid *grid, const struct reach *reach,
                  int64_t first, int64_t count);
int64_t package_pixels(const struct package *package);
/* No package of `count` tasks has more pixels. */
int64_t package_pixels_most(const struct grid *grid, const struct reach *reach, int64_t count);
/* Write the package's pixels to `bytes`; false: the source failed. */
bool package_fill(const struct package *package, const struct kernel_source *source, void *bytes);
/* Where `area` of `slice` is in the package's bytes; it must be a part of the surroundings of one
 * of the package's tasks. */
struct window package_window(const struct package *package, const void *bytes, int64_t slice,
                             const struct rectangle *area);

#endif

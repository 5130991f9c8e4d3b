/*
 * The pixels that a run of consecutive core tasks needs: what its package carries. They are the
 * rectangles that cover the run, slice after slice (kernel/matched/cut.h), in the image's own type,
 * each row-major, one after the other without gaps. A package carries no description: whoever knows
 * the run knows the layout.
 */
#ifndef KERNEL_MATCHED_FOOTPRINT_H
#define KERNEL_MATCHED_FOOTPRINT_H

#include "kernel/matched/cut.h"

struct footprint {
    const struct grid *grid; /* borrowed */
    int64_t first_slice, last_slice;
    struct cut head, middle, tail; /* first slice; whole slices between; last slice, if another */
};

/* A rectangle's pixels within a package. */
struct view {
    const void *pixels; /* its first one */
    int64_t stride;     /* pixels from row to row */
};

/* Of tasks [first, first + count), count > 0. */
void footprint_init(struct footprint *footprint, const struct grid *grid, const struct reach *reach,
                    int64_t first, int64_t count);
int64_t footprint_pixels(const struct footprint *footprint);
/* No footprint of `count` tasks has more pixels; grows with count. */
int64_t footprint_pixels_most(const struct grid *grid, const struct reach *reach, int64_t count);
/* Write all pixels to `package`, as the host reads them; an enum scow_status. */
int footprint_read(const struct footprint *footprint, const struct scow_host *host, void *package);
/* Where `area` of `slice` is in the package; it must be a part of the surroundings of one of the
 * run's tasks. */
struct view footprint_view(const struct footprint *footprint, const void *package, int64_t slice,
                           const struct rectangle *area);

#endif

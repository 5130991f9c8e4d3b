/*
 * A core task's surroundings as floats: pixels of any type are converted on the fly, pixels outside
 * the image are zeros.
 *
 * A pixel that is not finite, or larger than CORRELATE_PIXEL_MOST in magnitude, is loaded as zero
 * and spoils every result within reach of it: those become not a number, whatever the algorithm.
 */
#ifndef KERNEL_MATCHED_HALO_H
#define KERNEL_MATCHED_HALO_H

#include "kernel/matched/footprint.h"

/* Floats around `area`: rows -up .. rows - 1 + down, columns -left .. columns - 1 + right + slack
 * of it; at floats[up * stride + left] is its first pixel. */
struct halo {
    struct rectangle area;
    struct reach reach;
    float *floats;
    int64_t stride;
    bool spoiled; /* some pixel is not usable */
};

/* Floats from row to row for an area of that many columns, and for the whole halo. */
int64_t halo_stride(const struct reach *reach, int columns);
int64_t halo_floats(const struct reach *reach, int rows, int columns);
/* Fill halo->floats (the caller's, halo_floats of the area) and set halo->spoiled. */
void halo_load(struct halo *halo, const struct footprint *footprint, const void *package,
               int64_t slice);
/* Set to not a number what lies within reach of an unusable pixel, in the area's results. Takes
 * halo->floats for itself: what was loaded is lost. */
void halo_spoil(const struct halo *halo, const struct footprint *footprint, const void *package,
                int64_t slice, float *results, int64_t result_stride);

#endif

/*
 * What the detection of symmetries (orbit_plan.c), the algorithm "orbit" (orbit.c) and its passes
 * (orbit_lanes.h, once per instruction set) share. Private to that algorithm.
 *
 * A symmetry of the bank is a way to map pixels around the anchor that maps filters of the bank to
 * filters of the bank. The taps that it makes equal but for the sign share one multiplication:
 * sums and differences of their pixels (features) are made once and serve all filters, and the
 * responses of filters that are images of each other come from the same few sums of products
 * (components) by adding and subtracting.
 *
 *  - Transposition: with S = I(y, x) + I(x, y), D = I(y, x) - I(x, y) a filter F and its transpose
 *    respond r0 + r1 and r0 - r1, where r0 = sum of (F + F')/2 S, r1 = sum of (F - F')/2 D.
 *  - Filters that are symmetric about a point, with or without their mirror image, transpose and
 *    turned image in the bank: the four one-dimensional representations of the square's symmetries
 *    modulo the half turn (J.-P. Serre, Linear Representations of Finite Groups, section 2.6), with
 *    r0 + r1 + r2 + r3, r0 - r1 + r2 - r3, r0 + r1 - r2 - r3, r0 - r1 - r2 + r3
 *    for the filter, its transpose, its mirror image, its turned image. Each tap stands for eight.
 */
#ifndef KERNEL_MATCHED_CORRELATORS_ORBIT_H
#define KERNEL_MATCHED_CORRELATORS_ORBIT_H

#include <stdbool.h>
#include <stddef.h>

#include "kernel/matched/correlators/correlate.h"

enum {
    ORBIT_GROUP = 4,           /* orbits whose products are summed together */
    ORBIT_COMPONENTS_MOST = 4, /* 2 under transposition */
    ORBIT_REGISTERS = 3        /* registers of pixels worked on together */
};

/* The products of one component of one group's orbits: `count` features by their index, and
 * ORBIT_GROUP weights for each. */
struct orbit_sum {
    int count;
    int *features;  /* owned */
    float *weights; /* owned */
};

struct orbit_group {
    struct orbit_sum sums[ORBIT_COMPONENTS_MOST];
    /* Which of an orbit's images are in the bank: bit 0 the filter, 1 its transpose, 2 its mirror
     * image, 3 its turned image. */
    unsigned images[ORBIT_GROUP];
};

/* Filters that share features. */
struct orbit_family {
    int components; /* 2: transposition; 4: symmetric about a point */
    int centre;     /* twice the point's coordinate, the same down and across */
    struct reach reach;
    int features; /* how many */
    /* Place of feature k relative to the anchor, row <= column: of its pixels, one. */
    int *rows, *columns; /* owned, in one piece */
    int first, halves;   /* features have rows and columns first ... first + halves - 1 */
    int groups;
    struct orbit_group *group; /* owned */
};

/* A run of pixels of one row of a tile, and room to work. */
struct orbit_run {
    const struct orbit_family *family;
    const float *origin; /* the first pixel */
    ptrdiff_t stride;
    int columns;
    float *result;
    bool accumulate;
    /* Two for each of the family's halves: the sum and the difference of two rows of pixels that
     * are each other's image in the point, from the first pixel that a feature uses. */
    float *halves;
    ptrdiff_t half_stride;
    float *features; /* [component][feature][ORBIT_REGISTERS registers] */
};

/* Pixels before (first) and after the anchor that a family uses, down as across. */
int orbit_back(const struct orbit_family *family);
int orbit_ahead(const struct orbit_family *family);

struct orbit_isa {
    int lanes;
    void (*run)(const struct orbit_run *run);
};

extern const struct algorithm orbit_algorithm;

extern const struct orbit_isa orbit_isa_generic;
#if defined(__x86_64__)
extern const struct orbit_isa orbit_isa_avx2, orbit_isa_avx512;
#endif

#endif

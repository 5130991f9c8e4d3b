/* Inside of the direct algorithm: what its set-up (direct.c) prepares for the loops that are built
 * once per instruction set (direct_generic.c, direct_avx2.c, direct_avx512.c). */
#ifndef KERNEL_MATCHED_CORRELATORS_DIRECT_KERNEL_H
#define KERNEL_MATCHED_CORRELATORS_DIRECT_KERNEL_H

#include "kernel/matched/correlators/correlate.h"

enum {
    DIRECT_FILTERS_MOST = 6, /* of a group */
    DIRECT_SLIDE_ROWS = 6    /* a lone filter with at least so many rows slides down the columns */
};

/* A tap's place, from the anchor. */
struct direct_place {
    int row, column;
};

/* Up to six filters done together: the places where any of them has a tap, and for each place one
 * weight per filter, zero where it has none. */
struct direct_group {
    int filters;
    int places;
    const struct direct_place *place; /* row by row */
    const float *weights;             /* [places][filters] */
};

/* A lone filter: its taps column by column. */
struct direct_slide {
    int rows, columns, anchor_row, anchor_column;
    const float *weights; /* [columns][rows]; NULL: there is no lone filter */
};

struct direct_bank {
    int count;
    const struct direct_group *groups;
    struct direct_slide slide; /* instead of groups, if it has weights */
};

/* `offsets` is workspace for the places of the largest group. */
void direct_run_generic(const struct direct_bank *bank, const struct tile *tile,
                        ptrdiff_t *offsets);
void direct_run_avx2(const struct direct_bank *bank, const struct tile *tile, ptrdiff_t *offsets);
void direct_run_avx512(const struct direct_bank *bank, const struct tile *tile, ptrdiff_t *offsets);

#endif

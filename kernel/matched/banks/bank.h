/*
 * Filter banks: small kernels that an image is correlated with.
 *
 * Correlation (not convolution) with zeros outside the image; a filter of n taps is anchored at
 * the 0-based index (n - 1) / 2, odd or even:
 *   R(y, x) = sum over a, b of taps[a][b] * I(y + a - anchor_row, x + b - anchor_column).
 */
#ifndef KERNEL_MATCHED_BANKS_BANK_H
#define KERNEL_MATCHED_BANKS_BANK_H

#include <stdint.h>

enum { BANK_SCALES_MOST = 8 };

struct filter {
    int rows, columns;
    int anchor_row, anchor_column;
    int scale, angle;   /* 0-based indices within the bank: which scale (below BANK_SCALES_MOST),
                         * which orientation */
    const double *taps; /* row-major; within the bank's memory */
};

struct bank {
    int count;
    struct filter *filters; /* owned */
    double *taps;           /* owned */
};

/* How responses of a bank's filters become one number per pixel. */
enum combine {
    COMBINE_SUM,    /* over all filters: the same as one collapsed filter */
    COMBINE_MAX,    /* over all filters */
    COMBINE_MAXSUM, /* maximum over angles of the sum over scales */
    COMBINE_SUMMAX  /* sum over scales of the maximum over angles; not the maximum of any bank */
};

/* How far a bank reaches from the pixel it is anchored at, in pixels. */
struct reach {
    int up, down, left, right;
};

/* A bank of zeros: `count` filters with the sizes, anchors and indices of `shapes` (whose taps are
 * ignored), to be filled through bank_taps. NULL: out of memory. */
struct bank *bank_new(const struct filter *shapes, int count);
/* The taps of one filter, row-major, borrowed, to be filled. */
double *bank_taps(struct bank *bank, int index);
/* Copies of the filters at `indices`, in that order. NULL: out of memory. */
struct bank *bank_new_subset(const struct bank *bank, const int *indices, int count);
/* The 210 filters of Eidheim's listing (Rosenvinge, Online task scheduling on heterogeneous
 * clusters, appendix A.1). NULL: out of memory. */
struct bank *bank_new_source(void);
/* Chaudhuri, Chatterjee, Katz, Nelson, Goldbaum, Detection of blood vessels in retinal images using
 * two-dimensional matched filters, IEEE Trans. Med. Imaging 8 (1989) 263-269: `angles`
 * orientations of a Gaussian ridge of width sigma and length `length` pixels, truncated at 3 sigma,
 * mean removed. Bright ridges give positive responses. NULL: out of memory. */
struct bank *bank_new_chaudhuri(int angles, double sigma, double length);
/* The bank whose plain maximum equals `combine` (any but COMBINE_SUMMAX) over `bank`: filters that
 * are summed become one, aligned at their anchors. NULL: out of memory. */
struct bank *bank_new_collapsed(const struct bank *bank, enum combine combine);
/* Multiply every tap, for instance by -1 to find dark ridges instead of bright ones. */
void bank_scale(struct bank *bank, double factor);
struct reach bank_reach(const struct bank *bank);
/* Take in one more filter; start with no reach at all. */
void reach_widen(struct reach *reach, const struct filter *filter);
/* Taps of all filters together, zeros included. */
int64_t bank_tap_count(const struct bank *bank);
void bank_free(struct bank **bank); /* sets *bank NULL */

#endif

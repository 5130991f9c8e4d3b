/*
 * How a bank is cut for the batched FFT: sections of filters of similar size, each with a window
 * size of its own, because small filters leave more of a window valid. Depends on the bank and on
 * what is demanded alone, not on the processor: every rank cuts alike. Private to the algorithm
 * "fft".
 */
#ifndef KERNEL_MATCHED_CORRELATORS_FFT_PLAN_H
#define KERNEL_MATCHED_CORRELATORS_FFT_PLAN_H

#include <stdbool.h>

#include "kernel/matched/correlators/correlate.h"

struct fft_section {
    int first, count; /* filters, in fft_plan's order */
    int kind;         /* index of the window's size */
    int size;         /* edge of the window, points */
    struct reach reach;
    int valid_rows, valid_columns; /* of a window; windows are that far apart */
    int pairs;                     /* of filters; one for a single filter */
    bool batched;                  /* lanes over pairs of filters instead of over columns */
};

struct fft_plan {
    int count;
    struct fft_section *sections; /* owned */
    int *order;                   /* owned: the bank's filters by size */
    double effort;                /* direct multiply-adds that take as long */
};

/* No sections and an effort of HUGE_VAL: a filter is larger than every window. False: out of
 * memory. Release it in either case. */
bool fft_plan_init(struct fft_plan *plan, const struct bank *bank, const struct demand *demand);
void fft_plan_release(struct fft_plan *plan);

#endif

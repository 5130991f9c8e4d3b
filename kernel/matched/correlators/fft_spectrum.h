/*
 * Spectra of filters for correlation by overlap-save, in double precision. Private to "fft".
 */
#ifndef KERNEL_MATCHED_CORRELATORS_FFT_SPECTRUM_H
#define KERNEL_MATCHED_CORRELATORS_FFT_SPECTRUM_H

#include <stdbool.h>

#include "kernel/matched/correlators/fft.h"

/* Room for one spectrum after the other. */
struct spectrum {
    const struct fft_isa *isa; /* borrowed */
    int size;
    struct reach reach;
    double *re, *im; /* size x size, [kx][ky]; in `memory`, as are the rest */
    double *rows_re, *rows_im;
    double *wave_re, *wave_im;
    double *memory; /* owned, aligned to 64: every row of `size` points is */
};

/* For windows of that size whose pixel (up, left) is the anchor of the first response. False: out
 * of memory; release it in either case. */
bool spectrum_init(struct spectrum *spectrum, const struct fft_isa *isa, int size,
                   struct reach reach);
/* The spectrum whose product with a window's gives the response of `real` as the real part and
 * that of `imaginary` (NULL: nothing) as the imaginary one:
 *   H(kx, ky) = 1 / size^2 sum over d, e of (r[d][e] + i m[d][e]) exp(2 pi i (kx e + ky d) / size)
 * where d and e count from the window's corner. */
void spectrum_make(struct spectrum *spectrum, const struct filter *real,
                   const struct filter *imaginary);
void spectrum_release(struct spectrum *spectrum);

#endif

/*
 * What the batched FFT's planning (fft.c) and its passes (fft_lanes.h, once per instruction set)
 * share. Private to the algorithm "fft", but for bench-kernel, which times the passes one by one.
 *
 * A window is a square of `size` points; size = FFT_INNER * outer. A correlation's spectrum times a
 * window's spectrum, transformed back, is right in the window's first `valid` rows and columns
 * (overlap-save); two real responses travel in one complex transform.
 */
#ifndef KERNEL_MATCHED_CORRELATORS_FFT_H
#define KERNEL_MATCHED_CORRELATORS_FFT_H

#include <stdbool.h>
#include <stddef.h>

#include "kernel/matched/correlators/correlate.h"

enum {
    FFT_INNER = 8,
    FFT_SIZES = 7,
    FFT_OUTER_MOST = 16,
    FFT_SIZE_MOST = FFT_INNER * FFT_OUTER_MOST,
    FFT_LANES_MOST = 16
};

/* Outer lengths, ascending: sizes 32 to 128. */
static const int fft_outers[FFT_SIZES] = {4, 5, 6, 8, 10, 12, 16};

/* A plane of `size` rows of `stride` floats for real parts, and another for imaginary ones. */
struct fft_planes {
    float *re, *im;
};

/* The passes for one size. Twiddles: FFT_INNER x outer cosines, then as many sines. Strides are
 * multiples of FFT_LANES_MOST; whatever stands right of the first `size` columns is ignored. */
struct fft_passes {
    /* Forward transforms along the rows' direction (down) of all columns, in place. */
    void (*forward)(const float *twiddle, struct fft_planes planes, ptrdiff_t stride);
    /* Inverse transforms of one column (contiguous in the image's planes) times LANES spectra,
     * down to its first `valid` points, point y to to + y * step. */
    void (*column)(const float *twiddle, struct fft_planes image, const float *spectrum, int valid,
                   float *to, ptrdiff_t step);
    /* Inverse transforms of one row of `size` points for LANES spectra; per lane, the larger of
     * the real and the imaginary response for the first `valid` points; of that and what is
     * already in maxima unless `first`. */
    void (*row)(const float *twiddle, const float *from, int valid, bool first, float *maxima);
    /* Product of an image's and one spectrum's planes, inverse transforms down all columns, the
     * first `valid` rows into `to`. */
    void (*product)(const float *twiddle, struct fft_planes image, struct fft_planes spectrum,
                    int valid, struct fft_planes to, ptrdiff_t stride);
    /* Inverse transforms down the first `columns` columns, the first `valid` rows of either part
     * into `to`. */
    void (*finish)(const float *twiddle, struct fft_planes from, int columns, int valid,
                   struct fft_planes to, ptrdiff_t stride);
};

/* Numbers d = 0 ... count - 1, each with a wave of `size` points, aligned to 64 bytes. */
struct fft_waves {
    int count, size;
    const double *re, *im; /* number d at d * step */
    ptrdiff_t step;
    const double *wave_re, *wave_im; /* wave d at d * size */
};

/* One instruction set's passes. */
struct fft_isa {
    int lanes;
    struct fft_passes passes[FFT_SIZES];
    /* result[x] = the largest lane of maxima[x], or of that and result[x] when accumulating. */
    void (*reduce)(const float *maxima, int count, bool accumulate, float *result);
    /* result[x] = max(result[x], response[x]), or without accumulating the response. */
    void (*keep)(const float *response, int count, bool accumulate, float *result);
    /* to[k] += number d times point k of wave d, for one d after the other, the same bit for bit on
     * every instruction set. `to` is aligned to 64 bytes. */
    void (*waves)(const struct fft_waves *waves, double *to_re, double *to_im);
    /* to[x][y] = from[y][x] for rows x columns values of `from`, both rounded up to fours. */
    void (*transpose)(const float *from, int rows, int columns, float *to, ptrdiff_t stride);
};

extern const struct algorithm fft_algorithm;

extern const struct fft_isa fft_isa_generic;
#if defined(__x86_64__)
extern const struct fft_isa fft_isa_avx2, fft_isa_avx512;
#endif

#endif

/*
 * The passes of the batched FFT for whatever instruction set the including file is compiled for;
 * that file defines FFT_ISA, the name of its table.
 *
 * A transform of 8 m points is m-point transforms of every eighth point, a turn, and 8-point
 * transforms (Cooley and Tukey 1965, decimation in time); the points in between wait in the first
 * cache. Which outputs are wanted is known only at run time, so that pruning is a comparison at
 * the store.
 */
#include "kernel/matched/correlators/fft.h"
#include "kernel/matched/correlators/fft_small.h"

#include <string.h>

struct points {
    vector re[FFT_SIZE_MOST], im[FFT_SIZE_MOST];
};

/* Points 8 k + n for one n have been loaded: transform them, turn them, leave them in `points`. */
VECTOR_INLINE void transform_outer(int outer, ptrdiff_t n, const float *twiddle, vector *re,
                                   vector *im, struct points *points)
{
    const float *cosine = twiddle + n * outer, *sine = cosine + (ptrdiff_t)FFT_INNER * outer;
    dft_small(outer, re, im);
    points->re[n * outer] = re[0];
    points->im[n * outer] = im[0];
    VECTOR_UNROLL
    for (int k = 1; k < outer; k++) {
        turn(&re[k], &im[k], vector_all(cosine[k]), vector_all(sine[k]));
        points->re[n * outer + k] = re[k];
        points->im[n * outer + k] = im[k];
    }
}

/* Outputs k + outer j for one k, to re[j] and im[j]. */
VECTOR_INLINE void transform_inner(int outer, int k, const struct points *points, vector *re,
                                   vector *im)
{
    VECTOR_UNROLL
    for (ptrdiff_t n = 0; n < FFT_INNER; n++) {
        re[n] = points->re[n * outer + k];
        im[n] = points->im[n * outer + k];
    }
    dft8(re, im);
}

VECTOR_INLINE void load_planes(int outer, int n, struct fft_planes from, ptrdiff_t stride,
                               vector *re, vector *im)
{
    VECTOR_UNROLL
    for (int k = 0; k < outer; k++) {
        re[k] = vector_load(from.re + (FFT_INNER * k + n) * stride);
        im[k] = vector_load(from.im + (FFT_INNER * k + n) * stride);
    }
}

VECTOR_INLINE void store_planes(int outer, int k, int valid, const vector *re, const vector *im,
                                struct fft_planes to, ptrdiff_t stride)
{
    VECTOR_UNROLL
    for (int j = 0; j < FFT_INNER; j++) {
        const int y = k + outer * j;
        if (y < valid) {
            vector_store(to.re + y * stride, re[j]);
            vector_store(to.im + y * stride, im[j]);
        }
    }
}

VECTOR_INLINE struct fft_planes planes_at(struct fft_planes planes, ptrdiff_t offset)
{
    return (struct fft_planes){planes.re + offset, planes.im + offset};
}

/* Inverse transforms down VECTOR_LANES columns. */
VECTOR_INLINE void pass_down(int outer, const float *twiddle, struct fft_planes from, int valid,
                             struct fft_planes to, ptrdiff_t stride)
{
    struct points points;
    for (int n = 0; n < FFT_INNER; n++) {
        vector re[FFT_OUTER_MOST], im[FFT_OUTER_MOST];
        load_planes(outer, n, from, stride, re, im);
        transform_outer(outer, n, twiddle, re, im, &points);
    }
    for (int k = 0; k < outer; k++) {
        vector re[FFT_INNER], im[FFT_INNER];
        transform_inner(outer, k, &points, re, im);
        store_planes(outer, k, valid, re, im, to, stride);
    }
}

VECTOR_INLINE void pass_forward(int outer, const float *twiddle, struct fft_planes planes,
                                ptrdiff_t stride)
{
    const int size = FFT_INNER * outer;
    const struct fft_planes exchanged = {planes.im, planes.re};
    for (int x = 0; x < size; x += VECTOR_LANES)
        pass_down(outer, twiddle, planes_at(exchanged, x), size, planes_at(exchanged, x), stride);
}

VECTOR_INLINE void pass_finish(int outer, const float *twiddle, struct fft_planes from, int columns,
                               int valid, struct fft_planes to, ptrdiff_t stride)
{
    for (int x = 0; x < columns; x += VECTOR_LANES)
        pass_down(outer, twiddle, planes_at(from, x), valid, planes_at(to, x), stride);
}

VECTOR_INLINE void load_product(int outer, int n, struct fft_planes image, struct fft_planes factor,
                                ptrdiff_t stride, vector *re, vector *im)
{
    VECTOR_UNROLL
    for (int k = 0; k < outer; k++) {
        const ptrdiff_t at = (FFT_INNER * k + n) * stride;
        re[k] = vector_load(image.re + at);
        im[k] = vector_load(image.im + at);
        turn(&re[k], &im[k], vector_load(factor.re + at), vector_load(factor.im + at));
    }
}

VECTOR_INLINE void pass_product(int outer, const float *twiddle, struct fft_planes image,
                                struct fft_planes factor, int valid, struct fft_planes to,
                                ptrdiff_t stride)
{
    struct points points;
    for (int x = 0; x < FFT_INNER * outer; x += VECTOR_LANES) {
        for (int n = 0; n < FFT_INNER; n++) {
            vector re[FFT_OUTER_MOST], im[FFT_OUTER_MOST];
            load_product(outer, n, planes_at(image, x), planes_at(factor, x), stride, re, im);
            transform_outer(outer, n, twiddle, re, im, &points);
        }
        for (int k = 0; k < outer; k++) {
            vector re[FFT_INNER], im[FFT_INNER];
            transform_inner(outer, k, &points, re, im);
            store_planes(outer, k, valid, re, im, planes_at(to, x), stride);
        }
    }
}

/* Lane l: point k of the column times point k of spectrum l. */
VECTOR_INLINE void load_batch(int outer, int n, struct fft_planes image, const float *spectrum,
                              vector *re, vector *im)
{
    VECTOR_UNROLL
    for (int k = 0; k < outer; k++) {
        const int at = FFT_INNER * k + n;
        const float *factor = spectrum + (ptrdiff_t)2 * VECTOR_LANES * at;
        re[k] = vector_load(factor);
        im[k] = vector_load(factor + VECTOR_LANES);
        turn(&re[k], &im[k], vector_all(image.re[at]), vector_all(image.im[at]));
    }
}

VECTOR_INLINE void pass_column(int outer, const float *twiddle, struct fft_planes image,
                               const float *spectrum, int valid, float *to, ptrdiff_t step)
{
    struct points points;
    for (int n = 0; n < FFT_INNER; n++) {
        vector re[FFT_OUTER_MOST], im[FFT_OUTER_MOST];
        load_batch(outer, n, image, spectrum, re, im);
        transform_outer(outer, n, twiddle, re, im, &points);
    }
    for (int k = 0; k < outer; k++) {
        vector re[FFT_INNER], im[FFT_INNER];
        transform_inner(outer, k, &points, re, im);
        store_planes(outer, k, valid, re, im, (struct fft_planes){to, to + VECTOR_LANES}, step);
    }
}

VECTOR_INLINE void keep_larger(int outer, int k, int valid, bool first, const vector *re,
                               const vector *im, float *maxima)
{
    VECTOR_UNROLL
    for (int j = 0; j < FFT_INNER; j++) {
        const int x = k + outer * j;
        if (x < valid) {
            const vector larger = vector_max(re[j], im[j]);
            float *at = maxima + (ptrdiff_t)VECTOR_LANES * x;
            vector_store(at, first ? larger : vector_max(vector_load(at), larger));
        }
    }
}

VECTOR_INLINE void pass_row(int outer, const float *twiddle, const float *from, int valid,
                            bool first, float *maxima)
{
    struct points points;
    for (int n = 0; n < FFT_INNER; n++) {
        vector re[FFT_OUTER_MOST], im[FFT_OUTER_MOST];
        VECTOR_UNROLL
        for (int k = 0; k < outer; k++) {
            const float *at = from + (ptrdiff_t)2 * VECTOR_LANES * (FFT_INNER * k + n);
            re[k] = vector_load(at);
            im[k] = vector_load(at + VECTOR_LANES);
        }
        transform_outer(outer, n, twiddle, re, im, &points);
    }
    for (int k = 0; k < outer; k++) {
        vector re[FFT_INNER], im[FFT_INNER];
        transform_inner(outer, k, &points, re, im);
        keep_larger(outer, k, valid, first, re, im, maxima);
    }
}

#if VECTOR_LANES == 16
#define LOW_PAIRS 0, 16, 1, 17, 4, 20, 5, 21, 8, 24, 9, 25, 12, 28, 13, 29
#define HIGH_PAIRS 2, 18, 3, 19, 6, 22, 7, 23, 10, 26, 11, 27, 14, 30, 15, 31
#define LOW_HALVES 0, 1, 16, 17, 4, 5, 20, 21, 8, 9, 24, 25, 12, 13, 28, 29
#define HIGH_HALVES 2, 3, 18, 19, 6, 7, 22, 23, 10, 11, 26, 27, 14, 15, 30, 31
#define EVEN_QUADS 0, 1, 2, 3, 8, 9, 10, 11, 16, 17, 18, 19, 24, 25, 26, 27
#define ODD_QUADS 4, 5, 6, 7, 12, 13, 14, 15, 20, 21, 22, 23, 28, 29, 30, 31
#elif VECTOR_LANES == 8
#define LOW_PAIRS 0, 8, 1, 9, 4, 12, 5, 13
#define HIGH_PAIRS 2, 10, 3, 11, 6, 14, 7, 15
#define LOW_HALVES 0, 1, 8, 9, 4, 5, 12, 13
#define HIGH_HALVES 2, 3, 10, 11, 6, 7, 14, 15
#define EVEN_QUADS 0, 1, 2, 3, 8, 9, 10, 11
#define ODD_QUADS 4, 5, 6, 7, 12, 13, 14, 15
#else
#define LOW_PAIRS 0, 4, 1, 5
#define HIGH_PAIRS 2, 6, 3, 7
#define LOW_HALVES 0, 1, 4, 5
#define HIGH_HALVES 2, 3, 6, 7
#endif

/* The largest of four lanes of each of four registers, register by register within each quad. */
VECTOR_INLINE vector fold_quads(const float *from)
{
    vector pair[2];
    VECTOR_UNROLL
    for (int p = 0; p < 2; p++) {
        const vector a = vector_load(from + (ptrdiff_t)2 * VECTOR_LANES * p);
        const vector b = vector_load(from + (ptrdiff_t)2 * VECTOR_LANES * p + VECTOR_LANES);
        pair[p] = vector_max(__builtin_shufflevector(a, b, LOW_PAIRS),
                             __builtin_shufflevector(a, b, HIGH_PAIRS));
    }
    return vector_max(__builtin_shufflevector(pair[0], pair[1], LOW_HALVES),
                      __builtin_shufflevector(pair[0], pair[1], HIGH_HALVES));
}

/* Lane x: the largest lane of register x, of VECTOR_LANES registers. */
VECTOR_INLINE vector fold(const float *from)
{
    vector quad[VECTOR_LANES / 4];
    VECTOR_UNROLL
    for (int q = 0; q < VECTOR_LANES / 4; q++)
        quad[q] = fold_quads(from + (ptrdiff_t)4 * VECTOR_LANES * q);
#if VECTOR_LANES > 4
    for (int left = VECTOR_LANES / 4; left > 1; left /= 2) {
        VECTOR_UNROLL
        for (ptrdiff_t q = 0; q < left / 2; q++)
            quad[q] = vector_max(__builtin_shufflevector(quad[2 * q], quad[2 * q + 1], EVEN_QUADS),
                                 __builtin_shufflevector(quad[2 * q], quad[2 * q + 1], ODD_QUADS));
    }
#endif
    return quad[0];
}

/* `count` of the lanes to result, or what is larger of them and what is there. */
VECTOR_INLINE void keep_lanes(vector value, int count, bool accumulate, float *result)
{
    if (count >= VECTOR_LANES) {
        vector_store(result, accumulate ? vector_max(vector_load(result), value) : value);
        return;
    }
    float one[VECTOR_LANES];
    vector_store(one, value);
    for (int x = 0; x < count; x++)
        if (!accumulate || one[x] > result[x])
            result[x] = one[x];
}

static void reduce(const float *maxima, int count, bool accumulate, float *result)
{
    for (int x = 0; x < count; x += VECTOR_LANES)
        keep_lanes(fold(maxima + (ptrdiff_t)VECTOR_LANES * x), count - x, accumulate, result + x);
}

static void keep(const float *response, int count, bool accumulate, float *result)
{
    for (int x = 0; x < count; x += VECTOR_LANES)
        keep_lanes(vector_load(response + x), count - x, accumulate, result + x);
}

typedef float four __attribute__((vector_size(16)));
typedef float four_anywhere __attribute__((vector_size(16), aligned(4), may_alias));

VECTOR_INLINE void transpose_quads(const float *from, float *to, ptrdiff_t stride)
{
    four row[4], half[4];
    VECTOR_UNROLL
    for (int y = 0; y < 4; y++)
        row[y] = *(const four_anywhere *)(from + y * stride);
    VECTOR_UNROLL
    for (ptrdiff_t y = 0; y < 2; y++) {
        half[2 * y] = __builtin_shufflevector(row[2 * y], row[2 * y + 1], 0, 4, 1, 5);
        half[2 * y + 1] = __builtin_shufflevector(row[2 * y], row[2 * y + 1], 2, 6, 3, 7);
    }
    VECTOR_UNROLL
    for (ptrdiff_t x = 0; x < 2; x++) {
        *(four_anywhere *)(to + 2 * x * stride) =
            __builtin_shufflevector(half[x], half[x + 2], 0, 1, 4, 5);
        *(four_anywhere *)(to + (2 * x + 1) * stride) =
            __builtin_shufflevector(half[x], half[x + 2], 2, 3, 6, 7);
    }
}

static void transpose(const float *from, int rows, int columns, float *to, ptrdiff_t stride)
{
    for (int y = 0; y < rows; y += 4)
        for (int x = 0; x < columns; x += 4)
            transpose_quads(from + y * stride + x, to + x * stride + y, stride);
}

/* A size is a multiple of any vector. */
static void waves_add(const struct fft_waves *waves, double *to_re, double *to_im)
{
    for (int k = 0; k < waves->size; k += VECTOR_DOUBLES) {
        vector_double sum_re = vector_double_load(to_re + k);
        vector_double sum_im = vector_double_load(to_im + k);
        for (ptrdiff_t d = 0; d < waves->count; d++) {
            const vector_double re = vector_double_all(waves->re[d * waves->step]);
            const vector_double im = vector_double_all(waves->im[d * waves->step]);
            const vector_double c = vector_double_load(waves->wave_re + d * waves->size + k);
            const vector_double s = vector_double_load(waves->wave_im + d * waves->size + k);
            sum_re += re * c - im * s;
            sum_im += re * s + im * c;
        }
        vector_double_store(to_re + k, sum_re);
        vector_double_store(to_im + k, sum_im);
    }
}

#define FFT_PASSES(outer)                                                                          \
    static void forward_##outer(const float *twiddle, struct fft_planes planes, ptrdiff_t stride)  \
    {                                                                                              \
        pass_forward(outer, twiddle, planes, stride);                                              \
    }                                                                                              \
    static void column_##outer(const float *twiddle, struct fft_planes image,                      \
                               const float *spectrum, int valid, float *to, ptrdiff_t step)        \
    {                                                                                              \
        pass_column(outer, twiddle, image, spectrum, valid, to, step);                             \
    }                                                                                              \
    static void row_##outer(const float *twiddle, const float *from, int valid, bool first,        \
                            float *maxima)                                                         \
    {                                                                                              \
        if (first)                                                                                 \
            pass_row(outer, twiddle, from, valid, true, maxima);                                   \
        else                                                                                       \
            pass_row(outer, twiddle, from, valid, false, maxima);                                  \
    }                                                                                              \
    static void product_##outer(const float *twiddle, struct fft_planes image,                     \
                                struct fft_planes spectrum, int valid, struct fft_planes to,       \
                                ptrdiff_t stride)                                                  \
    {                                                                                              \
        pass_product(outer, twiddle, image, spectrum, valid, to, stride);                          \
    }                                                                                              \
    static void finish_##outer(const float *twiddle, struct fft_planes from, int columns,          \
                               int valid, struct fft_planes to, ptrdiff_t stride)                  \
    {                                                                                              \
        pass_finish(outer, twiddle, from, columns, valid, to, stride);                             \
    }

FFT_PASSES(4)
FFT_PASSES(5)
FFT_PASSES(6)
FFT_PASSES(8)
FFT_PASSES(10)
FFT_PASSES(12)
FFT_PASSES(16)

#define FFT_ROW(outer)                                                                             \
    {                                                                                              \
        forward_##outer, column_##outer, row_##outer, product_##outer, finish_##outer              \
    }

const struct fft_isa FFT_ISA = {.lanes = VECTOR_LANES,
                                .passes = {FFT_ROW(4), FFT_ROW(5), FFT_ROW(6), FFT_ROW(8),
                                           FFT_ROW(10), FFT_ROW(12), FFT_ROW(16)},
                                .reduce = reduce,
                                .keep = keep,
                                .waves = waves_add,
                                .transpose = transpose};

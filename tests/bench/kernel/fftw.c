/*
 * FFTW, used well: overlap-save with two filters (or, for a single filter, two windows) in each
 * complex transform, plans measured, the window's size the fastest of several tried on this very
 * work.
 */
#include <complex.h>
#include <math.h>
#include <omp.h>
#include <stdlib.h>
#include <string.h>

#include <fftw3.h>

#include "tests/bench/kernel/bench.h"

struct fftw {
    const struct work *work;
    int threads;
    int before, after; /* pixels that filters reach */
    int size, valid;   /* edges of a window and of what is right in it */
    int pairs;
    fftwf_complex *spectra;
    fftwf_plan forward, backward;
};

static size_t points(const struct fftw *self)
{
    return (size_t)self->size * (size_t)self->size;
}

static fftwf_complex *plane_new(const struct fftw *self)
{
    fftwf_complex *plane = fftwf_alloc_complex(points(self));
    if (!plane)
        abort();
    return plane;
}

static int larger(int a, int b)
{
    return a > b ? a : b;
}

static int smaller(int a, int b)
{
    return a < b ? a : b;
}

/* Add a filter, times `unit`, where its product with a window's spectrum correlates. */
static void filter_add(const struct fftw *self, const struct bench_filter *filter,
                       float complex unit, fftwf_complex *plane)
{
    const int size = self->size;
    const float complex scale = unit / (float)points(self);
    for (int a = 0; a < filter->rows; a++)
        for (int b = 0; b < filter->columns; b++) {
            const int y = (size - (a - (filter->rows - 1) / 2 + self->before)) % size;
            const int x = (size - (b - (filter->columns - 1) / 2 + self->before)) % size;
            plane[y * size + x] += scale * filter->taps[a * filter->columns + b];
        }
}

static void spectra_fill(struct fftw *self)
{
    const struct work *work = self->work;
    fftwf_complex *plane = plane_new(self);
    self->spectra = fftwf_alloc_complex(points(self) * (size_t)self->pairs);
    if (!self->spectra)
        abort();
    for (int p = 0; p < self->pairs; p++) {
        memset(plane, 0, points(self) * sizeof *plane);
        filter_add(self, &work->filters[(ptrdiff_t)2 * p], 1, plane);
        if (work->count > 1)
            filter_add(self, &work->filters[smaller(2 * p + 1, work->count - 1)], I, plane);
        fftwf_execute_dft(self->forward, plane, self->spectra + (size_t)p * points(self));
    }
    fftwf_free(plane);
}

static void release(struct fftw *self)
{
    fftwf_free(self->spectra);
    fftwf_destroy_plan(self->forward);
    fftwf_destroy_plan(self->backward);
}

static void make(struct fftw *self, int size)
{
    self->size = size;
    self->valid = size - self->before - self->after;
    fftwf_complex *one = plane_new(self), *other = plane_new(self);
    self->forward = fftwf_plan_dft_2d(size, size, one, other, FFTW_FORWARD, FFTW_MEASURE);
    self->backward = fftwf_plan_dft_2d(size, size, one, one, FFTW_BACKWARD, FFTW_MEASURE);
    fftwf_free(one);
    fftwf_free(other);
    spectra_fill(self);
}

/* A window's pixels, its grid's cell `index`, as real or imaginary parts. */
static void window_load(const struct fftw *self, int index, int part, fftwf_complex *plane)
{
    const struct work *work = self->work;
    const int across = (work->edge + self->valid - 1) / self->valid;
    const int y0 = index / across * self->valid, x0 = index % across * self->valid;
    float *to = (float *)plane + part;
    for (int y = 0; y < self->size; y++) {
        const int row = y0 + y - self->before;
        const bool inside = row < work->edge + work->pad;
        for (int x = 0; x < self->size; x++) {
            const int column = x0 + x - self->before;
            to[2 * ((ptrdiff_t)y * self->size + x)] =
                inside && column < work->edge + work->pad
                    ? work->pixels[row * work->stride + column]
                    : 0;
        }
    }
}

static void multiply(size_t count, const fftwf_complex *restrict a, const fftwf_complex *restrict b,
                     fftwf_complex *restrict product)
{
    for (size_t k = 0; k < count; k++)
        product[k] = a[k] * b[k];
}

/* Keep one part of the responses, or with `both` the larger of the two. */
static void window_keep(const struct fftw *self, int index, int part, bool both, bool first,
                        const fftwf_complex *plane, float *result)
{
    const struct work *work = self->work;
    const int across = (work->edge + self->valid - 1) / self->valid;
    const int y0 = index / across * self->valid, x0 = index % across * self->valid;
    const int rows = smaller(self->valid, work->edge - y0);
    const int columns = smaller(self->valid, work->edge - x0);
    for (int y = 0; y < rows; y++) {
        const float *from = (const float *)(plane + (ptrdiff_t)y * self->size);
        float *to = result + (ptrdiff_t)(y0 + y) * work->edge + x0;
        if (both && first)
            for (ptrdiff_t x = 0; x < columns; x++)
                to[x] = from[2 * x] > from[2 * x + 1] ? from[2 * x] : from[2 * x + 1];
        else if (both)
            for (ptrdiff_t x = 0; x < columns; x++) {
                const float most = from[2 * x] > from[2 * x + 1] ? from[2 * x] : from[2 * x + 1];
                to[x] = most > to[x] ? most : to[x];
            }
        else
            for (ptrdiff_t x = 0; x < columns; x++)
                to[x] = from[2 * x + part];
    }
}

/* One window, or for a single filter two. */
static void windows_run(const struct fftw *self, int index, int windows, fftwf_complex *planes,
                        float *result)
{
    const bool single = self->work->count == 1;
    fftwf_complex *image = planes, *spectrum = planes + points(self);
    memset(image, 0, points(self) * sizeof *image);
    window_load(self, index, 0, image);
    if (single && index + 1 < windows)
        window_load(self, index + 1, 1, image);
    fftwf_execute_dft(self->forward, image, spectrum);
    for (int p = 0; p < self->pairs; p++) {
        multiply(points(self), spectrum, self->spectra + (size_t)p * points(self), image);
        fftwf_execute_dft(self->backward, image, image);
        window_keep(self, index, 0, !single, p == 0, image, result);
    }
    if (single && index + 1 < windows)
        window_keep(self, index + 1, 1, false, true, image, result);
}

static void run(void *opaque, float *result)
{
    const struct fftw *self = opaque;
    const int across = (self->work->edge + self->valid - 1) / self->valid;
    const int windows = across * across, step = self->work->count == 1 ? 2 : 1;
#pragma omp parallel num_threads(self->threads)
    {
        fftwf_complex *planes = fftwf_alloc_complex(2 * points(self));
        if (!planes)
            abort();
#pragma omp for schedule(dynamic)
        for (int index = 0; index < windows; index += step)
            windows_run(self, index, windows, planes, result);
        fftwf_free(planes);
    }
}

/* The better of two runs. */
static double tried(struct fftw *self, float *result)
{
    double best = HUGE_VAL;
    for (int r = 0; r < 2; r++) {
        const double start = clock_now(self->threads);
        run(self, result);
        best = fmin(best, clock_now(self->threads) - start);
    }
    return best;
}

static void tune(struct fftw *self)
{
    static const int sizes[] = {32, 48, 64, 80, 96, 128, 160, 256};
    float *result = malloc((size_t)self->work->edge * (size_t)self->work->edge * sizeof *result);
    double best = HUGE_VAL;
    int chosen = 0;
    if (!result)
        abort();
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        if (sizes[i] < 3 * (self->before + self->after) / 2)
            continue;
        make(self, sizes[i]);
        const double seconds = tried(self, result);
        if (seconds < best) {
            best = seconds;
            chosen = sizes[i];
        }
        release(self);
    }
    free(result);
    make(self, chosen);
}

static void *begin(const struct work *work, const struct setting *setting)
{
    struct fftw *self = calloc(1, sizeof *self);
    if (!self)
        abort();
    self->work = work;
    self->threads = setting->threads;
    for (int i = 0; i < work->count; i++) {
        const int edge = larger(work->filters[i].rows, work->filters[i].columns);
        self->before = larger(self->before, (edge - 1) / 2);
        self->after = larger(self->after, edge - 1 - (edge - 1) / 2);
    }
    self->pairs = (work->count + 1) / 2;
    tune(self);
    return self;
}

static void end(void *opaque)
{
    struct fftw *self = opaque;
    release(self);
    free(self);
}

const struct method method_fftw = {"fftw", begin, run, end, false};

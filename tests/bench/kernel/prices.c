#include "tests/bench/kernel/prices.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "kernel/matched/correlators/fft.h"
#include "kernel/vector/isa.h"
#include "tests/bench/kernel/works.h"

/* ---- the direct algorithm ---- */

/* A bank of random filters on one tile. */
struct direct {
    struct bank *bank;
    struct correlator *correlator;
    struct demand demand;
    float *memory;
    void *workspace;
    struct tile tile;
};

static const struct algorithm *direct_algorithm_found(void)
{
    return algorithm_find("direct");
}

static void direct_begin(struct direct *direct, int count, int side, int edge)
{
    const struct algorithm *algorithm = direct_algorithm_found();
    const ptrdiff_t stride = edge + side + CORRELATE_SLACK;
    direct->bank = bank_of_random(count, side);
    direct->demand = (struct demand){edge, edge, speeds_current()};
    direct->correlator = algorithm->new_correlator(direct->bank, &direct->demand);
    direct->memory = calloc((size_t)stride * (size_t)(2 * edge + side), sizeof *direct->memory);
    if (!direct->correlator || !direct->memory)
        abort();
    direct->workspace =
        aligned_alloc(64, algorithm->workspace_bytes(direct->correlator) / 64 * 64 + 64);
    if (!direct->workspace)
        abort();
    direct->tile = (struct tile){.origin = direct->memory + side * stride + side,
                                 .stride = stride,
                                 .rows = edge,
                                 .columns = edge,
                                 .result = direct->memory + stride * (edge + side),
                                 .result_stride = edge};
}

static void direct_pass(void *context)
{
    const struct direct *direct = context;
    direct_algorithm_found()->run(direct->correlator, &direct->tile, direct->workspace);
}

static void direct_end(struct direct *direct)
{
    free(direct->workspace);
    free(direct->memory);
    direct_algorithm_found()->free_correlator(&direct->correlator);
    bank_free(&direct->bank);
}

/* In the model's unit. */
static double direct_estimate(const struct direct *direct)
{
    double estimate;
    if (!direct_algorithm_found()->estimate(direct->bank, &direct->demand, 1, &estimate))
        abort();
    return estimate;
}

/* ---- the unit: a multiply-add when six filters go together ---- */

struct unit {
    struct direct direct;
    double estimate;
    int rounds;
};

static void unit_begin(struct unit *unit, int rounds)
{
    unit->rounds = rounds;
    direct_begin(&unit->direct, 6, 15, 64);
    unit->estimate = direct_estimate(&unit->direct);
}

static double unit_seconds(struct unit *unit)
{
    const struct turn turn = {direct_pass, &unit->direct, 1};
    return turn_take(&turn) / unit->estimate;
}

/* A pass in units: both measured in turns, because the machine's clock drifts; the median. */
static double measure(struct unit *unit, void (*pass)(void *context), void *context)
{
    struct samples samples = {0};
    const struct turn turn = {pass, context, 1};
    for (int i = 0; i < unit->rounds; i++) {
        const double seconds = turn_take(&turn);
        samples_add(&samples, seconds / unit_seconds(unit));
    }
    return samples_median(&samples);
}

static double direct_misjudged(struct unit *unit, int count, int side, int edge)
{
    struct direct direct;
    direct_begin(&direct, count, side, edge);
    const double misjudged = measure(unit, direct_pass, &direct) / direct_estimate(&direct);
    direct_end(&direct);
    return misjudged;
}

static void direct_print(struct unit *unit)
{
    static const int counts[] = {1, 2, 3, 4, 5, 6, 8, 16}, sides[] = {2, 3, 5, 7, 11, 15, 21, 31};
    static const int edges[] = {16, 32, 64, 256};
    enum { COUNTS = sizeof counts / sizeof *counts, SIDES = sizeof sides / sizeof *sides };
    enum { EDGES = sizeof edges / sizeof *edges };
    for (int e = 0; e < EDGES; e++) {
        printf("\ndirect, tile %d: measured / estimated\n  taps a side ", edges[e]);
        for (int s = 0; s < SIDES; s++)
            printf("%6d", sides[s]);
        for (int c = 0; c < COUNTS; c++) {
            printf("\n  %2d filter%s  ", counts[c], counts[c] == 1 ? " " : "s");
            for (int s = 0; s < SIDES; s++)
                printf("%6.2f", direct_misjudged(unit, counts[c], sides[s], edges[e]));
        }
        printf("\n");
    }
}

/* ---- transforms ---- */

/* One size at work on zeros, as kernel/matched/correlators/fft.c lays them out. */
struct transforms {
    const struct fft_isa *isa;
    const struct fft_passes *passes;
    int size, valid;
    ptrdiff_t stride, step;
    float *memory;
    struct fft_planes a, b, c, spectrum;
    float *twiddle, *spectra, *batch, *maxima, *result;
};

static float *cut(float **memory, size_t floats)
{
    float *part = *memory;
    *memory += (floats + 15) / 16 * 16;
    return part;
}

static struct fft_planes cut_planes(float **memory, size_t floats)
{
    float *re = cut(memory, floats);
    return (struct fft_planes){re, cut(memory, floats)};
}

static const struct fft_isa *const isas[ISA_COUNT] = {
    [ISA_BASELINE] = &fft_isa_generic,
#ifdef __x86_64__
    [ISA_AVX2] = &fft_isa_avx2,
    [ISA_AVX512] = &fft_isa_avx512,
#endif
};

static void transforms_begin(struct transforms *transforms, int kind)
{
    const int size = FFT_INNER * fft_outers[kind];
    const int registers = (size + FFT_LANES_MOST - 1) / FFT_LANES_MOST;
    const struct fft_isa *isa = isas[isa_current()];
    *transforms = (struct transforms){.isa = isa,
                                      .passes = &isa->passes[kind],
                                      .size = size,
                                      .valid = size * 3 / 4,
                                      .stride = FFT_LANES_MOST * (ptrdiff_t)(registers | 1),
                                      .step = (ptrdiff_t)2 * isa->lanes * (size + 1)};
    const size_t plane = (size_t)size * (size_t)transforms->stride;
    const size_t batch = (size_t)size * (size_t)transforms->step;
    const size_t floats = 9 * plane + 2 * batch + (size_t)8 * FFT_SIZE_MOST * FFT_LANES_MOST;
    float *memory = aligned_alloc(64, (floats * sizeof *memory + 63) / 64 * 64);
    if (!memory)
        abort();
    memset(memory, 0, floats * sizeof *memory);
    transforms->memory = memory;
    transforms->twiddle = cut(&memory, (size_t)2 * FFT_SIZE_MOST);
    transforms->maxima = cut(&memory, (size_t)2 * FFT_SIZE_MOST * FFT_LANES_MOST);
    transforms->result = cut(&memory, plane);
    transforms->a = cut_planes(&memory, plane);
    transforms->b = cut_planes(&memory, plane);
    transforms->c = cut_planes(&memory, plane);
    transforms->spectrum = cut_planes(&memory, plane);
    transforms->spectra = cut(&memory, batch);
    transforms->batch = cut(&memory, batch);
}

static void columns_pass(void *context)
{
    const struct transforms *t = context;
    const ptrdiff_t point = (ptrdiff_t)2 * t->isa->lanes;
    for (int kx = 0; kx < t->size; kx++) {
        const struct fft_planes image = {t->b.re + kx * t->stride, t->b.im + kx * t->stride};
        t->passes->column(t->twiddle, image, t->spectra + point * t->size * kx, t->valid,
                          t->batch + point * kx, t->step);
    }
}

static void rows_pass(void *context)
{
    const struct transforms *t = context;
    for (int y = 0; y < t->valid; y++) {
        t->passes->row(t->twiddle, t->batch + y * t->step, t->valid, true, t->maxima);
        t->isa->reduce(t->maxima, t->valid, false, t->result + y * t->stride);
    }
}

static void plain_pass(void *context)
{
    const struct transforms *t = context;
    t->passes->product(t->twiddle, t->b, t->spectrum, t->valid, t->a, t->stride);
    t->isa->transpose(t->a.re, t->valid, t->size, t->c.re, t->stride);
    t->isa->transpose(t->a.im, t->valid, t->size, t->c.im, t->stride);
    t->passes->finish(t->twiddle, t->c, t->valid, t->valid, t->a, t->stride);
    for (int y = 0; y < t->valid; y++) {
        t->isa->keep(t->a.re + y * t->stride, t->valid, false, t->result + y * t->stride);
        t->isa->keep(t->a.im + y * t->stride, t->valid, true, t->result + y * t->stride);
    }
}

static void forward_pass(void *context)
{
    const struct transforms *t = context;
    t->passes->forward(t->twiddle, t->a, t->stride);
    t->isa->transpose(t->a.re, t->size, t->size, t->b.re, t->stride);
    t->isa->transpose(t->a.im, t->size, t->size, t->b.im, t->stride);
    t->passes->forward(t->twiddle, t->b, t->stride);
}

static void transforms_print(struct unit *unit)
{
    printf("\none transform in multiply-adds; forward: a window's, in plain ones a row\n"
           "  size  column    row  plain  forward\n");
    for (int kind = 0; kind < FFT_SIZES; kind++) {
        struct transforms t;
        transforms_begin(&t, kind);
        const int lanes = t.isa->lanes, vectors = (t.valid + lanes - 1) / lanes;
        const double column = measure(unit, columns_pass, &t) / (lanes * t.size);
        const double row = measure(unit, rows_pass, &t) / (lanes * t.valid);
        const double plain = measure(unit, plain_pass, &t) / (t.size + lanes * vectors);
        const double forward = measure(unit, forward_pass, &t) / t.size;
        printf("  %4d  %6.0f %6.0f %6.0f %8.2f\n", t.size, column, row, plain, forward / plain);
        free(t.memory);
    }
}

void prices_print(int rounds)
{
    struct unit unit;
    unit_begin(&unit, rounds);
    printf("\nprices: one multiply-add of six filters at a time takes %.4f ns\n",
           1e9 * unit_seconds(&unit));
    transforms_print(&unit);
    direct_print(&unit);
    direct_end(&unit.direct);
}

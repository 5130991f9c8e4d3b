#include "kernel/matched/correlators/fft.h"

#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "kernel/matched/correlators/correlate.h"
#include "kernel/matched/correlators/fft_plan.h"
#include "kernel/vector/isa.h"

/* ---- fft spectrum -------------------------------------------------------------------------- */

/*
 * Spectra of filters for correlation by overlap-save, in double precision. Private to "fft".
 */

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

static const double TURN = 6.283185307179586476925286766559;

static int extent_rows(const struct spectrum *spectrum)
{
    return spectrum->reach.up + spectrum->reach.down + 1;
}

/* Wave d has exp(2 pi i d k / size) at k. */
static void waves_fill(struct spectrum *spectrum)
{
    const int size = spectrum->size;
    for (int k = 0; k < size; k++) {
        const double angle = TURN * (double)k / size;
        spectrum->wave_re[size + k] = cos(angle);
        spectrum->wave_im[size + k] = sin(angle);
    }
    for (int d = 0; d < size; d++)
        for (int k = 0; d != 1 && k < size; k++) {
            spectrum->wave_re[d * size + k] = spectrum->wave_re[size + d * k % size];
            spectrum->wave_im[d * size + k] = spectrum->wave_im[size + d * k % size];
        }
}

/* For windows of that size whose pixel (up, left) is the anchor of the first response. False: out
 * of memory; release it in either case. */
static bool spectrum_init(struct spectrum *spectrum, const struct fft_isa *isa, int size,
                          struct reach reach)
{
    *spectrum = (struct spectrum){.isa = isa, .size = size, .reach = reach};
    const size_t plane = (size_t)size * (size_t)size;
    spectrum->memory = aligned_alloc(64, 6 * plane * sizeof *spectrum->memory);
    if (spectrum->memory == NULL)
        return false;
    spectrum->re = spectrum->memory;
    spectrum->im = spectrum->re + plane;
    spectrum->rows_re = spectrum->im + plane;
    spectrum->rows_im = spectrum->rows_re + plane;
    spectrum->wave_re = spectrum->rows_im + plane;
    spectrum->wave_im = spectrum->wave_re + plane;
    waves_fill(spectrum);
    return true;
}

/* Transforms of the rows of a filter; (re, im) is what its taps count as. */
static void add_rows(struct spectrum *spectrum, const struct filter *filter, double re, double im)
{
    const ptrdiff_t size = spectrum->size;
    const int top = spectrum->reach.up - filter->anchor_row;
    const int start = spectrum->reach.left - filter->anchor_column;
    double row_re[FFT_SIZE_MOST], row_im[FFT_SIZE_MOST];
    const struct fft_waves waves = {.count = filter->columns,
                                    .size = spectrum->size,
                                    .re = row_re,
                                    .im = row_im,
                                    .step = 1,
                                    .wave_re = spectrum->wave_re + start * size,
                                    .wave_im = spectrum->wave_im + start * size};
    for (int a = 0; a < filter->rows; a++) {
        for (int b = 0; b < filter->columns; b++) {
            const double tap = filter->taps[a * filter->columns + b];
            row_re[b] = re * tap;
            row_im[b] = im * tap;
        }
        spectrum->isa->waves(&waves, spectrum->rows_re + (top + a) * size,
                             spectrum->rows_im + (top + a) * size);
    }
}

/* The spectrum whose product with a window's gives the response of `real` as the real part and
 * that of `imaginary` (NULL: nothing) as the imaginary one:
 *   H(kx, ky) = 1 / size^2 sum over d, e of (r[d][e] + i m[d][e]) exp(2 pi i (kx e + ky d) / size)
 * where d and e count from the window's corner. */
static void spectrum_make(struct spectrum *spectrum, const struct filter *real,
                          const struct filter *imaginary)
{
    const int size = spectrum->size;
    const size_t plane = (size_t)size * (size_t)size;
    const double scale = 1.0 / (double)plane;
    memset(spectrum->memory, 0, 4 * plane * sizeof *spectrum->memory);
    add_rows(spectrum, real, scale, 0);
    if (imaginary != NULL)
        add_rows(spectrum, imaginary, 0, scale);
    for (int kx = 0; kx < size; kx++) {
        const struct fft_waves waves = {.count = extent_rows(spectrum),
                                        .size = size,
                                        .re = spectrum->rows_re + kx,
                                        .im = spectrum->rows_im + kx,
                                        .step = size,
                                        .wave_re = spectrum->wave_re,
                                        .wave_im = spectrum->wave_im};
        spectrum->isa->waves(&waves, spectrum->re + (ptrdiff_t)kx * size,
                             spectrum->im + (ptrdiff_t)kx * size);
    }
}

static void spectrum_release(struct spectrum *spectrum)
{
    free(spectrum->memory);
    *spectrum = (struct spectrum){0};
}

/* ---- fft ----------------------------------------------------------------------------------- */

/*
 * The algorithm "fft": overlap-save with small transforms of our own, batched over pairs of real
 * filters. The windows' grid starts at the tile's origin and each window reads only itself, so that
 * a pixel depends on its place in the tile and on nothing else.
 *
 * A. V. Oppenheim, R. W. Schafer, Discrete-Time Signal Processing, section 8.7.3 (overlap-save);
 * two real responses in one complex transform: conj(H1) + i conj(H2) times X gives R1 + i R2.
 */

struct section {
    struct fft_section cut;
    ptrdiff_t stride; /* floats a row of a plane */
    float *twiddle;   /* owned, aligned to 64; the spectra follow it */
    float *spectra;
};

struct fft_correlator {
    struct correlator base;
    const struct fft_isa *isa;
    int count;
    struct section *sections; /* owned */
};

static int smaller(int a, int b)
{
    return a < b ? a : b;
}

static size_t larger_size(size_t a, size_t b)
{
    return a > b ? a : b;
}

/* An odd multiple of a cache line: columns of a plane then spread over all sets of the cache. */
static ptrdiff_t plane_stride(int size)
{
    const ptrdiff_t registers = (size + FFT_LANES_MOST - 1) / FFT_LANES_MOST;
    return FFT_LANES_MOST * (registers | 1);
}

static size_t plane_floats(const struct section *section)
{
    return (size_t)section->cut.size * (size_t)section->stride;
}

static struct fft_planes planes_of(const struct section *section, float *memory, int index)
{
    float *re = memory + 2 * (size_t)index * plane_floats(section);
    return (struct fft_planes){re, re + plane_floats(section)};
}

/* Floats of one batch's spectra: [kx][ky][re, im][lane]. */
static size_t batch_floats(const struct section *section, int lanes)
{
    return 2 * (size_t)section->cut.size * (size_t)section->cut.size * (size_t)lanes;
}

static int batch_count(const struct section *section, int lanes)
{
    return (section->cut.pairs + lanes - 1) / lanes;
}

/* One point more than a row has: rows of equal length modulo the cache's size would collide. */
static ptrdiff_t batch_step(const struct section *section, int lanes)
{
    return (ptrdiff_t)2 * lanes * (section->cut.size + 1);
}

/* ---- making ---- */

static void twiddle_fill(float *twiddle, int outer)
{
    const double turn = 6.283185307179586476925286766559;
    const int size = FFT_INNER * outer;
    for (int n = 0; n < FFT_INNER; n++)
        for (int k = 0; k < outer; k++) {
            twiddle[n * outer + k] = (float)cos(turn * n * k / size);
            twiddle[size + n * outer + k] = (float)sin(turn * n * k / size);
        }
}

static void batch_pack(const struct section *section, int lanes, int pair,
                       const struct spectrum *spectrum)
{
    const int points = section->cut.size * section->cut.size;
    float *to = section->spectra + (size_t)(pair / lanes) * batch_floats(section, lanes);
    to += pair % lanes;
    for (int k = 0; k < points; k++, to += (ptrdiff_t)2 * lanes) {
        to[0] = (float)spectrum->re[k];
        to[lanes] = (float)spectrum->im[k];
    }
}

static void planes_pack(const struct section *section, int pair, const struct spectrum *spectrum)
{
    const int size = section->cut.size;
    const struct fft_planes to = planes_of(section, section->spectra, pair);
    for (int kx = 0; kx < size; kx++)
        for (int ky = 0; ky < size; ky++) {
            to.re[kx * section->stride + ky] = (float)spectrum->re[kx * size + ky];
            to.im[kx * section->stride + ky] = (float)spectrum->im[kx * size + ky];
        }
}

/* Lanes and pairs without a filter of their own repeat one: the maximum does not mind. */
static void spectra_fill(struct section *section, const struct fft_plan *plan,
                         const struct bank *bank, int lanes, struct spectrum *spectrum)
{
    const struct fft_section *cut = &section->cut;
    const int *order = plan->order + cut->first;
    const int slots = cut->batched ? lanes * batch_count(section, lanes) : cut->pairs;
    for (int slot = 0; slot < slots; slot++) {
        if (slot < cut->pairs) {
            const struct filter *real = &bank->filters[order[(ptrdiff_t)2 * slot]];
            const int second = smaller(2 * slot + 1, cut->count - 1);
            spectrum_make(spectrum, real, cut->count == 1 ? NULL : &bank->filters[order[second]]);
        }
        if (cut->batched)
            batch_pack(section, lanes, slot, spectrum);
        else
            planes_pack(section, slot, spectrum);
    }
}

static bool section_init(struct section *section, const struct fft_section *cut,
                         const struct fft_plan *plan, const struct bank *bank,
                         const struct fft_isa *isa)
{
    const int lanes = isa->lanes;
    *section = (struct section){.cut = *cut, .stride = plane_stride(cut->size)};
    const size_t spectra = cut->batched
                               ? (size_t)batch_count(section, lanes) * batch_floats(section, lanes)
                               : 2 * (size_t)cut->pairs * plane_floats(section);
    const size_t twiddles = (size_t)2 * FFT_SIZE_MOST;
    struct spectrum spectrum;
    bool made = spectrum_init(&spectrum, isa, cut->size, cut->reach);
    section->twiddle = aligned_alloc(64, (twiddles + spectra) * sizeof(float));
    made = made && section->twiddle != NULL;
    if (made) {
        memset(section->twiddle, 0, (twiddles + spectra) * sizeof(float));
        section->spectra = section->twiddle + twiddles;
        twiddle_fill(section->twiddle, fft_outers[cut->kind]);
        spectra_fill(section, plan, bank, lanes, &spectrum);
    }
    spectrum_release(&spectrum);
    return made;
}

static void fft_free(struct correlator **correlator)
{
    struct fft_correlator *self = (struct fft_correlator *)*correlator;
    if (self == NULL)
        return;
    for (int s = 0; self->sections != NULL && s < self->count; s++)
        free(self->sections[s].twiddle);
    free(self->sections);
    free(self);
    *correlator = NULL;
}

static bool sections_init(struct fft_correlator *self, const struct fft_plan *plan,
                          const struct bank *bank)
{
    self->count = plan->count;
    self->sections = calloc((size_t)plan->count, sizeof *self->sections);
    bool made = self->sections != NULL;
    for (int s = 0; made && s < plan->count; s++)
        made = section_init(&self->sections[s], &plan->sections[s], plan, bank, self->isa);
    return made;
}

static const struct fft_isa *const passes[ISA_COUNT] = {
    [ISA_BASELINE] = &fft_isa_generic,
#ifdef __x86_64__
    [ISA_AVX2] = &fft_isa_avx2,
    [ISA_AVX512] = &fft_isa_avx512,
#endif
};

static struct correlator *fft_new(const struct bank *bank, const struct demand *demand)
{
    struct fft_plan plan;
    struct fft_correlator *self = calloc(1, sizeof *self);
    if (!self)
        return NULL;
    struct correlator *correlator = &self->base;
    correlator->algorithm = &fft_algorithm;
    self->isa = passes[isa_current()];
    if (!fft_plan_init(&plan, bank, demand) || plan.count == 0 || !sections_init(self, &plan, bank))
        fft_free(&correlator);
    fft_plan_release(&plan);
    return correlator;
}

static bool fft_estimate(const struct bank *bank, const struct demand *demands, int count,
                         double *efforts)
{
    bool done = true;
    for (int i = 0; done && i < count; i++) {
        struct fft_plan plan;
        done = fft_plan_init(&plan, bank, &demands[i]);
        efforts[i] = plan.effort;
        fft_plan_release(&plan);
    }
    return done;
}

/* ---- running ---- */

/* What windows go through; a thread's own. Three pairs of planes, or one batch and its maxima. */
struct workspace {
    struct fft_planes a, b, c;
    float *batch, *maxima;
};

static size_t maxima_floats(const struct section *section, int lanes)
{
    const size_t row = (size_t)lanes * (size_t)(section->cut.valid_columns + FFT_LANES_MOST);
    return batch_count(section, lanes) == 1 ? row : row * (size_t)section->cut.valid_rows;
}

static size_t section_floats(const struct section *section, int lanes)
{
    const size_t planes = 6 * plane_floats(section);
    if (!section->cut.batched)
        return planes;
    return planes + (size_t)section->cut.valid_rows * (size_t)batch_step(section, lanes) +
           maxima_floats(section, lanes);
}

static struct workspace workspace_cut(const struct section *section, int lanes, float *memory)
{
    struct workspace space = {.a = planes_of(section, memory, 0),
                              .b = planes_of(section, memory, 1),
                              .c = planes_of(section, memory, 2)};
    if (section->cut.batched) {
        space.batch = memory + 6 * plane_floats(section);
        space.maxima =
            space.batch + (size_t)section->cut.valid_rows * (size_t)batch_step(section, lanes);
    }
    return space;
}

static size_t fft_workspace(const struct correlator *correlator)
{
    const struct fft_correlator *self = (const struct fft_correlator *)correlator;
    size_t most = 0;
    for (int s = 0; s < self->count; s++)
        most =
            larger_size(most, sizeof(float) * section_floats(&self->sections[s], self->isa->lanes));
    return (most + 63) / 64 * 64;
}

/* One section at work on one tile. */
struct pass {
    const struct fft_isa *isa;
    const struct fft_passes *passes;
    const struct section *section;
    const struct tile *tile;
    struct workspace space;
    bool accumulate;
};

/* A window's valid part within the tile. */
struct window {
    int y, x, rows, columns;
};

static struct window window_at(const struct pass *pass, int index)
{
    const struct fft_section *cut = &pass->section->cut;
    const int across = (pass->tile->columns + cut->valid_columns - 1) / cut->valid_columns;
    struct window window = {.y = index / across * cut->valid_rows,
                            .x = index % across * cut->valid_columns};
    window.rows = smaller(cut->valid_rows, pass->tile->rows - window.y);
    window.columns = smaller(cut->valid_columns, pass->tile->columns - window.x);
    return window;
}

static int window_count(const struct pass *pass)
{
    const struct fft_section *cut = &pass->section->cut;
    const int down = (pass->tile->rows + cut->valid_rows - 1) / cut->valid_rows;
    const int across = (pass->tile->columns + cut->valid_columns - 1) / cut->valid_columns;
    return down * across;
}

/* The window's pixels; zeros where no response of the tile looks. */
static void window_load(const struct pass *pass, struct window window, float *plane)
{
    const struct fft_section *cut = &pass->section->cut;
    const struct reach reach = cut->reach;
    const int rows = window.rows + reach.up + reach.down;
    const int columns_read = window.columns + reach.left + reach.right;
    const size_t columns = (size_t)columns_read;
    const float *from =
        pass->tile->origin + (window.y - reach.up) * pass->tile->stride + (window.x - reach.left);
    const size_t stride = (size_t)pass->section->stride;
    for (int y = 0; y < rows; y++) {
        memcpy(plane + (size_t)y * stride, from + y * pass->tile->stride, columns * sizeof *from);
        memset(plane + (size_t)y * stride + columns, 0, (stride - columns) * sizeof *from);
    }
    memset(plane + (size_t)rows * stride, 0, (size_t)(cut->size - rows) * stride * sizeof *from);
}

/* The spectrum of what is loaded in planes a, [kx][ky], into planes b. */
static void spectrum_forward(const struct pass *pass)
{
    const struct section *section = pass->section;
    const struct workspace *space = &pass->space;
    const int size = section->cut.size;
    pass->passes->forward(section->twiddle, space->a, section->stride);
    pass->isa->transpose(space->a.re, size, size, space->b.re, section->stride);
    pass->isa->transpose(space->a.im, size, size, space->b.im, section->stride);
    pass->passes->forward(section->twiddle, space->b, section->stride);
}

static void forward_one(const struct pass *pass, struct window window)
{
    window_load(pass, window, pass->space.a.re);
    memset(pass->space.a.im, 0, plane_floats(pass->section) * sizeof(float));
    spectrum_forward(pass);
}

/* Responses of one pair of filters to the spectrum in planes b, into planes a, [y][x]. */
static void respond(const struct pass *pass, int pair, struct window window)
{
    const struct section *section = pass->section;
    const struct workspace *space = &pass->space;
    const int valid = section->cut.valid_columns, size = section->cut.size;
    pass->passes->product(section->twiddle, space->b, planes_of(section, section->spectra, pair),
                          valid, space->a, section->stride);
    pass->isa->transpose(space->a.re, valid, size, space->c.re, section->stride);
    pass->isa->transpose(space->a.im, valid, size, space->c.im, section->stride);
    pass->passes->finish(section->twiddle, space->c, window.columns, window.rows, space->a,
                         section->stride);
}

static float *result_at(const struct pass *pass, struct window window, int y)
{
    return pass->tile->result + (window.y + y) * pass->tile->result_stride + window.x;
}

static void keep_plane(const struct pass *pass, const float *plane, struct window window,
                       bool accumulate)
{
    for (int y = 0; y < window.rows; y++)
        pass->isa->keep(plane + y * pass->section->stride, window.columns, accumulate,
                        result_at(pass, window, y));
}

/* One filter: two windows make one complex transform. */
static void run_single(const struct pass *pass)
{
    const int windows = window_count(pass);
    for (int w = 0; w < windows; w += 2) {
        const struct window first = window_at(pass, w), second = window_at(pass, w + 1);
        window_load(pass, first, pass->space.a.re);
        if (w + 1 < windows)
            window_load(pass, second, pass->space.a.im);
        else
            memset(pass->space.a.im, 0, plane_floats(pass->section) * sizeof(float));
        spectrum_forward(pass);
        /* the whole valid part: the two windows may be cut differently */
        const struct fft_section *cut = &pass->section->cut;
        respond(pass, 0, (struct window){0, 0, cut->valid_rows, cut->valid_columns});
        keep_plane(pass, pass->space.a.re, first, pass->accumulate);
        if (w + 1 < windows)
            keep_plane(pass, pass->space.a.im, second, pass->accumulate);
    }
}

/* A few filters: in pairs over each window, lanes over columns. */
static void run_few(const struct pass *pass)
{
    const int windows = window_count(pass);
    for (int w = 0; w < windows; w++) {
        const struct window window = window_at(pass, w);
        forward_one(pass, window);
        for (int pair = 0; pair < pass->section->cut.pairs; pair++) {
            respond(pass, pair, window);
            keep_plane(pass, pass->space.a.re, window, pass->accumulate || pair > 0);
            keep_plane(pass, pass->space.a.im, window, true);
        }
    }
}

static void batch_columns(const struct pass *pass, int batch, int rows)
{
    const struct section *section = pass->section;
    const int lanes = pass->isa->lanes, size = section->cut.size;
    const ptrdiff_t step = batch_step(section, lanes);
    const float *spectra = section->spectra + (size_t)batch * batch_floats(section, lanes);
    for (int kx = 0; kx < size; kx++) {
        const ptrdiff_t column = kx * section->stride;
        const struct fft_planes image = {pass->space.b.re + column, pass->space.b.im + column};
        pass->passes->column(section->twiddle, image, spectra + (ptrdiff_t)2 * lanes * size * kx,
                             rows, pass->space.batch + (ptrdiff_t)2 * lanes * kx, step);
    }
}

/* Rows of one batch; after the last batch their maxima are complete. */
static void batch_rows(const struct pass *pass, int batch, struct window window)
{
    const struct section *section = pass->section;
    const int lanes = pass->isa->lanes, batches = batch_count(section, lanes);
    const ptrdiff_t step = batch_step(section, lanes);
    const ptrdiff_t kept = batches == 1 ? 0 : (ptrdiff_t)lanes * section->cut.valid_columns;
    for (int y = 0; y < window.rows; y++) {
        float *maxima = pass->space.maxima + y * kept;
        pass->passes->row(section->twiddle, pass->space.batch + y * step, window.columns,
                          batch == 0, maxima);
        if (batch == batches - 1)
            pass->isa->reduce(maxima, window.columns, pass->accumulate, result_at(pass, window, y));
    }
}

/* Many filters: in batches of pairs, lanes over pairs. */
static void run_batched(const struct pass *pass)
{
    const int windows = window_count(pass);
    const int batches = batch_count(pass->section, pass->isa->lanes);
    for (int w = 0; w < windows; w++) {
        const struct window window = window_at(pass, w);
        forward_one(pass, window);
        for (int batch = 0; batch < batches; batch++) {
            batch_columns(pass, batch, window.rows);
            batch_rows(pass, batch, window);
        }
    }
}

static void columns_clear(const struct section *section, struct fft_planes planes, int first)
{
    const size_t bytes = (size_t)(section->stride - first) * sizeof(float);
    for (int y = 0; y < section->cut.size; y++) {
        memset(planes.re + y * section->stride + first, 0, bytes);
        memset(planes.im + y * section->stride + first, 0, bytes);
    }
}

/* Passes go over whole registers of columns, also where the last ones are never written. No result
 * depends on those, but on denormal numbers, such as integers look like, arithmetic is slow. */
static void margins_clear(const struct pass *pass)
{
    const struct fft_section *cut = &pass->section->cut;
    columns_clear(pass->section, pass->space.b, cut->size);
    if (cut->batched)
        memset(pass->space.maxima, 0,
               maxima_floats(pass->section, pass->isa->lanes) * sizeof(float));
    else
        columns_clear(pass->section, pass->space.c, cut->valid_columns);
}

static void fft_run(const struct correlator *correlator, const struct tile *tile, void *workspace)
{
    const struct fft_correlator *self = (const struct fft_correlator *)correlator;
    for (int s = 0; s < self->count; s++) {
        const struct section *section = &self->sections[s];
        const struct pass pass = {.isa = self->isa,
                                  .passes = &self->isa->passes[section->cut.kind],
                                  .section = section,
                                  .tile = tile,
                                  .space = workspace_cut(section, self->isa->lanes, workspace),
                                  .accumulate = tile->accumulate || s > 0};
        margins_clear(&pass);
        if (section->cut.count == 1)
            run_single(&pass);
        else if (section->cut.batched)
            run_batched(&pass);
        else
            run_few(&pass);
    }
}

const struct algorithm fft_algorithm = {
    .name = "fft",
    .estimate = fft_estimate,
    .new_correlator = fft_new,
    .workspace_bytes = fft_workspace,
    .run = fft_run,
    .free_correlator = fft_free,
};

#include "kernel/matched/correlators/fft_spectrum.h"

#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

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

bool spectrum_init(struct spectrum *spectrum, const struct fft_isa *isa, int size,
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

void spectrum_make(struct spectrum *spectrum, const struct filter *real,
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

void spectrum_release(struct spectrum *spectrum)
{
    free(spectrum->memory);
    *spectrum = (struct spectrum){0};
}

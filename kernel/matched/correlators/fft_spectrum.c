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

bool spectrum_init(struct spectrum *spectrum, int size, struct reach reach)
{
    *spectrum = (struct spectrum){.size = size, .reach = reach};
    const size_t plane = (size_t)size * (size_t)size;
    spectrum->memory = malloc(6 * plane * sizeof *spectrum->memory);
    if (spectrum->memory == NULL)
        return false;
    spectrum->re = spectrum->memory;
    spectrum->im = spectrum->re + plane;
    spectrum->rows_re = spectrum->im + plane;
    spectrum->rows_im = spectrum->rows_re + plane;
    spectrum->turn_re = spectrum->rows_im + plane;
    spectrum->turn_im = spectrum->turn_re + plane;
    for (int d = 0; d < size; d++)
        for (int k = 0; k < size; k++) {
            const double angle = TURN * (double)(d * k % size) / size;
            spectrum->turn_re[d * size + k] = cos(angle);
            spectrum->turn_im[d * size + k] = sin(angle);
        }
    return true;
}

/* to[k] += (re + i im) exp(2 pi i d k / size) for all k. */
static void add_wave(const struct spectrum *spectrum, int d, double re, double im, double *to_re,
                     double *to_im)
{
    const double *c = spectrum->turn_re + (ptrdiff_t)d * spectrum->size;
    const double *s = spectrum->turn_im + (ptrdiff_t)d * spectrum->size;
    for (int k = 0; k < spectrum->size; k++) {
        to_re[k] += re * c[k] - im * s[k];
        to_im[k] += re * s[k] + im * c[k];
    }
}

/* Transforms of the rows of a filter; (re, im) is what its taps count as. */
static void add_rows(struct spectrum *spectrum, const struct filter *filter, double re, double im)
{
    const int top = spectrum->reach.up - filter->anchor_row;
    const int start = spectrum->reach.left - filter->anchor_column;
    for (int a = 0; a < filter->rows; a++) {
        const ptrdiff_t row = (ptrdiff_t)(top + a) * spectrum->size;
        for (int b = 0; b < filter->columns; b++) {
            const double tap = filter->taps[a * filter->columns + b];
            add_wave(spectrum, start + b, re * tap, im * tap, spectrum->rows_re + row,
                     spectrum->rows_im + row);
        }
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
    for (int kx = 0; kx < size; kx++)
        for (int d = 0; d < extent_rows(spectrum); d++)
            add_wave(spectrum, d, spectrum->rows_re[d * size + kx],
                     spectrum->rows_im[d * size + kx], spectrum->re + (ptrdiff_t)kx * size,
                     spectrum->im + (ptrdiff_t)kx * size);
}

void spectrum_release(struct spectrum *spectrum)
{
    free(spectrum->memory);
    *spectrum = (struct spectrum){0};
}

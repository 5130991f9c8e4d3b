/*
 * Chaudhuri, Chatterjee, Katz, Nelson, Goldbaum, Detection of blood vessels in retinal images using
 * two-dimensional matched filters, IEEE Trans. Med. Imaging 8 (1989) 263-269, equations (3)-(7):
 * with u across the vessel and v along it, K = exp(-u^2 / (2 sigma^2)) where |u| <= 3 sigma and
 * |v| <= length / 2, minus its mean over those pixels; zero elsewhere. The paper looks for dark
 * vessels and has the other sign; it also rounds 10 K to integers, which we do not.
 */
#include "kernel/matched/banks/bank.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

/* A ridge at one orientation. */
struct ridge {
    double across_x, across_y; /* unit vector across it: u = across_x x + across_y y */
    double sigma, half_length;
    double mean;
};

/* Cosine and sine that are exact at multiples of 90 degrees and mirror exactly about 45, 90 and
 * 135, so that orientations that mirror each other have filters that do. 0 <= degrees < 180. */
static void turn(double degrees, double *cosine, double *sine)
{
    double acute = degrees > 90 ? 180 - degrees : degrees;
    double octant = acute > 45 ? 90 - acute : acute;
    double angle = octant * 3.14159265358979323846 / 180;
    double c = cos(angle), s = sin(angle);
    *cosine = acute > 45 ? s : c;
    *sine = acute > 45 ? c : s;
    if (degrees > 90)
        *cosine = -*cosine;
}

/* Is that pixel part of the ridge? If so, the Gaussian there. Pixels on the very edge belong to it
 * at every orientation, whatever the rounding of sine and cosine. */
static bool ridge_at(const struct ridge *ridge, int x, int y, double *value)
{
    double u = ridge->across_x * x + ridge->across_y * y;
    double v = ridge->across_x * y - ridge->across_y * x;
    const double edge = 1e-9;
    if (fabs(u) > 3 * ridge->sigma + edge || fabs(v) > ridge->half_length + edge)
        return false;
    *value = exp(-u * u / (2 * ridge->sigma * ridge->sigma));
    return true;
}

/* The ridge's half extents and mean; the centre pixel always belongs to it. */
static void ridge_measure(struct ridge *ridge, int *half_rows, int *half_columns)
{
    int most = (int)ceil(hypot(3 * ridge->sigma, ridge->half_length));
    long double sum = 0;
    long pixels = 0;
    *half_rows = *half_columns = 0;
    for (int y = -most; y <= most; y++)
        for (int x = -most; x <= most; x++) {
            double value;
            if (!ridge_at(ridge, x, y, &value))
                continue;
            sum += (long double)value;
            pixels++;
            if (abs(y) > *half_rows)
                *half_rows = abs(y);
            if (abs(x) > *half_columns)
                *half_columns = abs(x);
        }
    ridge->mean = (double)(sum / pixels);
}

static void ridge_draw(const struct ridge *ridge, const struct filter *shape, double *taps)
{
    for (int a = 0; a < shape->rows; a++)
        for (int b = 0; b < shape->columns; b++) {
            double value;
            if (ridge_at(ridge, b - shape->anchor_column, a - shape->anchor_row, &value))
                taps[a * shape->columns + b] = value - ridge->mean;
        }
}

struct bank *bank_new_chaudhuri(int angles, double sigma, double length)
{
    struct bank *bank = NULL;
    struct ridge *ridges = calloc((size_t)angles, sizeof *ridges);
    struct filter *shapes = calloc((size_t)angles, sizeof *shapes);
    if (!ridges || !shapes)
        goto out;
    for (int i = 0; i < angles; i++) {
        ridges[i] = (struct ridge){.sigma = sigma, .half_length = length / 2};
        turn(180.0 * i / angles, &ridges[i].across_x, &ridges[i].across_y);
        int half_rows, half_columns;
        ridge_measure(&ridges[i], &half_rows, &half_columns);
        shapes[i] = (struct filter){.rows = 2 * half_rows + 1,
                                    .columns = 2 * half_columns + 1,
                                    .anchor_row = half_rows,
                                    .anchor_column = half_columns,
                                    .angle = i};
    }
    bank = bank_new(shapes, angles);
    for (int i = 0; bank && i < angles; i++)
        ridge_draw(&ridges[i], &shapes[i], bank_taps(bank, i));
out:
    free(shapes);
    free(ridges);
    return bank;
}

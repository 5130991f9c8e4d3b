/*
 * The bank of O. C. Eidheim's listing (in: J. Rosenvinge, Online task scheduling on heterogeneous
 * clusters, appendix A.1): a Gaussian ridge of 21 x 21 pixels, zero-mean, turned by 6, 12, ..., 180
 * degrees, each shrunk by 0.2, 0.3, ..., 0.8. Turning takes the nearest pixel in a box just large
 * enough; shrinking is bicubic with antialiasing. Both are worked out here from their definitions:
 *
 * - turned pixel (x, y) about the centre shows the ridge at (x cos t - y sin t, x sin t + y cos t),
 *   and zero outside the square that the ridge's pixel centres span;
 * - a shrunk line of n pixels has ceil(s n), pixel i looks at u = (i + 1/2) / s - 1/2, weighs its
 *   neighbours j by s k(s (u - j)) with Keys' cubic k (a = -1/2; IEEE Trans. ASSP 29 (1981) 1153,
 *   equation 15), without making the weights sum to one, and mirrors the line beyond its ends.
 */
#include "kernel/matched/banks/bank.h"

#include <math.h>
#include <stdlib.h>

enum { EDGE = 21, ANGLES = 30, SCALES = 7, TURNED_MOST = 30, SHRUNK_MOST = 24 };

struct square {
    int edge;
    double at[TURNED_MOST][TURNED_MOST];
};

/* In this order of operations 25 pixels at 0.6 become 16: 0.2 + 4 * 0.1 is a little over 0.6. */
static double scale_of(int index)
{
    return 0.2 + index * 0.1;
}

static int shrunk_edge(int edge, double scale)
{
    return (int)ceil(edge * scale);
}

static void ridge_make(struct square *ridge)
{
    double line[EDGE], mean = 0;
    for (int x = 0; x < EDGE; x++) {
        int distance = x - EDGE / 2;
        line[x] = exp(-distance * distance / (2.0 * 5 * 5));
        mean += line[x];
    }
    mean /= EDGE;
    ridge->edge = EDGE;
    for (int y = 0; y < EDGE; y++)
        for (int x = 0; x < EDGE; x++)
            ridge->at[y][x] = (line[x] - mean) / EDGE;
}

static double ridge_nearest(const struct square *ridge, double x, double y)
{
    double last = ridge->edge - 1;
    if (x < 0 || y < 0 || x > last || y > last)
        return 0;
    return ridge->at[lround(y)][lround(x)];
}

/* By a multiple of 90 degrees nothing is interpolated, and rounding of cos and sin must not show.*/
static void ridge_turn_right(const struct square *ridge, int quarters, struct square *turned)
{
    *turned = *ridge;
    if (quarters % 2 == 0)
        return; /* the ridge is the same upside down */
    for (int y = 0; y < ridge->edge; y++)
        for (int x = 0; x < ridge->edge; x++)
            turned->at[y][x] = ridge->at[x][ridge->edge - 1 - y];
}

static void ridge_turn(const struct square *ridge, int degrees, struct square *turned)
{
    if (degrees % 90 == 0) {
        ridge_turn_right(ridge, degrees / 90, turned);
        return;
    }
    double angle = degrees * 3.14159265358979323846 / 180;
    double c = cos(angle), s = sin(angle);
    int edge = (int)lround((ridge->edge - 1) * (fabs(c) + fabs(s)) + 1);
    double centre = (ridge->edge - 1) / 2.0, middle = (edge - 1) / 2.0;
    turned->edge = edge;
    for (int row = 0; row < edge; row++)
        for (int column = 0; column < edge; column++) {
            double x = column - middle, y = row - middle;
            turned->at[row][column] =
                ridge_nearest(ridge, c * x - s * y + centre, s * x + c * y + centre);
        }
}

static double cubic(double x)
{
    x = fabs(x);
    if (x <= 1)
        return (1.5 * x - 2.5) * x * x + 1;
    return x <= 2 ? ((-0.5 * x + 2.5) * x - 4) * x + 2 : 0;
}

static int mirrored(int index, int edge)
{
    index = ((index % (2 * edge)) + 2 * edge) % (2 * edge);
    return index < edge ? index : 2 * edge - 1 - index;
}

/* weights[j][i]: what pixel j of a line adds to pixel i of the shrunk line; all 0 at first. */
static void shrink_weights(int edge, double scale, double weights[TURNED_MOST][SHRUNK_MOST])
{
    int support = (int)ceil(2 / scale);
    for (int i = 0; i < shrunk_edge(edge, scale); i++) {
        double u = (i + 0.5) / scale - 0.5;
        int middle = (int)floor(u);
        for (int j = middle - support; j <= middle + support + 1; j++)
            weights[mirrored(j, edge)][i] += scale * cubic(scale * (u - j));
    }
}

/* sums[k] += factor * line[k]: whatever the factor is, sums of one pixel are made in one order. */
static inline void line_add(double factor, const double *line, int count, double *sums)
{
    if (factor != 0) /* most weights are */
        for (int k = 0; k < count; k++)
            sums[k] += factor * line[k];
}

static void ridge_shrink(const struct square *ridge, double scale, double *taps)
{
    double weights[TURNED_MOST][SHRUNK_MOST] = {{0}};
    int edge = ridge->edge, shrunk = shrunk_edge(edge, scale);
    shrink_weights(edge, scale, weights);
    for (int i = 0; i < shrunk; i++) {
        double line[TURNED_MOST] = {0}, sums[SHRUNK_MOST] = {0};
        for (int y = 0; y < edge; y++)
            line_add(weights[y][i], ridge->at[y], TURNED_MOST, line);
        for (int x = 0; x < edge; x++)
            line_add(line[x], weights[x], SHRUNK_MOST, sums);
        for (int k = 0; k < shrunk; k++)
            taps[i * shrunk + k] = sums[k];
    }
}

static void source_shapes(const struct square *turned, struct filter *shapes)
{
    for (int scale = 0; scale < SCALES; scale++)
        for (int angle = 0; angle < ANGLES; angle++) {
            int edge = shrunk_edge(turned[angle].edge, scale_of(scale));
            int anchor = (edge - 1) / 2;
            shapes[scale * ANGLES + angle] = (struct filter){.rows = edge,
                                                             .columns = edge,
                                                             .anchor_row = anchor,
                                                             .anchor_column = anchor,
                                                             .scale = scale,
                                                             .angle = angle};
        }
}

struct bank *bank_new_source(void)
{
    struct bank *bank = NULL;
    struct filter *shapes = calloc((size_t)SCALES * ANGLES, sizeof *shapes);
    struct square *turned = calloc((size_t)ANGLES, sizeof *turned);
    if (!shapes || !turned)
        goto out;
    struct square ridge;
    ridge_make(&ridge);
    for (int angle = 0; angle < ANGLES; angle++)
        ridge_turn(&ridge, 6 * (angle + 1), &turned[angle]);
    source_shapes(turned, shapes);
    bank = bank_new(shapes, SCALES * ANGLES);
    for (int i = 0; bank && i < bank->count; i++)
        ridge_shrink(&turned[shapes[i].angle], scale_of(shapes[i].scale), bank_taps(bank, i));
out:
    free(turned);
    free(shapes);
    return bank;
}

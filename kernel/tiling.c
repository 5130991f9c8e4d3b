#include "kernel/tiling.h"

#include <math.h>

/* Of tiles; finer ones spend too much on their surroundings, coarser ones do not stay in the second
 * cache. */
static const int edges[] = {512, 384, 256, 192, 128, 96, 64};
enum { EDGES = sizeof edges / sizeof *edges, UNIT = 16 };

/* About `edge`, such that equal parts make up the block. */
static int edge_fitted(int block, int edge)
{
    const int parts = (block + edge - 1) / edge;
    const int fitted = ((block + parts - 1) / parts + UNIT - 1) / UNIT * UNIT;
    return fitted < block ? fitted : block;
}

/* For one pixel of the block. */
static double effort_per_pixel(const struct bank *bank, enum combine combine,
                               const struct demand *demand, const struct algorithm *algorithm)
{
    const double loading = 20; /* a pixel into the tile, in multiply-adds that take as long */
    const struct reach reach = bank_reach(bank);
    const double loaded = ((double)demand->rows + reach.up + reach.down) *
                          ((double)demand->columns + reach.left + reach.right);
    const double effort = response_estimate(bank, combine, demand, algorithm);
    return (effort + loading * loaded) / ((double)demand->rows * demand->columns);
}

int tiling_edge(const struct bank *bank, enum combine combine, int block, enum isa tuned,
                const struct algorithm *algorithm)
{
    const double worse = 1.1; /* how much finer tiles may cost */
    double efforts[EDGES], least = HUGE_VAL;
    int edge = block;
    for (int i = 0; i < EDGES; i++) {
        const int fitted = edge_fitted(block, edges[i]);
        const struct demand demand = {.rows = fitted, .columns = fitted, .tuned = tuned};
        efforts[i] = effort_per_pixel(bank, combine, &demand, algorithm);
        if (isnan(efforts[i]))
            return 0;
        least = fmin(least, efforts[i]);
    }
    for (int i = 0; i < EDGES; i++)
        if (efforts[i] <= worse * least)
            edge = edge_fitted(block, edges[i]);
    return edge;
}

#include "kernel/matched/tiling.h"

#include <math.h>

/* Of tiles; finer ones spend too much on their surroundings, coarser ones do not stay in the second
 * cache. */
static const int edges[] = {512, 384, 256, 192, 128, 96, 64};
enum { EDGES = sizeof edges / sizeof *edges, UNIT = 16 };
_Static_assert((int)EDGES <= (int)DEMANDS_MOST, "all are compared in one go");

/* About `edge`, such that equal parts make up a core task. */
static int edge_fitted(int block, int edge)
{
    const int parts = (block + edge - 1) / edge;
    const int fitted = ((block + parts - 1) / parts + UNIT - 1) / UNIT * UNIT;
    return fitted < block ? fitted : block;
}

/* Of a core task, with what it takes to load the tile. */
static double effort_per_pixel(const struct demand *demand, const struct reach *reach,
                               double effort)
{
    const double loading = 20; /* a pixel into the tile, in multiply-adds that take as long */
    const double loaded = ((double)demand->rows + reach->up + reach->down) *
                          ((double)demand->columns + reach->left + reach->right);
    return (effort + loading * loaded) / ((double)demand->rows * demand->columns);
}

/* The last demand is for the finest tiles. */
static int finest_good(const struct demand *demands, const double *efforts,
                       const struct reach *reach)
{
    const double worse = 1.1; /* how much finer tiles may cost */
    double least = HUGE_VAL;
    int edge = 0;
    for (int i = 0; i < EDGES; i++)
        least = fmin(least, effort_per_pixel(&demands[i], reach, efforts[i]));
    for (int i = 0; i < EDGES; i++)
        if (effort_per_pixel(&demands[i], reach, efforts[i]) <= worse * least)
            edge = demands[i].rows;
    return edge;
}

int tiling_edge(const struct bank *bank, enum combine combine, int block, enum speeds tuned,
                const struct algorithm *algorithm)
{
    double efforts[EDGES];
    struct demand demands[EDGES];
    const struct reach reach = bank_reach(bank);
    for (int i = 0; i < EDGES; i++) {
        const int edge = edge_fitted(block, edges[i]);
        demands[i] = (struct demand){.rows = edge, .columns = edge, .tuned = tuned};
    }
    if (!response_estimate(bank, combine, demands, EDGES, algorithm, efforts))
        return 0;
    return finest_good(demands, efforts, &reach);
}

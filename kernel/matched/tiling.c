#include "kernel/matched/tiling.h"

#include <math.h>

/* Of tiles; finer ones spend too much on their surroundings, coarser ones do not stay in the second
 * cache. */
static const int edges[] = {512, 384, 256, 192, 128, 96, 64};
enum { EDGES = sizeof edges / sizeof *edges, UNIT = 16 };
_Static_assert((int)EDGES <= (int)DEMANDS_MOST, "all are compared in one go");

/* Of tiles that are equal but for the last one, and make up `edge`. */
static int edge_fitted(int64_t edge, int64_t parts)
{
    const int64_t fitted = ((edge + parts - 1) / parts + UNIT - 1) / UNIT * UNIT;
    return (int)(fitted < edge ? fitted : edge);
}

/* Of a tile, with what it takes to load it. */
static double effort_loaded(const struct demand *demand, const struct reach *reach, double effort)
{
    const double loading = 20; /* a pixel into the tile, in multiply-adds that take as long */
    const double loaded = ((double)demand->rows + reach->up + reach->down) *
                          ((double)demand->columns + reach->left + reach->right);
    return effort + loading * loaded;
}

/* Of a tile for each demand, and who would compute it. False: out of memory. */
static bool tiling_estimate(const struct tiling *tiling, const struct demand *demands, int count,
                            struct response_choice *choices, double *efforts)
{
    const struct reach reach = bank_reach(tiling->bank);
    const bool done =
        response_choose(tiling->bank, tiling->combine, demands, count, tiling->algorithm, choices);
    for (int i = 0; done && i < count; i++)
        efforts[i] = effort_loaded(&demands[i], &reach, choices[i].effort);
    return done;
}

static bool is_same_tile(const struct demand *a, const struct demand *b)
{
    return a->rows == b->rows && a->columns == b->columns;
}

bool tiling_choose(const struct tiling *tiling, const struct demand *demand,
                   struct response_choice *choice)
{
    *choice = tiling->choice;
    return is_same_tile(demand, &tiling->tile) ||
           response_choose(tiling->bank, tiling->combine, demand, 1, tiling->algorithm, choice);
}

/* ---- tiles --------------------------------------------------------------------------------- */

static int parts_of(const struct tiling_side *side, int edge)
{
    return (side->wished + edge - 1) / edge;
}

static int fitted(const struct tiling_side *side, int edge)
{
    return edge_fitted(side->wished, parts_of(side, edge));
}

/* Of tiles as edges make them, each size once; of[i] gets which one edge i makes. Small tasks are
 * one tile by every edge. */
static int demands_make(const struct tiling *tiling, struct demand *demands, int *of)
{
    int count = 0;
    for (int i = 0; i < EDGES; i++) {
        const struct demand next = {.rows = fitted(&tiling->high, edges[i]),
                                    .columns = fitted(&tiling->wide, edges[i]),
                                    .tuned = tiling->tuned};
        if (count == 0 || !is_same_tile(&demands[count - 1], &next))
            demands[count++] = next;
        of[i] = count - 1;
    }
    return count;
}

static double effort_per_pixel(const struct demand *demand, double effort)
{
    return effort / ((double)demand->rows * demand->columns);
}

/* The last demand is for the finest tiles. */
static int finest_good(const struct demand *demands, const double *efforts, int count)
{
    const double worse = 1.1; /* how much finer tiles may cost */
    double least = HUGE_VAL;
    int finest = 0;
    for (int i = 0; i < count; i++)
        least = fmin(least, effort_per_pixel(&demands[i], efforts[i]));
    for (int i = 0; i < count; i++)
        if (effort_per_pixel(&demands[i], efforts[i]) <= worse * least)
            finest = i;
    return finest;
}

bool tiling_fit(struct tiling *tiling)
{
    double efforts[EDGES];
    struct demand demands[EDGES];
    struct response_choice choices[EDGES];
    int of[EDGES];
    const int count = demands_make(tiling, demands, of);
    if (!tiling_estimate(tiling, demands, count, choices, efforts))
        return false;
    const int finest = finest_good(demands, efforts, count);
    int last = EDGES - 1;
    while (of[last] != finest)
        last--;
    tiling->high.parts = parts_of(&tiling->high, edges[last]);
    tiling->wide.parts = parts_of(&tiling->wide, edges[last]);
    tiling->tile = demands[finest];
    tiling->choice = choices[finest];
    return true;
}

/* As many parts as a task of the length wished has: one of a pixel more is not cut into one tile
 * more. */
int tiling_edge(const struct tiling_side *side, int64_t length)
{
    const int64_t wished = side->wished;
    const int64_t parts = (2 * length * side->parts + wished) / (2 * wished);
    return edge_fitted(length, parts > 0 ? parts : 1);
}

/* ---- tasks --------------------------------------------------------------------------------- */

/* The lengths of the tiles along a side, and how many there are of each: tasks differ by a pixel,
 * and their last tiles may be shorter. */
enum { LENGTHS_MOST = 3 };
_Static_assert((int)LENGTHS_MOST *(int)LENGTHS_MOST <= (int)DEMANDS_MOST, "estimated in one go");

struct lengths {
    int count;
    int length[LENGTHS_MOST];
    int64_t times[LENGTHS_MOST];
};

static void lengths_add(struct lengths *lengths, int length, int64_t times)
{
    int i = 0;
    if (length == 0 || times == 0)
        return;
    while (i < lengths->count && lengths->length[i] != length)
        i++;
    if (i == lengths->count) {
        lengths->length[i] = length;
        lengths->times[i] = 0;
        lengths->count++;
    }
    lengths->times[i] += times;
}

static struct lengths lengths_of(const struct tiling_side *side, int64_t pixels, int64_t tasks)
{
    struct lengths lengths = {.count = 0};
    /* A length, and how many exceed it: */
    const int64_t shorter = pixels / tasks, longer = pixels % tasks;
    const int64_t tile = tiling_edge(side, shorter + (longer > 0));
    for (int more = 0; more < 2; more++) {
        const int64_t length = shorter + more, times = more ? longer : tasks - longer;
        lengths_add(&lengths, (int)tile, times * (length / tile));
        lengths_add(&lengths, (int)(length % tile), times);
    }
    return lengths;
}

/* Of a whole slice. False: out of memory. */
static bool division_estimate(const struct tiling *tiling, int64_t rows, int64_t columns,
                              const struct division *division, double *effort)
{
    const struct lengths high = lengths_of(&tiling->high, rows, division->down);
    const struct lengths wide = lengths_of(&tiling->wide, columns, division->across);
    const int count = high.count * wide.count;
    struct demand demands[DEMANDS_MOST] = {{0}};
    struct response_choice choices[DEMANDS_MOST];
    double efforts[DEMANDS_MOST];
    for (int i = 0; i < count; i++)
        demands[i] = (struct demand){.rows = high.length[i / wide.count],
                                     .columns = wide.length[i % wide.count],
                                     .tuned = tiling->tuned};
    if (!tiling_estimate(tiling, demands, count, choices, efforts))
        return false;
    *effort = 0;
    for (int i = 0; i < count; i++) {
        const int64_t times = high.times[i / wide.count] * wide.times[i % wide.count];
        *effort += (double)times * efforts[i];
    }
    return true;
}

static int64_t tasks_fewest(const struct tiling_side *side, int64_t pixels)
{
    return pixels < side->wished ? 1 : pixels / side->wished;
}

static int64_t tasks_most(const struct tiling_side *side, int64_t pixels)
{
    return (pixels + side->wished - 1) / side->wished;
}

bool tiling_divide(const struct tiling *tiling, int64_t rows, int64_t columns,
                   struct division *division)
{
    const struct tiling_side *high = &tiling->high, *wide = &tiling->wide;
    const struct division fewest = {tasks_fewest(high, rows), tasks_fewest(wide, columns)};
    const struct division most = {tasks_most(high, rows), tasks_most(wide, columns)};
    double least = HUGE_VAL;
    *division = fewest;
    if (fewest.down == most.down && fewest.across == most.across)
        return true;
    struct division next = fewest;
    for (next.down = fewest.down; next.down <= most.down; next.down++)
        for (next.across = fewest.across; next.across <= most.across; next.across++) {
            double effort;
            if (!division_estimate(tiling, rows, columns, &next, &effort))
                return false;
            if (effort < least) {
                least = effort;
                *division = next;
            }
        }
    return true;
}

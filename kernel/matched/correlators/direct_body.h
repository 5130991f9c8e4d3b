/*
 * The loops of the direct algorithm, written once and built per instruction set: the file that
 * includes this defines DIRECT_RUN (the name of its one function) and is compiled with the set's
 * flags.
 *
 * A cell is several vectors of neighbouring pixels, side by side or one below the other. All
 * filters of a group are applied to a cell with every sum in a register: one load of a pixel
 * vector serves all filters, one load of a weight serves all vectors. A lone filter gets the same
 * reuse from several rows of results at a time: a pixel vector on its way down serves each of them.
 *
 * A response is summed in one fixed order of taps, in parts of one fixed size, whatever the cell,
 * so that a pixel's value does not depend on the tile.
 */
#include <stdbool.h>

#include "kernel/matched/correlators/direct_kernel.h"
#include "kernel/vector/vector.h"

/* Vectors per cell for 6, 5, 4, 3, 2, 1 filters, and for sliding over six rows of results or fewer:
 * as many sums as there are registers for, beside the pixels and a weight. SLIDE_TALL: the same for
 * sliding over eight rows or more, where that pays: loads of pixels, which straddle cache lines
 * when vectors are that wide, are fewer then. */
#if VECTOR_LANES == 16
#define SLIDE_TALL 2
enum { CELL_6 = 4, CELL_5 = 4, CELL_4 = 4, CELL_3 = 6, CELL_2 = 8, CELL_1 = 8, SLIDE = 4 };
#else
#define SLIDE_TALL 0
enum { CELL_6 = 2, CELL_5 = 2, CELL_4 = 3, CELL_3 = 3, CELL_2 = 4, CELL_1 = 8, SLIDE = 2 };
#endif
enum { CELL_MOST = 8, SLIDE_ROWS_MOST = 12 };

/* One vector of sums for each filter (or row of results) and each vector of a cell. */
struct sums {
    vector of[SLIDE_ROWS_MOST][CELL_MOST];
};

/* Where a cell's vectors are: `step` floats apart in the pixels, `result_step` in the results. */
struct cell {
    const float *pixels;
    ptrdiff_t step;
    float *result;
    ptrdiff_t result_step;
    int vectors; /* that are wanted; the others repeat the first or lie in the slack */
    int lanes;   /* of each that are wanted */
    bool keep;   /* the larger of the old and the new result */
};

VECTOR_INLINE void result_put(float *result, vector value, int lanes, bool keep)
{
    if (lanes == VECTOR_LANES) {
        vector_store(result, keep ? vector_max(vector_load(result), value) : value);
        return;
    }
    if (keep)
        value = vector_max(vector_load_some(result, lanes), value);
    vector_store_some(result, value, lanes);
}

/* Sums of more terms than this are made of partial sums, so that rounding errors stay small. */
enum { CHAIN = 128 };

/* Add partial sums to the totals, which stay in memory: the registers are the sums'. */
VECTOR_INLINE void sums_set_aside(struct sums *total, struct sums *sum, int rows, int vectors)
{
    VECTOR_UNROLL
    for (int r = 0; r < rows; r++)
        VECTOR_UNROLL
    for (int v = 0; v < vectors; v++) {
        total->of[r][v] += sum->of[r][v];
        sum->of[r][v] = (vector){0};
    }
    __asm__("" : "+m"(*total));
}

VECTOR_INLINE void sums_clear(struct sums *sum, int rows, int vectors)
{
    VECTOR_UNROLL
    for (int r = 0; r < rows; r++)
        VECTOR_UNROLL
    for (int v = 0; v < vectors; v++)
        sum->of[r][v] = (vector){0};
}

VECTOR_INLINE void sums_add(struct sums *sum, const struct sums *total, int rows, int vectors)
{
    VECTOR_UNROLL
    for (int r = 0; r < rows; r++)
        VECTOR_UNROLL
    for (int v = 0; v < vectors; v++)
        sum->of[r][v] += total->of[r][v];
}

/* One place's pixels, times the weights of all filters there. */
VECTOR_INLINE void place_run(struct sums *sum, const float *const pixels[CELL_MOST],
                             ptrdiff_t offset, const float *weight, int filters, int vectors)
{
    vector pixel[CELL_MOST];
    VECTOR_UNROLL
    for (int v = 0; v < vectors; v++) {
        pixel[v] = vector_load(pixels[v] + offset);
        vector_keep(&pixel[v]);
    }
    VECTOR_UNROLL
    for (int f = 0; f < filters; f++) {
        vector all = vector_all(weight[f]);
        VECTOR_UNROLL
        for (int v = 0; v < vectors; v++)
            vector_accumulate(&sum->of[f][v], all, pixel[v]);
    }
}

/* `filters` and `vectors` are constants where this is expanded. */
VECTOR_INLINE void cell_run(const struct direct_group *group, const ptrdiff_t *offsets,
                            const struct cell *cell, int filters, int vectors)
{
    struct sums sum, total;
    const float *weight = group->weights, *pixels[CELL_MOST];
    const int places = group->places;
    VECTOR_UNROLL
    for (int v = 0; v < vectors; v++) {
        pixels[v] = cell->pixels + v * cell->step;
        /* One address for each vector, rather than sums formed anew at every place. */
        __asm__("" : "+r"(pixels[v]));
    }
    sums_clear(&sum, filters, vectors);
    if (places > CHAIN)
        sums_clear(&total, filters, vectors);
    for (int first = 0; first < places; first += CHAIN) {
        const int end = places - first < CHAIN ? places : first + CHAIN;
        if (first > 0)
            sums_set_aside(&total, &sum, filters, vectors);
        for (int i = first; i < end; i++, weight += filters)
            place_run(&sum, pixels, offsets[i], weight, filters, vectors);
    }
    if (places > CHAIN)
        sums_add(&sum, &total, filters, vectors);
    VECTOR_UNROLL
    for (int v = 0; v < vectors; v++) {
        VECTOR_UNROLL
        for (int f = 1; f < filters; f++)
            sum.of[0][v] = vector_max(sum.of[0][v], sum.of[f][v]);
        if (v < cell->vectors)
            result_put(cell->result + v * cell->result_step, sum.of[0][v], cell->lanes, cell->keep);
    }
}

static void cell_of_1(const struct direct_group *group, const ptrdiff_t *offsets,
                      const struct cell *cell)
{
    cell_run(group, offsets, cell, 1, CELL_1);
}

static void cell_of_2(const struct direct_group *group, const ptrdiff_t *offsets,
                      const struct cell *cell)
{
    cell_run(group, offsets, cell, 2, CELL_2);
}

static void cell_of_3(const struct direct_group *group, const ptrdiff_t *offsets,
                      const struct cell *cell)
{
    cell_run(group, offsets, cell, 3, CELL_3);
}

static void cell_of_4(const struct direct_group *group, const ptrdiff_t *offsets,
                      const struct cell *cell)
{
    cell_run(group, offsets, cell, 4, CELL_4);
}

static void cell_of_5(const struct direct_group *group, const ptrdiff_t *offsets,
                      const struct cell *cell)
{
    cell_run(group, offsets, cell, 5, CELL_5);
}

static void cell_of_6(const struct direct_group *group, const ptrdiff_t *offsets,
                      const struct cell *cell)
{
    cell_run(group, offsets, cell, 6, CELL_6);
}

/* What does a cell of a group of so many filters, and of how many vectors it is. */
struct cell_kind {
    void (*run)(const struct direct_group *group, const ptrdiff_t *offsets,
                const struct cell *cell);
    int vectors;
};

static const struct cell_kind cell_kinds[DIRECT_FILTERS_MOST + 1] = {
    [1] = {cell_of_1, CELL_1}, [2] = {cell_of_2, CELL_2}, [3] = {cell_of_3, CELL_3},
    [4] = {cell_of_4, CELL_4}, [5] = {cell_of_5, CELL_5}, [6] = {cell_of_6, CELL_6},
};

/* The whole cells of row y, vectors side by side; returns the first column that is left. */
static int row_run(const struct direct_group *group, const ptrdiff_t *offsets,
                   const struct tile *tile, int y, bool keep)
{
    const struct cell_kind *kind = &cell_kinds[group->filters];
    const int width = kind->vectors * VECTOR_LANES;
    struct cell cell = {.pixels = tile->origin + y * tile->stride,
                        .step = VECTOR_LANES,
                        .result = tile->result + y * tile->result_stride,
                        .result_step = VECTOR_LANES,
                        .vectors = kind->vectors,
                        .lanes = VECTOR_LANES,
                        .keep = keep};
    int x = 0;
    for (; x + width <= tile->columns; x += width) {
        kind->run(group, offsets, &cell);
        cell.pixels += width;
        cell.result += width;
    }
    return x;
}

/* Columns [x, x + lanes), all rows: vectors one below the other. The last cell is moved up to end
 * at the last row; a tile of fewer rows takes them one by one. */
static void column_run(const struct direct_group *group, const ptrdiff_t *offsets,
                       const struct tile *tile, int x, int lanes, bool keep)
{
    const struct cell_kind *kind = &cell_kinds[group->filters];
    const bool few = tile->rows < kind->vectors;
    const int rows = few ? 1 : kind->vectors;
    for (int y = 0; y < tile->rows; y += rows) {
        int top = y + rows <= tile->rows ? y : tile->rows - rows;
        struct cell cell = {.pixels = tile->origin + top * tile->stride + x,
                            .step = few ? 0 : tile->stride,
                            .result = tile->result + top * tile->result_stride + x,
                            .result_step = tile->result_stride,
                            .vectors = rows,
                            .lanes = lanes,
                            .keep = keep};
        kind->run(group, offsets, &cell);
    }
}

static void group_run(const struct direct_group *group, const ptrdiff_t *offsets,
                      const struct tile *tile, bool keep)
{
    int left = 0;
    for (int y = 0; y < tile->rows; y++)
        left = row_run(group, offsets, tile, y, keep);
    for (int x = left; x < tile->columns; x += VECTOR_LANES) {
        int lanes = tile->columns - x < VECTOR_LANES ? tile->columns - x : VECTOR_LANES;
        column_run(group, offsets, tile, x, lanes, keep);
    }
}

/* One vector row of pixels, `row` rows below the topmost that is needed, into the sums of result
 * rows first .. last, for which it is the filter's row `row - r`. */
VECTOR_INLINE void slide_step(struct sums *sum, const float *pixels, const float *weight, int row,
                              int first, int last, int vectors)
{
    vector pixel[CELL_MOST];
    weight += row;
    /* Forget that the last row used the same weights: loading them anew is free, but keeping them
     * takes the registers of the sums. */
    __asm__("" : "+r"(weight));
    VECTOR_UNROLL
    for (int v = 0; v < vectors; v++) {
        pixel[v] = vector_load(pixels + (ptrdiff_t)v * VECTOR_LANES);
        vector_keep(&pixel[v]);
    }
    VECTOR_UNROLL
    for (int r = first; r <= last; r++) {
        vector all = vector_all(weight[-r]);
        VECTOR_UNROLL
        for (int v = 0; v < vectors; v++)
            vector_accumulate(&sum->of[r][v], all, pixel[v]);
    }
}

/* Bring what a cell further down will need for one row towards the processor, while this one is
 * computed: the `width` pixels on the right, which the cell before did not bring, and results. Rows
 * of a tile are too short for the processor to guess. */
VECTOR_INLINE void slide_prefetch(const float *pixels, const float *result, int width)
{
    enum { LINE = 64 / sizeof(float) };
    VECTOR_UNROLL
    for (int x = 0; x < width; x += LINE) {
        __builtin_prefetch(pixels + x);
        __builtin_prefetch(result + x, 1);
    }
}

/* `rows` result rows and `vectors` are constants where this is expanded; slide->rows >= rows. */
VECTOR_INLINE void slide_cell(const struct direct_slide *slide, const struct tile *tile, int y,
                              int x, int lanes, int rows, int vectors)
{
    struct sums sum, total;
    const ptrdiff_t stride = tile->stride;
    const int taps = slide->rows;
    float *result = tile->result + y * tile->result_stride + x;
    const float *corner =
        tile->origin + (y - slide->anchor_row) * stride + x - slide->anchor_column;
    const int width = vectors * VECTOR_LANES;
    const bool parts = taps * slide->columns > CHAIN;
    int chain = 0; /* terms of the present partial sums */
    sums_clear(&sum, rows, vectors);
    if (parts)
        sums_clear(&total, rows, vectors);
    for (int column = 0; column < slide->columns; column++) {
        const float *weight = slide->weights + (ptrdiff_t)column * taps, *pixels = corner + column;
        if (column < rows && y + rows + column < tile->rows)
            slide_prefetch(corner + (taps + rows - 1 + column) * stride + slide->columns - 1,
                           result + (rows + column) * tile->result_stride, width);
        if (chain + taps > CHAIN && chain > 0) {
            sums_set_aside(&total, &sum, rows, vectors);
            chain = 0;
        }
        chain += taps;
        VECTOR_UNROLL
        for (int row = 0; row < rows - 1; row++, pixels += stride)
            slide_step(&sum, pixels, weight, row, 0, row, vectors);
        for (int row = rows - 1; row < taps; row++, pixels += stride)
            slide_step(&sum, pixels, weight, row, 0, rows - 1, vectors);
        VECTOR_UNROLL
        for (int below = 1; below < rows; below++, pixels += stride)
            slide_step(&sum, pixels, weight, taps - 1 + below, below, rows - 1, vectors);
    }
    if (parts)
        sums_add(&sum, &total, rows, vectors);
    VECTOR_UNROLL
    for (int r = 0; r < rows; r++)
        VECTOR_UNROLL
    for (int v = 0; v < vectors; v++)
        result_put(result + r * tile->result_stride + (ptrdiff_t)v * VECTOR_LANES, sum.of[r][v],
                   lanes, tile->accumulate);
}

/* What a band of so many rows is made of. Columns [first, end): `wide` does cells of so many
 * vectors as long as they fit, and returns where the rest begins; `narrow` does the rest in cells
 * of one vector, of which the last one's first columns are wanted. */
struct slide_kind {
    int rows, vectors;
    int (*wide)(const struct direct_slide *slide, const struct tile *tile, int y, int first,
                int end);
    void (*narrow)(const struct direct_slide *slide, const struct tile *tile, int y, int first,
                   int end);
};

#define SLIDE_FUNCTIONS(wide, narrow, rows, vectors)                                               \
    static int wide(const struct direct_slide *slide, const struct tile *tile, int y, int first,   \
                    int end)                                                                       \
    {                                                                                              \
        const int width = (vectors)*VECTOR_LANES;                                                  \
        int x = first;                                                                             \
        for (; x + width <= end; x += width)                                                       \
            slide_cell(slide, tile, y, x, VECTOR_LANES, rows, vectors);                            \
        return x;                                                                                  \
    }                                                                                              \
    static void narrow(const struct direct_slide *slide, const struct tile *tile, int y,           \
                       int first, int end)                                                         \
    {                                                                                              \
        for (int x = first; x < end; x += VECTOR_LANES)                                            \
            slide_cell(slide, tile, y, x, end - x < VECTOR_LANES ? end - x : VECTOR_LANES, rows,   \
                       1);                                                                         \
    }

SLIDE_FUNCTIONS(slide_six, slide_six_narrow, 6, SLIDE)
SLIDE_FUNCTIONS(slide_four, slide_four_narrow, 4, SLIDE)
SLIDE_FUNCTIONS(slide_one, slide_one_narrow, 1, SLIDE)
#if SLIDE_TALL > 0
SLIDE_FUNCTIONS(slide_twelve, slide_twelve_narrow, 12, SLIDE_TALL)
SLIDE_FUNCTIONS(slide_eight, slide_eight_narrow, 8, SLIDE_TALL)
#endif

/* For a band when `left` of a tile's rows are left. Most numbers are sums of sixes and fours; a
 * tile of fewer rows than four takes them one by one. */
static struct slide_kind slide_kind_low(int rows, int left)
{
    if (rows < 4)
        return (struct slide_kind){1, SLIDE, slide_one, slide_one_narrow};
    if (rows < 6 || left <= 4 || left == 8)
        return (struct slide_kind){4, SLIDE, slide_four, slide_four_narrow};
    return (struct slide_kind){6, SLIDE, slide_six, slide_six_narrow};
}

#if SLIDE_TALL > 0
/* Multiples of four are sums of twelves and eights. */
static struct slide_kind slide_kind_tall(int left)
{
    if (left <= 8 || (left > 12 && left <= 16))
        return (struct slide_kind){8, SLIDE_TALL, slide_eight, slide_eight_narrow};
    return (struct slide_kind){12, SLIDE_TALL, slide_twelve, slide_twelve_narrow};
}
#endif

static struct slide_kind slide_kind_of(const struct direct_slide *slide, int rows, int left)
{
#if SLIDE_TALL > 0
    if (slide->rows >= SLIDE_ROWS_MOST && rows >= SLIDE_ROWS_MOST)
        return slide_kind_tall(left);
#endif
    (void)slide;
    return slide_kind_low(rows, left);
}

/* Columns [first, end), all rows. A band that would end below the last row is moved up. */
static void slide_panel(const struct direct_slide *slide, const struct tile *tile, int first,
                        int end)
{
    int next;
    for (int y = 0; y < tile->rows; y = next) {
        const struct slide_kind kind = slide_kind_of(slide, tile->rows, tile->rows - y);
        next = y + kind.rows;
        const int top = next <= tile->rows ? y : tile->rows - kind.rows;
        kind.narrow(slide, tile, top, kind.wide(slide, tile, top, first, end), end);
    }
}

/* In panels so narrow that the rows a filter covers stay in the nearest cache. */
static void slide_run(const struct direct_slide *slide, const struct tile *tile)
{
    enum { CACHE = 32 << 10, CELL = SLIDE * VECTOR_LANES };
    const int rows = slide->rows + 2 * SLIDE_ROWS_MOST; /* this cell's and the next one's */
    const int width = CACHE / (int)sizeof(float) / rows - slide->columns;
    const int panel = width > CELL ? width / CELL * CELL : CELL;
    for (int x = 0; x < tile->columns; x += panel)
        slide_panel(slide, tile, x, tile->columns - x < panel ? tile->columns : x + panel);
}

void DIRECT_RUN(const struct direct_bank *bank, const struct tile *tile, ptrdiff_t *offsets)
{
    if (bank->slide.weights) {
        slide_run(&bank->slide, tile);
        return;
    }
    for (int i = 0; i < bank->count; i++) {
        const struct direct_group *group = &bank->groups[i];
        for (int k = 0; k < group->places; k++)
            offsets[k] = group->place[k].row * tile->stride + group->place[k].column;
        group_run(group, offsets, tile, tile->accumulate || i > 0);
    }
}

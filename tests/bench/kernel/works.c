#include "tests/bench/kernel/works.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "tests/kernel/random.h"

static struct bank *had(struct bank *bank)
{
    if (!bank)
        abort();
    return bank;
}

struct bank *bank_of_random(int count, int n)
{
    struct filter *shapes = calloc((size_t)count, sizeof *shapes);
    struct random random = {(uint64_t)n};
    if (!shapes)
        abort();
    for (int i = 0; i < count; i++)
        shapes[i] = (struct filter){
            .rows = n, .columns = n, .anchor_row = (n - 1) / 2, .anchor_column = (n - 1) / 2};
    struct bank *bank = had(bank_new(shapes, count));
    for (int i = 0; i < count; i++)
        for (int t = 0; t < n * n; t++)
            bank_taps(bank, i)[t] = random_signed(&random);
    free(shapes);
    return bank;
}

static void frame_copy(const struct filter *filter, int edge, double *taps)
{
    const int top = (edge - 1) / 2 - filter->anchor_row;
    const int left = (edge - 1) / 2 - filter->anchor_column;
    for (int a = 0; a < filter->rows; a++)
        memcpy(taps + (ptrdiff_t)(top + a) * edge + left,
               filter->taps + (ptrdiff_t)a * filter->columns,
               (size_t)filter->columns * sizeof *taps);
}

struct bank *bank_of_orientations(void)
{
    enum { COUNT = 30, EDGE = 15 };
    struct bank *tight = had(bank_new_chaudhuri(COUNT, 2, 9));
    struct filter shapes[COUNT];
    for (int i = 0; i < COUNT; i++)
        shapes[i] = (struct filter){.rows = EDGE,
                                    .columns = EDGE,
                                    .anchor_row = EDGE / 2,
                                    .anchor_column = EDGE / 2,
                                    .angle = i};
    struct bank *bank = had(bank_new(shapes, COUNT));
    for (int i = 0; i < COUNT; i++)
        frame_copy(&tight->filters[i], EDGE, bank_taps(bank, i));
    bank_free(&tight);
    return bank;
}

struct bank *bank_of_source(void)
{
    return had(bank_new_source());
}

struct bank *bank_of_chaudhuri(void)
{
    return had(bank_new_chaudhuri(12, 2, 9));
}

struct bank *bank_of_sum(void)
{
    struct bank *source = bank_of_source();
    struct bank *sum = had(bank_new_collapsed(source, COMBINE_SUM));
    bank_free(&source);
    return sum;
}

static void pixels_draw(const struct work *work)
{
    struct random random = {777};
    for (int y = 0; y < work->edge; y++)
        for (int x = 0; x < work->edge; x++) {
            const double line = 0.4 * work->edge + 60 * sin(0.03 * y) - x;
            const double ground = 60 + (double)random_between(&random, 0, 39);
            work->pixels[y * work->stride + x] = (float)floor(ground + 110 * exp(-line * line / 8));
        }
}

static void filters_copy(struct work *work, const struct bank *bank)
{
    work->count = bank->count;
    work->filters = calloc((size_t)bank->count, sizeof *work->filters);
    if (!work->filters)
        abort();
    for (int i = 0; i < bank->count; i++) {
        const struct filter *from = &bank->filters[i];
        const int taps = from->rows * from->columns;
        struct bench_filter *to = &work->filters[i];
        *to = (struct bench_filter){.rows = from->rows, .columns = from->columns};
        to->taps = malloc((size_t)taps * sizeof *to->taps);
        if (!to->taps)
            abort();
        for (int t = 0; t < taps; t++)
            to->taps[t] = (float)from->taps[t];
    }
}

void work_init(struct work *work, const char *name, const struct bank *bank, int edge)
{
    enum { PAD = 64 };
    *work = (struct work){.name = name, .edge = edge, .pad = PAD, .bank = bank};
    work->taps = (double)bank_tap_count(bank);
    work->stride = edge + 2 * PAD;
    float *memory = calloc((size_t)work->stride * (size_t)(edge + 2 * PAD), sizeof *memory);
    if (!memory)
        abort();
    work->pixels = memory + PAD * work->stride + PAD;
    pixels_draw(work);
    filters_copy(work, bank);
}

void work_release(struct work *work)
{
    free(work->pixels - work->pad * work->stride - work->pad);
    for (int i = 0; i < work->count; i++)
        free(work->filters[i].taps);
    free(work->filters);
}

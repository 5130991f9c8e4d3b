#include "kernel/matched/banks/bank.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

static size_t filter_taps(const struct filter *filter)
{
    return (size_t)filter->rows * (size_t)filter->columns;
}

struct bank *bank_new(const struct filter *shapes, int count)
{
    size_t taps = 0;
    for (int i = 0; i < count; i++)
        taps += filter_taps(&shapes[i]);
    struct bank *bank = calloc(1, sizeof *bank);
    if (!bank)
        return NULL;
    /* One more of each, so that an empty bank is not mistaken for a lack of memory. */
    bank->filters = calloc((size_t)count + 1, sizeof *bank->filters);
    bank->taps = calloc(taps + 1, sizeof *bank->taps);
    if (!bank->filters || !bank->taps) {
        bank_free(&bank);
        return NULL;
    }
    bank->count = count;
    const double *next = bank->taps;
    for (int i = 0; i < count; i++) {
        bank->filters[i] = shapes[i];
        bank->filters[i].taps = next;
        next += filter_taps(&shapes[i]);
    }
    return bank;
}

double *bank_taps(struct bank *bank, int index)
{
    assert(index >= 0 && index < bank->count);
    return bank->taps + (bank->filters[index].taps - bank->taps);
}

struct bank *bank_new_subset(const struct bank *bank, const int *indices, int count)
{
    struct filter *shapes = calloc((size_t)count + 1, sizeof *shapes);
    if (!shapes)
        return NULL;
    for (int i = 0; i < count; i++)
        shapes[i] = bank->filters[indices[i]];
    struct bank *subset = bank_new(shapes, count);
    for (int i = 0; subset && i < count; i++)
        memcpy(bank_taps(subset, i), shapes[i].taps, filter_taps(&shapes[i]) * sizeof(double));
    free(shapes);
    return subset;
}

/* Grow `hull` so that it covers `filter` with both anchors on the same pixel. */
static void hull_cover(struct filter *hull, const struct filter *filter)
{
    int below = hull->rows - hull->anchor_row, beside = hull->columns - hull->anchor_column;
    if (below < filter->rows - filter->anchor_row)
        below = filter->rows - filter->anchor_row;
    if (beside < filter->columns - filter->anchor_column)
        beside = filter->columns - filter->anchor_column;
    if (hull->anchor_row < filter->anchor_row)
        hull->anchor_row = filter->anchor_row;
    if (hull->anchor_column < filter->anchor_column)
        hull->anchor_column = filter->anchor_column;
    hull->rows = hull->anchor_row + below;
    hull->columns = hull->anchor_column + beside;
}

static void filter_add(double *taps, const struct filter *shape, const struct filter *filter)
{
    int down = shape->anchor_row - filter->anchor_row;
    int right = shape->anchor_column - filter->anchor_column;
    for (int a = 0; a < filter->rows; a++)
        for (int b = 0; b < filter->columns; b++)
            taps[(a + down) * shape->columns + b + right] += filter->taps[a * filter->columns + b];
}

/* Which summed filter a filter goes into. */
static int summand_key(const struct filter *filter, enum combine combine)
{
    return combine == COMBINE_SUM ? 0 : filter->angle;
}

/* Shapes of the summed filters in order of their keys' first appearance; returns how many. */
static int collapsed_shapes(const struct bank *bank, enum combine combine, struct filter *shapes,
                            int *target)
{
    int count = 0;
    for (int i = 0; i < bank->count; i++) {
        const struct filter *filter = &bank->filters[i];
        int key = summand_key(filter, combine), k = 0;
        while (k < count && shapes[k].angle != key)
            k++;
        if (k == count)
            shapes[count++] = (struct filter){.angle = key};
        hull_cover(&shapes[k], filter);
        target[i] = k;
    }
    return count;
}

static struct bank *bank_new_summed(const struct bank *bank, enum combine combine)
{
    struct bank *summed = NULL;
    struct filter *shapes = calloc((size_t)bank->count + 1, sizeof *shapes);
    int *target = calloc((size_t)bank->count + 1, sizeof *target);
    if (!shapes || !target)
        goto out;
    int count = collapsed_shapes(bank, combine, shapes, target);
    summed = bank_new(shapes, count);
    for (int i = 0; summed && i < bank->count; i++)
        filter_add(bank_taps(summed, target[i]), &summed->filters[target[i]], &bank->filters[i]);
out:
    free(target);
    free(shapes);
    return summed;
}

static struct bank *bank_new_copy(const struct bank *bank)
{
    struct bank *copy = bank_new(bank->filters, bank->count);
    for (int i = 0; copy && i < bank->count; i++)
        memcpy(bank_taps(copy, i), bank->filters[i].taps,
               filter_taps(&bank->filters[i]) * sizeof(double));
    return copy;
}

struct bank *bank_new_collapsed(const struct bank *bank, enum combine combine)
{
    return combine == COMBINE_MAX ? bank_new_copy(bank) : bank_new_summed(bank, combine);
}

void bank_scale(struct bank *bank, double factor)
{
    int64_t taps = bank_tap_count(bank);
    for (int64_t i = 0; i < taps; i++)
        bank->taps[i] *= factor;
}

static void raise_to(int *most, int value)
{
    if (*most < value)
        *most = value;
}

void reach_widen(struct reach *reach, const struct filter *filter)
{
    raise_to(&reach->up, filter->anchor_row);
    raise_to(&reach->down, filter->rows - 1 - filter->anchor_row);
    raise_to(&reach->left, filter->anchor_column);
    raise_to(&reach->right, filter->columns - 1 - filter->anchor_column);
}

struct reach bank_reach(const struct bank *bank)
{
    struct reach reach = {0};
    for (int i = 0; i < bank->count; i++)
        reach_widen(&reach, &bank->filters[i]);
    return reach;
}

int64_t bank_tap_count(const struct bank *bank)
{
    int64_t taps = 0;
    for (int i = 0; i < bank->count; i++)
        taps += (int64_t)filter_taps(&bank->filters[i]);
    return taps;
}

void bank_free(struct bank **bank)
{
    if (!*bank)
        return;
    free((*bank)->filters);
    free((*bank)->taps);
    free(*bank);
    *bank = NULL;
}

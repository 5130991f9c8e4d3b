#include "tests/kernel/picture.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#include "kernel/matched/correlators/correlate.h"

static void *had(void *memory)
{
    if (memory == NULL) {
        fputs("picture: out of memory\n", stderr);
        abort();
    }
    return memory;
}

static struct bank *bank_of(struct filter *shapes, int count)
{
    struct bank *bank = had(bank_new(shapes, count));
    free(shapes);
    return bank;
}

struct bank *bank_new_random(struct random *random, int count, int rows, int columns)
{
    struct filter *shapes = had(calloc((size_t)count, sizeof *shapes));
    for (int i = 0; i < count; i++)
        shapes[i] = (struct filter){.rows = rows,
                                    .columns = columns,
                                    .anchor_row = (rows - 1) / 2,
                                    .anchor_column = (columns - 1) / 2,
                                    .angle = i};
    struct bank *bank = bank_of(shapes, count);
    for (int64_t t = 0; t < bank_tap_count(bank); t++)
        bank->taps[t] = random_signed(random);
    return bank;
}

static struct filter shape_random(struct random *random, int most)
{
    struct filter shape = {.rows = (int)random_between(random, 1, most),
                           .columns = (int)random_between(random, 1, most)};
    switch (random_between(random, 0, 5)) {
    case 0: /* wider than anything around it */
        shape.columns = 3 * most;
        break;
    case 1:
        shape.rows = 2 * most;
        break;
    case 2:
        shape.rows = shape.columns;
        break;
    default:
        break;
    }
    shape.anchor_row = (shape.rows - 1) / 2;
    shape.anchor_column = (shape.columns - 1) / 2;
    if (random_between(random, 0, 4) == 0) { /* as summed filters have them */
        shape.anchor_row = (int)random_between(random, 0, shape.rows - 1);
        shape.anchor_column = (int)random_between(random, 0, shape.columns - 1);
    }
    return shape;
}

static void taps_random(struct bank *bank, int index, struct random *random)
{
    const struct filter *filter = &bank->filters[index];
    double *taps = bank_taps(bank, index);
    const bool empty = random_between(random, 0, 9) == 0;
    for (int a = 0; a < filter->rows; a++) {
        const bool skip = empty || random_between(random, 0, 7) == 0;
        for (int b = 0; b < filter->columns; b++)
            taps[a * filter->columns + b] = skip ? 0 : random_signed(random);
    }
}

struct bank *bank_new_varied(struct random *random, int count, int most)
{
    struct filter *shapes = had(calloc((size_t)count, sizeof *shapes));
    const bool same = random_between(random, 0, 1);
    for (int i = 0; i < count; i++)
        shapes[i] = same && i > 0 ? shapes[0] : shape_random(random, most);
    struct bank *bank = bank_of(shapes, count);
    for (int i = 0; i < count; i++)
        taps_random(bank, i, random);
    return bank;
}

void bank_symmetrize(struct bank *bank)
{
    for (int i = 0; i < bank->count; i++) {
        double *taps = bank_taps(bank, i);
        const int count = bank->filters[i].rows * bank->filters[i].columns;
        for (int t = 0; t < count / 2; t++)
            taps[count - 1 - t] = taps[t];
    }
}

/* `between` floats after the slack of each row but the last. */
static void picture_allocate(struct picture *picture, const struct bank *bank, int rows,
                             int columns, int between)
{
    const struct reach reach = bank_reach(bank);
    const ptrdiff_t wide = reach.left + columns + reach.right + CORRELATE_SLACK;
    *picture = (struct picture){
        .stride = wide + between, .reach = reach, .rows = rows, .columns = columns};
    picture->floats = (size_t)((reach.up + rows + reach.down - 1) * picture->stride) + (size_t)wide;
    picture->memory = had(malloc(picture->floats * sizeof *picture->memory));
    for (size_t i = 0; i < picture->floats; i++)
        picture->memory[i] = NAN;
}

void picture_init(struct picture *picture, const struct bank *bank, int rows, int columns)
{
    picture_allocate(picture, bank, rows, columns, 0);
}

void picture_init_random(struct picture *picture, const struct bank *bank, int rows, int columns,
                         struct random *random)
{
    picture_allocate(picture, bank, rows, columns, (int)random_between(random, 0, 3));
    picture->margin = (int)random_between(random, 0, 5);
    picture_fill_random(picture, random, 1);
}

void picture_init_calm(struct picture *picture, const struct picture *other)
{
    *picture = *other;
    picture->memory = had(malloc(picture->floats * sizeof *picture->memory));
    for (size_t i = 0; i < picture->floats; i++)
        picture->memory[i] = isnan(other->memory[i]) ? 0 : other->memory[i];
}

float *picture_at(const struct picture *picture, int row, int column)
{
    return picture->memory + (picture->reach.up + row) * picture->stride + picture->reach.left +
           column;
}

void picture_fill_random(struct picture *picture, struct random *random, double scale)
{
    for (int y = -picture->reach.up; y < picture->rows + picture->reach.down; y++)
        for (int x = -picture->reach.left; x < picture->columns + picture->reach.right; x++)
            *picture_at(picture, y, x) = (float)(scale * random_signed(random));
}

double picture_magnitude(const struct picture *picture)
{
    double most = 0;
    for (int y = -picture->reach.up; y < picture->rows + picture->reach.down; y++)
        for (int x = -picture->reach.left; x < picture->columns + picture->reach.right; x++)
            most = fmax(most, fabs((double)*picture_at(picture, y, x)));
    return most;
}

void picture_release(struct picture *picture)
{
    free(picture->memory);
    picture->memory = NULL;
}

/* Random banks and pictures to try algorithms on. Whatever cannot be had aborts with a word. */
#ifndef TESTS_KERNEL_PICTURE_H
#define TESTS_KERNEL_PICTURE_H

#include <stddef.h>

#include "kernel/matched/banks/bank.h"
#include "tests/kernel/random.h"

/* Taps in [-1, 1). Banks are to be freed. */
/* Filters of exactly those sizes, anchored at (n - 1) / 2. */
struct bank *bank_new_random(struct random *random, int count, int rows, int columns);
/* Filters of all sizes up to about most x most, some much longer than wide, some anchored anywhere,
 * or all of one size; some of their rows are empty, some filters are. */
struct bank *bank_new_varied(struct random *random, int count, int most);
/* Every filter the same when turned by half a turn. */
void bank_symmetrize(struct bank *bank);

/* Pixels around a tile, as far as a bank reaches; the slack and what lies between rows are not
 * numbers. */
struct picture {
    float *memory; /* owned; ends where it may end */
    size_t floats; /* in memory */
    ptrdiff_t stride;
    struct reach reach;
    int rows, columns;
    int margin; /* floats between the rows of a result */
};

void picture_init(struct picture *picture, const struct bank *bank, int rows, int columns);
/* The same with random pixels, a random margin and space between rows. */
void picture_init_random(struct picture *picture, const struct bank *bank, int rows, int columns,
                         struct random *random);
/* The same as another, but for zeros where that has no numbers. */
void picture_init_calm(struct picture *picture, const struct picture *other);
void picture_fill_random(struct picture *picture, struct random *random, double scale);
void picture_release(struct picture *picture);
/* The pixel at (row, column) of the tile, or outside it within reach. */
float *picture_at(const struct picture *picture, int row, int column);
/* The largest magnitude of all pixels. */
double picture_magnitude(const struct picture *picture);

#endif

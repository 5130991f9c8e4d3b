/*
 * Trials of an algorithm against the reference: a random bank, a random picture, a tile in it, on
 * every instruction set this processor has.
 */
#ifndef TESTS_KERNEL_TRIAL_H
#define TESTS_KERNEL_TRIAL_H

#include <stdint.h>

#include "kernel/correlate.h"
#include "tests/kernel/random.h"

/* Filters of exactly those sizes, anchored at (n - 1) / 2, taps in [-1, 1). To be freed. */
struct bank *bank_new_random(struct random *random, int count, int rows, int columns);

/* Pixels around a tile: as far as a bank reaches, and the slack, which is not a number. */
struct picture {
    float *memory; /* owned */
    ptrdiff_t stride;
    struct reach reach;
    int rows, columns;
};

void picture_init(struct picture *picture, const struct bank *bank, int rows, int columns);
void picture_fill_random(struct picture *picture, struct random *random, double scale);
void picture_release(struct picture *picture);
/* The pixel at (row, column) of the tile, or outside it within reach. */
float *picture_at(const struct picture *picture, int row, int column);

/* The whole tile's result by that algorithm with the instruction set in use, for a correlator made
 * for tiles of at most rows_most x columns_most. To be freed. */
float *picture_run(const struct picture *picture, const struct algorithm *algorithm,
                   const struct bank *bank, int rows_most, int columns_most);

/*
 * The algorithm's result on that picture, on every instruction set, must be within 2e-6 of the
 * reference (relative to the greatest response such pixels can be expected to have), equal bit for
 * bit on AVX2 and AVX-512, equal bit for bit when the tile is cut at its row step, leave what is
 * around it alone, and accumulate. Fails the cmocka test otherwise, naming `seed`.
 */
void trial_check(const struct algorithm *algorithm, const struct bank *bank,
                 const struct picture *picture, uint64_t seed);
/* The same with a picture of random pixels. */
void trial_check_random(const struct algorithm *algorithm, const struct bank *bank, int rows,
                        int columns, uint64_t seed);

#endif

/*
 * Trials of an algorithm against the reference on every instruction set this processor has. They
 * complain instead of failing a test, so that they run where there is no test library
 * (assert_trial.h is for where there is).
 *
 * On a picture, an algorithm's result must be within 2e-6 of the reference (relative to the
 * greatest response such pixels can be expected to have), equal bit for bit on AVX2 and AVX-512,
 * equal bit for bit when the tile is cut into rows (the FFT aside), leave what is around it alone,
 * and accumulate.
 */
#ifndef TESTS_KERNEL_TRIAL_H
#define TESTS_KERNEL_TRIAL_H

#include <stdint.h>

#include "kernel/matched/correlators/correlate.h"
#include "tests/kernel/picture.h"

/* The whole tile's result by that algorithm with the instruction set in use, for a correlator made
 * for tiles of at most rows_most x columns_most; columns + margin floats a row. To be freed. */
float *picture_run(const struct picture *picture, const struct algorithm *algorithm,
                   const struct bank *bank, int rows_most, int columns_most);

bool trial_applies(const struct algorithm *algorithm, const struct bank *bank);
/* Its estimate for square tiles of that edge and the instruction set in use. */
double trial_effort(const struct algorithm *algorithm, const struct bank *bank, int edge);

/* NULL when all is well, otherwise the first thing that is wrong, as one sentence that names
 * `seed`; borrowed until the next trial. */
const char *trial_complaint(const struct algorithm *algorithm, const struct bank *bank,
                            const struct picture *picture, uint64_t seed);
/* The same with a picture of random pixels, made from the seed. */
const char *trial_complaint_random(const struct algorithm *algorithm, const struct bank *bank,
                                   int rows, int columns, uint64_t seed);
/* The same for all algorithms: a random bank and picture from each seed first .. last, done by
 * every algorithm that applies. Complains also of an algorithm that never did. */
const char *trial_complaint_seeds(uint64_t first, uint64_t last);

#endif

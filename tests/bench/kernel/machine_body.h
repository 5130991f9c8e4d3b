/* Bursts of multiply-adds for whatever instruction set the including file is compiled for; that
 * file defines PEAK and FED_PEAK, the functions' names. */
#include <stddef.h>

#include "kernel/vector/vector.h"
#include "tests/bench/kernel/machine.h"

/* Registers alone. */
double PEAK(int rounds)
{
    enum { CHAINS = 12 }; /* more than latency times throughput */
    vector sum[CHAINS];
    vector factor = vector_all(0.5F), term = vector_all(1.0F);
    VECTOR_UNROLL
    for (int i = 0; i < CHAINS; i++)
        sum[i] = vector_all(1.0F);
    vector_keep(&factor);
    vector_keep(&term);
    for (int r = 0; r < rounds; r++) {
        VECTOR_UNROLL
        for (int i = 0; i < CHAINS; i++) {
            sum[i] = vector_fma(sum[i], factor, term);
            vector_keep(&sum[i]);
        }
    }
    volatile float seen = 0;
    VECTOR_UNROLL
    for (int i = 0; i < CHAINS; i++)
        seen = seen + sum[i][0];
    return (double)CHAINS * VECTOR_LANES * rounds;
}

enum { ROWS = 6, VECTORS = VECTOR_LANES == 16 ? 4 : 2, TAPS = 32 };

/* One tap: vectors of pixels from anywhere, a weight for every row. */
VECTOR_INLINE void tap_add(vector sum[ROWS][VECTORS], const float *pixels, const float *weights)
{
    vector pixel[VECTORS];
    /* Not to be kept from the tap before: registers are for the sums. */
    __asm__("" : "+r"(weights));
    VECTOR_UNROLL
    for (int v = 0; v < VECTORS; v++) {
        pixel[v] = vector_load(pixels + (ptrdiff_t)v * VECTOR_LANES);
        vector_keep(&pixel[v]);
    }
    VECTOR_UNROLL
    for (int row = 0; row < ROWS; row++) {
        const vector weight = vector_all(weights[row]);
        VECTOR_UNROLL
        for (int v = 0; v < VECTORS; v++)
            vector_accumulate(&sum[row][v], weight, pixel[v]);
    }
}

/* The factors come from the nearest cache, each used as often as there are registers for sums: no
 * direct correlation can do with less. */
double FED_PEAK(int rounds)
{
    static float pixels[VECTORS * VECTOR_LANES + TAPS], weights[TAPS + ROWS];
    for (int i = 0; i < VECTORS * VECTOR_LANES + TAPS; i++)
        pixels[i] = 1 + 0.001F * (float)i;
    for (int i = 0; i < TAPS + ROWS; i++)
        weights[i] = i % 2 ? 0.5F : -0.5F;
    vector sum[ROWS][VECTORS];
    VECTOR_UNROLL
    for (int row = 0; row < ROWS; row++)
        VECTOR_UNROLL
    for (int v = 0; v < VECTORS; v++)
        sum[row][v] = (vector){0};
    for (int r = 0; r < rounds; r++)
        for (int t = 0; t < TAPS; t++)
            tap_add(sum, pixels + t, weights + t);
    volatile float seen = 0;
    VECTOR_UNROLL
    for (int row = 0; row < ROWS; row++)
        VECTOR_UNROLL
    for (int v = 0; v < VECTORS; v++)
        seen = seen + sum[row][v][0];
    return (double)ROWS * VECTORS * VECTOR_LANES * TAPS * rounds;
}

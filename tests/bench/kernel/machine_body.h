/* A burst of multiply-adds for whatever instruction set the including file is compiled for; that
 * file defines PEAK, the function's name. */
#include "kernel/vector.h"
#include "tests/bench/kernel/machine.h"

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

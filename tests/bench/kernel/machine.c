#include "tests/bench/kernel/machine.h"

#include <stdlib.h>
#include <string.h>

#include "kernel/isa.h"
#include "tests/bench/kernel/bench.h"

static double peak_rounds(enum isa isa, int rounds)
{
#ifdef __x86_64__
    if (isa == ISA_AVX512)
        return peak_avx512(rounds);
    if (isa == ISA_AVX2)
        return peak_avx2(rounds);
#endif
    (void)isa;
    return peak_generic(rounds);
}

double machine_peak(void)
{
    const int rounds = 1000000; /* a millisecond or several: much more than the clock's grain */
    const double start = clock_now(1);
    const double done = peak_rounds(isa_current(), rounds);
    return done / (clock_now(1) - start);
}

double machine_bandwidth(void)
{
    const size_t bytes = (size_t)1 << 30;
    unsigned char *memory = malloc(bytes);
    if (!memory)
        return 0;
    memset(memory, 1, bytes);
    double best = 0;
    for (int r = 0; r < 3; r++) {
        const double start = clock_now(1);
        unsigned long sum = 0;
        for (size_t i = 0; i < bytes; i += sizeof sum) {
            unsigned long word;
            memcpy(&word, memory + i, sizeof word);
            sum += word;
        }
        volatile unsigned long seen = sum;
        (void)seen;
        const double rate = (double)bytes / (clock_now(1) - start);
        best = rate > best ? rate : best;
    }
    free(memory);
    return best;
}

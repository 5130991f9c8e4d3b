#include "tests/bench/kernel/machine.h"

#include <stdlib.h>
#include <string.h>

#include "kernel/vector/isa.h"
#include "tests/bench/kernel/bench.h"

struct bursts {
    double (*peak)(int rounds), (*fed)(int rounds);
};

static const struct bursts bursts[ISA_COUNT] = {
    [ISA_BASELINE] = {peak_generic, fed_peak_generic},
#ifdef __x86_64__
    [ISA_AVX2] = {peak_avx2, fed_peak_avx2},
    [ISA_AVX512] = {peak_avx512, fed_peak_avx512},
#endif
};

/* Bursts of one kind, and how many multiply-adds the last one did. */
struct bursting {
    double (*burst)(int rounds);
    int rounds;
    double done;
};

static void bursting_pass(void *context)
{
    struct bursting *bursting = context;
    bursting->done = bursting->burst(bursting->rounds);
}

/* Multiply-adds a second in a turn as any method has. A burst takes about a millisecond. */
static double burst_rate(double (*burst)(int rounds), int rounds)
{
    struct bursting bursting = {burst, rounds, 0};
    const double seconds = turn_take(&(struct turn){bursting_pass, &bursting, 1});
    return bursting.done / seconds;
}

double machine_peak(void)
{
    return burst_rate(bursts[isa_current()].peak, 500000);
}

double machine_fed_peak(void)
{
    return burst_rate(bursts[isa_current()].fed, 5000);
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

#include <math.h>
#include <stdlib.h>
#include <time.h>

#include "tests/bench/kernel/bench.h"

void samples_add(struct samples *samples, double seconds)
{
    if (samples->count < SAMPLES_MOST)
        samples->seconds[samples->count++] = seconds;
}

double samples_least(const struct samples *samples)
{
    double least = samples->count > 0 ? samples->seconds[0] : (double)NAN;
    for (int i = 1; i < samples->count; i++)
        least = fmin(least, samples->seconds[i]);
    return least;
}

static int ascending(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

double samples_median(const struct samples *samples)
{
    struct samples sorted = *samples;
    if (sorted.count == 0)
        return (double)NAN;
    qsort(sorted.seconds, (size_t)sorted.count, sizeof *sorted.seconds, ascending);
    const int middle = sorted.count / 2;
    return sorted.count % 2 ? sorted.seconds[middle]
                            : (sorted.seconds[middle - 1] + sorted.seconds[middle]) / 2;
}

double clock_now(int threads)
{
    struct timespec time;
    clock_gettime(threads == 1 ? CLOCK_THREAD_CPUTIME_ID : CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

double turn_take(const struct turn *turn)
{
    const double settle_s = 0.005, timed_s = 0.010, long_s = 0.1;
    double start = clock_now(turn->threads), elapsed;
    int settling = 0;
    do {
        turn->pass(turn->context);
        settling++;
        elapsed = clock_now(turn->threads) - start;
    } while (elapsed < settle_s);
    if (settling == 1 && elapsed >= long_s)
        return elapsed;
    const int passes = (int)ceil(timed_s * settling / elapsed);
    start = clock_now(turn->threads);
    for (int i = 0; i < passes; i++)
        turn->pass(turn->context);
    return (clock_now(turn->threads) - start) / passes;
}

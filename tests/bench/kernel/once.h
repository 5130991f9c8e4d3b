/* One work by one method and nothing else: for profilers. */
#ifndef TESTS_BENCH_KERNEL_ONCE_H
#define TESTS_BENCH_KERNEL_ONCE_H

#include "tests/bench/kernel/bench.h"

struct once {
    const char
        *work; /* "source", "orientations", "chaudhuri", "sum", or one filter's taps a side */
    int edge, passes;
};

/* Does the work and prints how many naive multiply-adds that are. False: no such work, or the
 * method cannot do it; nothing is printed then. */
bool once_run(const struct once *once, const struct method *method);

#endif

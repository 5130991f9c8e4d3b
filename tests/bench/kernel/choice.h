#ifndef TESTS_BENCH_KERNEL_CHOICE_H
#define TESTS_BENCH_KERNEL_CHOICE_H

#include "tests/bench/kernel/bench.h"

/* Time direct and FFT on banks of many kinds, at most `rounds` times each, and print how the choice
 * between them compares. The worst of time of the choice / time of the better one. */
double choice_measure(int rounds);

#endif

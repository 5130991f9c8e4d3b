/* The same counts in plain C, as one would write it in an afternoon. */
#ifndef TESTS_BENCH_MANDELBROT_PLAIN_H
#define TESTS_BENCH_MANDELBROT_PLAIN_H

#include "tests/kernel/mandelbrot_trial.h"

/* Rows [first, first + count), a row to each thread that is free. */
void plain_compute(const struct domain *domain, int64_t first, int64_t count, int threads,
                   uint32_t *counts);

#endif

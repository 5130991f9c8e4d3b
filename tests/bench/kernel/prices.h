/* What the cost model of the algorithms says, beside what this machine takes. */
#ifndef TESTS_BENCH_KERNEL_PRICES_H
#define TESTS_BENCH_KERNEL_PRICES_H

/* Print, in the unit of kernel/matched/correlators/correlate.h's estimates, what the transforms of
 * every size take (the table that kernel/matched/correlators/fft_plan.c chooses by is such a one)
 * and how the direct algorithm's estimates compare; `rounds` turns each. */
void prices_print(int rounds);

#endif

#ifndef TESTS_BENCH_KERNEL_MACHINE_H
#define TESTS_BENCH_KERNEL_MACHINE_H

/* Do `rounds` rounds of fused multiply-adds, on registers alone or (fed) on factors from the
 * nearest cache; how many there were. */
double peak_generic(int rounds);
double fed_peak_generic(int rounds);
#ifdef __x86_64__
double peak_avx2(int rounds);
double fed_peak_avx2(int rounds);
double peak_avx512(int rounds);
double fed_peak_avx512(int rounds);
#endif

#endif

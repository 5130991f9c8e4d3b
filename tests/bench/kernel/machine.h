#ifndef TESTS_BENCH_KERNEL_MACHINE_H
#define TESTS_BENCH_KERNEL_MACHINE_H

/* Do `rounds` rounds of fused multiply-adds; how many there were. */
double peak_generic(int rounds);
#ifdef __x86_64__
double peak_avx2(int rounds);
double peak_avx512(int rounds);
#endif

#endif

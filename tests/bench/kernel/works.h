/* What is to be correlated with what. */
#ifndef TESTS_BENCH_KERNEL_WORKS_H
#define TESTS_BENCH_KERNEL_WORKS_H

#include "kernel/matched/banks/bank.h"
#include "tests/bench/kernel/bench.h"

/* `count` filters of n x n random taps. All of these abort when memory runs out, and are to be
 * freed. */
struct bank *bank_of_random(int count, int n);
/* 30 orientations of a ridge, each in a frame of 15 x 15. */
struct bank *bank_of_orientations(void);
struct bank *bank_of_source(void);
struct bank *bank_of_chaudhuri(void);
/* The source's 210 filters summed into one. */
struct bank *bank_of_sum(void);

/* An image of edge x edge pixels like a retina's: a noisy ground with a bright winding line. The
 * bank must outlive it. */
void work_init(struct work *work, const char *name, const struct bank *bank, int edge);
void work_release(struct work *work);

#endif

/*
 * What is known of results without looking at them again: extremes and a checksum that does not
 * depend on ranks, threads, packages or the order in which tasks finish.
 */
#ifndef KERNEL_SUMMARY_H
#define KERNEL_SUMMARY_H

#include <stdint.h>

#include "kernel/kernel.h"

struct summary {
    double minimum, maximum; /* of the values that are numbers; +inf and -inf when none is */
    int64_t tasks;
    int64_t values, not_numbers;
    uint64_t checksum; /* sum modulo 2^64 over tasks of XXH3-64 of the task's values, seeded with
                        * the task's index */
};

void summary_init(struct summary *summary);
/* Add the results of tasks [first, first + count) as compute left them. */
void summary_add(struct summary *summary, const struct kernel *kernel, const struct kernel_job *job,
                 int64_t first, int64_t count, const float *results);
void summary_merge(struct summary *summary, const struct summary *other);

#endif

/*
 * Pictures of the Mandelbrot set through the interface of core tasks, as a run would compute them,
 * and the definition to compare with. No test library, so that it runs where there is none.
 */
#ifndef TESTS_KERNEL_MANDELBROT_TRIAL_H
#define TESTS_KERNEL_MANDELBROT_TRIAL_H

#include <stdbool.h>
#include <stdint.h>

#include "kernel/scow.h"
#include "tests/kernel/memory_host.h"
#include "tests/kernel/random.h"

struct domain {
    int64_t width, height;
    double x_min, x_max, y_min, y_max;
    int64_t iterations;
};

/* Those that were published, with 1000 iterations. */
extern const struct domain domain_square, domain_large;

/* The definition, one pixel at a time, in complex numbers. */
uint32_t domain_count(const struct domain *domain, int64_t row, int64_t column);
/* The same of rows [first, first + count); to be freed. */
uint32_t *domain_counts(const struct domain *domain, int64_t first, int64_t count);

/* Not to be moved. */
struct trial_job {
    struct memory_host memory;
    struct scow_value values[16];
    struct scow_setup setup;
    void *opened;
};

/* Describe and open, for the thread that calls this. False: memory.failure says why. To be released
 * in any case. */
bool trial_job_init(struct trial_job *job, const struct domain *domain);
void trial_job_release(struct trial_job *job);
/* Rows [first, first + count) as one package; returns a scow_status. Aborts when something is
 * written beyond the results, or when a pulse comes from another thread. */
int trial_job_compute(struct trial_job *job, int64_t first, int64_t count, int threads,
                      uint32_t *counts);

/* Are rows [first, first + count) as expected with every instruction set this processor has, with
 * 1 to 3 threads and in packages of random sizes? NULL, or a sentence; borrowed until the next
 * one. */
const char *domain_complaint(const struct domain *domain, int64_t first, int64_t count,
                             const uint32_t *expected, struct random *random);
/* The same for a small domain made from the seed: anywhere, zoomed far into the boundary, or around
 * -2, where rounding decides what is outside. */
const char *domain_complaint_random(uint64_t seed);

#endif

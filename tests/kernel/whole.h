/* Whole stacks of images through the matched filter's packages, in memory, as a run would do it. */
#ifndef TESTS_KERNEL_WHOLE_H
#define TESTS_KERNEL_WHOLE_H

#include "tests/kernel/memory_job.h"
#include "tests/kernel/random.h"

struct stack {
    struct scow_input image;
    void *pixels; /* slice after slice */
};

struct scow_input image_of(int64_t slices, int64_t rows, int64_t columns, int type);
int64_t image_pixels(const struct scow_input *image);

/* Random pixels of the image's type, owned; floats within [-100, 100]. */
void stack_init_random(struct stack *stack, const struct scow_input *image, struct random *random);
void stack_release(struct stack *stack);

/* The stack is borrowed. Stays where it is from init to release. */
struct whole {
    struct memory_host host; /* its pulses are those of the last call of whole_compute */
    struct memory_job job;   /* whose parameters are to be set */
};

/* Initial parameters, but for the edge of core tasks. */
void whole_init(struct whole *whole, const struct stack *stack, int block);
void whole_release(struct whole *whole);

/* Compute everything in packages of random sizes (at most `package_most` tasks; 0: one package for
 * all) in random order, in random batches, with that many threads, and put it together. To be
 * freed; aborts when the job is refused. */
float *whole_compute(struct whole *whole, struct random *random, int64_t package_most, int threads);

/* The same for every `every`-th task only, from task `phase`; the other values are infinite. NULL:
 * the job is refused. */
float *whole_sample(struct whole *whole, int64_t every, int64_t phase);

#endif

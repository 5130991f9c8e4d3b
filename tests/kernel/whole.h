/* A whole stack through a kernel's packages, in memory, as a run would do it. */
#ifndef TESTS_KERNEL_WHOLE_H
#define TESTS_KERNEL_WHOLE_H

#include "kernel/kernel.h"
#include "tests/kernel/random.h"

/* Pixels of an extent, slice after slice. */
struct stack {
    struct extent extent;
    void *pixels; /* owned */
};

/* Random pixels of the extent's type; floats within [-100, 100]. */
void stack_init_random(struct stack *stack, const struct extent *extent, struct random *random);
void stack_release(struct stack *stack);
struct kernel_source stack_source(struct stack *stack);

/* The kernel's initial values; extent and block as given. */
struct kernel_setup setup_initial(const struct kernel *kernel, const struct extent *extent,
                                  int block);
/* Set one parameter by name, to a number or one of its words; aborts when there is none. */
void setup_number(struct kernel_setup *setup, const struct kernel *kernel, const char *name,
                  double value);
void setup_word(struct kernel_setup *setup, const struct kernel *kernel, const char *name,
                const char *word);
double setup_value(const struct kernel_setup *setup, const struct kernel *kernel, const char *name);

/* Compute everything in packages of random sizes (at most `package_most` tasks; 0: one package for
 * all) in random order, with that many threads, and put it together; the floats are to be freed.
 * Checks on the way that the package's exact size is at most the promised most, and that nothing is
 * written beyond a package or a result. Counts the pulses when `pulses` is not NULL. */
float *whole_compute(const struct kernel *kernel, const struct kernel_setup *setup,
                     struct stack *stack, struct random *random, int64_t package_most, int threads,
                     int64_t *pulses);

/* The same for every `every`-th task only, from task `phase`; the other values are infinite. */
float *whole_sample(const struct kernel *kernel, const struct kernel_setup *setup,
                    struct stack *stack, int64_t every, int64_t phase);

#endif

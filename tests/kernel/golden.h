/* Golden values from tests/kernel/golden (see its README), read for the tests. */
#ifndef TESTS_KERNEL_GOLDEN_H
#define TESTS_KERNEL_GOLDEN_H

#include <stddef.h>
#include <stdint.h>

#include "kernel/matched/banks/bank.h"

/* An 8-bit picture. */
struct golden_image {
    int rows, columns;
    uint8_t *pixels; /* owned */
};

/* All abort with the name of the file when it cannot be read. */
void golden_image_read(struct golden_image *image, const char *name);
void golden_image_release(struct golden_image *image);
float *golden_floats(const char *name, size_t count); /* to be freed */
struct bank *golden_bank(void);                       /* the 210 filters; to be freed */

#endif

/* The readers of lines and sequences under fuzzing. */
#ifndef TESTS_FUZZ_ITEMS_H
#define TESTS_FUZZ_ITEMS_H

#include <stddef.h>
#include <stdint.h>

#include "kernel/scow.h"

/* Read the bytes as a file of that kind. Aborts when the reader finds anything but what a slow and
 * simple one finds, refuses what that takes, or refuses without a sentence. */
void items_try(enum scow_input_kind kind, const uint8_t *data, size_t size);

#endif

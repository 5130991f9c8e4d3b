/* The readers of images under fuzzing. */
#ifndef TESTS_FUZZ_IMAGE_FORMAT_H
#define TESTS_FUZZ_IMAGE_FORMAT_H

#include <stddef.h>
#include <stdint.h>

#include "spmd/input/image_format.h"

/* Read the bytes as a file of that format, to the last pixel. Aborts when the reader breaks its
 * word: a refusal without a sentence, an image without pixels, more memory than the file's size
 * can justify. */
void image_format_try(const struct image_format *format, const uint8_t *data, size_t size);

#endif

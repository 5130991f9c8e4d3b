/*
 * Images by struct extent, for callers that have not moved to spmd/input/input.h yet. No MPI.
 *
 * An HDF5 stack is read by hyperslabs, never as a whole; PNG and PGM are decoded once, on opening.
 */
#ifndef SPMD_INPUT_IMAGE_H
#define SPMD_INPUT_IMAGE_H

#include <stdbool.h>

#include "kernel/kernel.h"
#include "planner/base/failure.h"

struct image; /* an open one */

/* As input_open with SCOW_INPUT_IMAGE, and input_load. */
struct image *image_open(const char *name, struct failure *failure);
/* Only the shape, as cheaply as the format allows (a PNG's header is believed). */
bool image_extent(const char *name, struct extent *extent, struct failure *failure);
const struct extent *image_shape(const struct image *image);
/* As input_read_image, input_sha256 and input_close. */
bool image_read(struct image *image, int64_t slice, int64_t row, int64_t column, int64_t rows,
                int64_t columns, void *pixels, struct failure *failure);
bool image_sha256(const struct image *image, char digest[65], struct failure *failure);
void image_close(struct image **image); /* sets *image NULL */

#endif

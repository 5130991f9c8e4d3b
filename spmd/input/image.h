/*
 * Images and stacks from files: PNG, PGM (P2, P5; 8 and 16 bits), HDF5 data sets ("file.h5:/path",
 * 2 or 3 dimensions, [y][x] or [z][y][x], 8- or 16-bit unsigned integers or floats). No MPI.
 *
 * An HDF5 stack is read by hyperslabs, never as a whole; PNG and PGM are decoded once, on opening.
 */
#ifndef SPMD_INPUT_IMAGE_H
#define SPMD_INPUT_IMAGE_H

#include <stdbool.h>

#include "kernel/kernel.h"
#include "planner/base/failure.h"

struct image; /* an open one */

/* NULL with *failure set when the file is missing, empty, truncated, of no known format, of a
 * depth that is not supported, has no pixels, or claims more than memory can hold. */
struct image *image_open(const char *name, struct failure *failure);
/* Only the shape, as cheaply as the format allows (a PNG's header is believed). */
bool image_extent(const char *name, struct extent *extent, struct failure *failure);
const struct extent *image_shape(const struct image *image);
/* Copies a rectangle of one slice, row-major and without gaps, in the image's pixel type. */
bool image_read(struct image *image, int64_t slice, int64_t row, int64_t column, int64_t rows,
                int64_t columns, void *pixels, struct failure *failure);
/* Hexadecimal SHA-256 of the file's bytes (for HDF5: of the whole file). */
bool image_sha256(const struct image *image, char digest[65], struct failure *failure);
void image_close(struct image **image); /* sets *image NULL */

#endif

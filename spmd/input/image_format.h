/*
 * Shared by the image formats; private to them.
 *
 * A format that is decoded as a whole is one struct image_format and one source file; HDF5, read
 * piece by piece, has functions of its own below.
 */
#ifndef SPMD_INPUT_IMAGE_FORMAT_H
#define SPMD_INPUT_IMAGE_FORMAT_H

#include <stdio.h>

#include "kernel/scow.h"
#include "planner/base/failure.h"

/* A regular file that is open for reading, and is not empty. Borrowed by the formats. */
struct image_file {
    const char *name; /* for sentences */
    FILE *stream;
    int64_t size_bytes;
};

enum { IMAGE_HEAD_BYTES = 8 };

struct image_format {
    const char *name; /* "PNG" */
    /* Do the first `length` bytes (at most IMAGE_HEAD_BYTES) belong to this format? */
    bool (*recognize)(const unsigned char *head, size_t length);
    /* Type and extent, from the header, checked by image_plausible; reads from the file's start.
     * More than one slice: a stack of them. */
    bool (*header)(struct image_file *file, struct scow_input *shape, struct failure *failure);
    /* All pixels, row-major, in host byte order; reads from the file's start, whose header gave
     * `shape`. On failure what `pixels` holds is undefined. */
    bool (*decode)(struct image_file *file, const struct scow_input *shape, void *pixels,
                   struct failure *failure);
};

extern const struct image_format image_png;
extern const struct image_format image_pgm;
extern const struct image_format image_tiff;
extern const struct image_format image_npy;
extern const struct image_format image_nifti;

/* Refuse a header before anything is allocated for it: no pixels, more than memory can hold, or
 * more than a file of that size can contain, where one byte of it holds at most
 * `most_per_byte` bytes of pixels. */
bool image_plausible(const struct image_file *file, const struct scow_input *shape,
                     int64_t most_per_byte, struct failure *failure);
/* Bytes of all pixels of a plausible image. */
size_t image_bytes(const struct scow_input *shape);

struct image_stack; /* an open HDF5 data set */

/* Is this the name of an HDF5 file? Works with a user block before the signature, too. */
bool image_stack_recognize(const char *file);
/* NULL with *failure set: no such data set, or one that is no image. `dataset` NULL: the sentence
 * names the data sets that there are. Owned by the caller. */
struct image_stack *image_stack_open(const char *file, const char *dataset,
                                     struct scow_input *shape, struct failure *failure);
/* As input_read_image; `file` is for the sentence. */
bool image_stack_read(struct image_stack *stack, const char *file, const int64_t start[3],
                      const int64_t count[3], void *pixels, struct failure *failure);
void image_stack_close(struct image_stack **stack); /* sets *stack NULL */

#endif

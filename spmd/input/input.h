/*
 * The input of a job, of any kind: one interface to all readers. No MPI.
 *
 * Adding a kind is one file with a struct input_reader (spmd/input/reader.h), one row in input.c's
 * table and one line of CMake.
 */
#ifndef SPMD_INPUT_INPUT_H
#define SPMD_INPUT_INPUT_H

#include <stdbool.h>

#include "kernel/scow.h"
#include "planner/base/failure.h"

struct input; /* an open one */

/* Open `name` as an input of that kind, as cheaply as its format allows: items are counted, other
 * contents are not read if that can be avoided. With SCOW_INPUT_NONE the name must be NULL, with
 * all others it must not. NULL with *failure set when the file is missing, empty (but for
 * SCOW_INPUT_FILE), damaged, of no known format, or claims more than memory can hold. */
struct input *input_open(enum scow_input_kind kind, const char *name, struct failure *failure);
/* Do now what the first read would do once (decode a picture), so that timings do not include it.
 */
bool input_load(struct input *input, struct failure *failure);
/* Borrowed; the name is the one given. Of files, and without an input, type and extent are 0. */
const struct scow_input *input_shape(const struct input *input);
/* Bytes of one pixel of an image of that shape. */
size_t input_pixel_bytes(const struct scow_input *shape);
/* An image: copies rows x columns pixels of one slice, row-major and without gaps, in the shape's
 * type. The rectangle must lie within the slice. */
bool input_read_image(struct input *input, int64_t slice, int64_t row, int64_t column, int64_t rows,
                      int64_t columns, void *pixels, struct failure *failure);
/* Lines or sequences: number `index`, which must be there; borrowed until the next call. */
bool input_read_item(struct input *input, int64_t index, struct scow_item *item,
                     struct failure *failure);
/* The files whose bytes, one file behind the other, are the input; none without one. Borrowed. */
const char *const *input_files(const struct input *input, int64_t *count);
/* Hexadecimal SHA-256 of these bytes; without an input, that of no bytes. For a large input,
 * digest.h computes it in the background. */
bool input_sha256(const struct input *input, char digest[65], struct failure *failure);
/* 64 digits that differ if a file's size or time of modification differs. */
bool input_stamp(const struct input *input, char stamp[65], struct failure *failure);
/* 64 digits that identify the very same files in the same state, on any node of a shared file
 * system: by inodes, sizes and times. A copy has a time of status change of its own, which cannot
 * be set. */
bool input_identity(const struct input *input, char identity[65], struct failure *failure);
/* Are the files unchanged since input_open, by their sizes, times and inodes? False with *failure
 * set. */
bool input_untouched(const struct input *input, struct failure *failure);
/* Is the content that was read since input_open that of `digest` (computed then by input_sha256;
 * "": not computed)? It is if the files are untouched; otherwise they are read again and compared
 * with the digest, if there is one. False with *failure set: the input has changed, or cannot be
 * read any more. */
bool input_unchanged(const struct input *input, const char *digest, struct failure *failure);
void input_close(struct input **input); /* sets *input NULL */

#endif

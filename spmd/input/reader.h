/*
 * The interface of a kind of input; private to input.c and the readers.
 *
 * `self` is what open made; everything is called by one thread at a time.
 */
#ifndef SPMD_INPUT_READER_H
#define SPMD_INPUT_READER_H

#include <stdbool.h>

#include "kernel/scow.h"
#include "planner/base/failure.h"

struct input_reader {
    int kind; /* enum scow_input_kind */
    /* Fills in *self, to be closed, and type and extent of the shape, which are zero before. NULL:
     * a kind without a name. */
    bool (*open)(const char *name, struct scow_input *shape, void **self, struct failure *failure);
    /* As input_load; NULL: there is nothing to do. */
    bool (*load)(void *self, struct failure *failure);
    /* As input_read_image, with checked arguments; NULL: there are no pixels. */
    bool (*read_image)(void *self, int64_t slice, int64_t row, int64_t column, int64_t rows,
                       int64_t columns, void *pixels, struct failure *failure);
    /* As input_read_item, with a checked index; NULL: there are no items. */
    bool (*read_item)(void *self, int64_t index, struct scow_item *item, struct failure *failure);
    /* The files that it reads, in the order in which their bytes make the digest: borrowed, like
     * their names. NULL: the one of that name. */
    const char *const *(*files)(const void *self, int64_t *count);
    void (*close)(void *self); /* of NULL: does nothing; NULL: there is nothing to close */
};

extern const struct input_reader input_none, input_image, input_lines, input_sequences, input_file;

#endif

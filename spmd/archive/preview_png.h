/* Writing a grey picture as PNG: the part of the preview that knows libpng. */
#ifndef SPMD_ARCHIVE_PREVIEW_PNG_H
#define SPMD_ARCHIVE_PREVIEW_PNG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "planner/base/failure.h"

struct preview_canvas {
    int64_t rows, columns;
    unsigned char *grey; /* row-major */
};

/* The file's bytes; data is owned. */
struct preview_encoded {
    unsigned char *data;
    size_t length;
};

/* As a PNG, to be freed; data is NULL after a failure. */
bool preview_canvas_encode(const struct preview_canvas *canvas, struct preview_encoded *encoded,
                           struct failure *failure);
/* Replace `png` by the picture as a whole or not at all (written beside it, then renamed). */
bool preview_canvas_write(const struct preview_canvas *canvas, const char *png,
                          struct failure *failure);

#endif

/* One slice of an image, scaled down by area, in grey. No MPI. */
#ifndef SPMD_ARCHIVE_PANEL_H
#define SPMD_ARCHIVE_PANEL_H

#include <stdbool.h>
#include <stdint.h>

#include "planner/base/failure.h"
#include "spmd/archive/preview_png.h"
#include "spmd/input/input.h"

struct panel {
    int64_t rows, columns;
    int type;       /* of the image's pixels: enum scow_type */
    double *values; /* owned; row-major means over areas of the image */
};

struct panel_limits {
    int64_t rows, columns; /* at most */
};

/* In the image's proportions. `slice` must be one of the image's. To be released, even after a
 * failure. */
bool panel_load(struct panel *panel, struct input *image, int64_t slice, struct panel_limits limits,
                struct failure *failure);
/* 8-bit images keep their grey values, others are stretched from their least to their greatest. The
 * canvas must have room for the panel from column `left`. */
void panel_draw(const struct panel *panel, struct preview_canvas *canvas, int64_t left);
void panel_release(struct panel *panel);
/* A grid of a run's output ("/normalized", the picture of its result), to be closed; NULL with
 * *failure set. */
struct input *panel_grid_open(const char *output, const char *grid, struct failure *failure);

#endif

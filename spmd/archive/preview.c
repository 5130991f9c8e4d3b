#include "spmd/archive/preview.h"

#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "spmd/archive/panel.h"
#include "spmd/archive/preview_png.h"
#include "spmd/input/input.h"

enum { EDGE_MOST = 1600, GAP = 8 };

/* Draws the panels from left to right, on white. */
static bool panels_write(const struct panel *panels, int count, const char *png,
                         struct failure *failure)
{
    struct preview_canvas canvas = {panels[0].rows, panels[0].columns, NULL};
    for (int i = 1; i < count; i++) {
        canvas.columns += GAP + panels[i].columns;
        canvas.rows = panels[i].rows > canvas.rows ? panels[i].rows : canvas.rows;
    }
    assert(canvas.rows > 0 && canvas.columns > 0);
    canvas.grey = malloc((size_t)canvas.rows * (size_t)canvas.columns);
    if (!canvas.grey)
        return failure_memory(failure, "drawing the preview");
    memset(canvas.grey, 255, (size_t)canvas.rows * (size_t)canvas.columns);
    int64_t left = 0;
    for (int i = 0; i < count; i++) {
        panel_draw(&panels[i], &canvas, left);
        left += panels[i].columns + GAP;
    }
    bool ok = preview_canvas_write(&canvas, png, failure);
    free(canvas.grey);
    return ok;
}

static bool slice_load(struct panel *panel, struct input *image, int64_t slice,
                       int64_t columns_most, struct failure *failure)
{
    const struct panel_limits limits = {EDGE_MOST, columns_most};
    if (!image)
        return false;
    const struct scow_input *shape = input_shape(image);
    if (slice >= shape->extent[0])
        return failure_set(failure, FAILURE_USAGE,
                           "%s: has no slice %" PRId64 ": choose one from 1 to %" PRId64,
                           shape->name, slice + 1, shape->extent[0]);
    return panel_load(panel, image, slice, limits, failure);
}

bool preview_write(const char *output, const char *input, int64_t slice, const char *png,
                   struct failure *failure)
{
    struct panel panels[2] = {{.type = SCOW_U8}, {.type = SCOW_U8}};
    const int count = input ? 2 : 1;
    const int64_t columns_most = input ? (EDGE_MOST - GAP) / 2 : EDGE_MOST;
    struct input *result = panel_grid_open(output, "/normalized", failure);
    struct input *before = result && input ? input_open(SCOW_INPUT_IMAGE, input, failure) : NULL;
    const bool ok = slice_load(&panels[count - 1], result, slice, columns_most, failure) &&
                    (!input || slice_load(&panels[0], before, slice, columns_most, failure)) &&
                    panels_write(panels, count, png, failure);
    panel_release(&panels[0]);
    panel_release(&panels[1]);
    input_close(&before);
    input_close(&result);
    return ok;
}

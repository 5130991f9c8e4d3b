#include "spmd/archive/slices.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "planner/base/json_text.h"
#include "spmd/archive/panel.h"
#include "spmd/archive/preview_png.h"
#include "spmd/input/input.h"

/* Edges in pixels: a few slices are drawn larger than many. */
enum { EDGE_FEW = 720, EDGE_MANY = 480, FEW = 6 };

static void base64_add(struct text *text, const unsigned char *bytes, size_t length)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    for (size_t k = 0; k < length; k += 3) {
        const unsigned left = length - k < 3 ? (unsigned)(length - k) : 3;
        const unsigned word = (unsigned)bytes[k] << 16 |
                              (left > 1 ? (unsigned)bytes[k + 1] << 8 : 0) |
                              (left > 2 ? bytes[k + 2] : 0);
        const char quad[5] = {digits[word >> 18], digits[word >> 12 & 63],
                              left > 1 ? digits[word >> 6 & 63] : '=',
                              left > 2 ? digits[word & 63] : '=', 0};
        text_add(text, "%s", quad);
    }
}

static bool panel_print(const struct panel *panel, struct text *text, struct failure *failure)
{
    struct preview_canvas canvas = {panel->rows, panel->columns, NULL};
    struct preview_encoded encoded = {NULL, 0};
    canvas.grey = malloc((size_t)canvas.rows * (size_t)canvas.columns);
    if (!canvas.grey)
        return failure_memory(failure, "drawing a slice");
    panel_draw(panel, &canvas, 0);
    const bool good = preview_canvas_encode(&canvas, &encoded, failure);
    if (good) {
        text_add(text, "\"data:image/png;base64,");
        base64_add(text, encoded.data, encoded.length);
        text_add(text, "\"");
    }
    free(encoded.data);
    free(canvas.grey);
    return good;
}

/* "null" without an image. */
static bool slice_print(struct input *image, int64_t slice, int64_t edge, struct text *text,
                        struct failure *failure)
{
    struct panel panel = {.type = SCOW_U8};
    const struct panel_limits limits = {edge, edge};
    if (!image) {
        text_add(text, "null");
        return true;
    }
    const bool good =
        panel_load(&panel, image, slice, limits, failure) && panel_print(&panel, text, failure);
    panel_release(&panel);
    return good;
}

/* To be closed; NULL without a failure: there was no input, or *note says why it is not drawn. */
static struct input *input_find(const struct slices_request *request,
                                const struct scow_input *result, const char **note)
{
    struct failure ignored = FAILURE_INIT;
    char digest[65];
    *note = NULL;
    if (!request->input)
        return NULL;
    *note = "the input is not where it was";
    struct input *image = input_open(SCOW_INPUT_IMAGE, request->input, &ignored);
    if (!image)
        return NULL;
    *note = "the input has changed since the run";
    if (request->input_sha256 && input_sha256(image, digest, &ignored) &&
        strcmp(digest, request->input_sha256) == 0 &&
        input_shape(image)->extent[0] == result->extent[0]) {
        *note = NULL;
        return image;
    }
    input_close(&image);
    return NULL;
}

static bool pictures_print(struct input *result, struct input *before, struct json_text *json,
                           struct failure *failure)
{
    const int64_t slices = input_shape(result)->extent[0];
    const int64_t count = slices < SLICES_MOST ? slices : SLICES_MOST;
    const int64_t edge = count <= FEW ? EDGE_FEW : EDGE_MANY;
    bool good = true;
    for (int64_t k = 0; good && k < count; k++) {
        const int64_t slice = count > 1 ? k * (slices - 1) / (count - 1) : 0;
        struct json_text row = json_open_in(json, NULL, "{", ", ");
        json_count(&row, "slice", slice);
        good = slice_print(result, slice, edge, json_next(&row, "result"), failure) &&
               slice_print(before, slice, edge, json_next(&row, "input"), failure);
        json_close(&row, "}");
    }
    return good;
}

bool slices_print(const struct slices_request *request, struct text *text, struct failure *failure)
{
    const char *note = NULL;
    struct input *result = panel_grid_open(request->output, "/normalized", failure);
    if (!result)
        return false;
    const struct scow_input *shape = input_shape(result);
    struct input *before = input_find(request, shape, &note);
    struct json_text json = json_open(text, "{", ", ");
    json_count(&json, "slices", shape->extent[0]);
    json_count(&json, "rows", shape->extent[1]);
    json_count(&json, "columns", shape->extent[2]);
    json_word(&json, "note", note);
    struct json_text pictures = json_open_in(&json, "pictures", "[\n", ",\n");
    const bool good = pictures_print(result, before, &pictures, failure);
    json_close(&pictures, "]");
    json_close(&json, "}\n");
    input_close(&before);
    input_close(&result);
    return good;
}

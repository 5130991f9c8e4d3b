#include "spmd/output/preview.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "spmd/input/input.h"
#include "spmd/output/preview_png.h"

enum { EDGE_MOST = 1600, GAP = 8, BAND_BYTES = 1 << 24 };

/* One picture of the preview: the first slice of an image, scaled down. */
struct panel {
    int64_t rows, columns;
    int type;       /* of the image's pixels: enum scow_type */
    double *values; /* row-major means over areas of the image */
};

static size_t panel_size(const struct panel *panel)
{
    return (size_t)panel->rows * (size_t)panel->columns;
}

/* ---- scaling down ---- */

/* How much of [begin, end) the pixel [x, x + 1) covers. */
static double overlap(double begin, double end, int64_t x)
{
    return fmax(0, fmin(end, (double)x + 1) - fmax(begin, (double)x));
}

/* A line of `from` pixels to `to` means over equal lengths; shared pixels count by their share. */
static void line_shrink(const double *line, int64_t from, double *shrunk, int64_t to)
{
    double step = (double)from / (double)to;
    for (int64_t j = 0; j < to; j++) {
        double begin = (double)j * step, end = begin + step, sum = 0;
        for (int64_t x = (int64_t)begin; x < from && (double)x < end; x++)
            sum += line[x] * overlap(begin, end, x);
        shrunk[j] = sum / step;
    }
}

/* Add the shrunk line y of an image of `from` rows to the rows of the panel that it touches. */
static void panel_add_line(struct panel *panel, const double *line, int64_t y, int64_t from)
{
    double step = (double)from / (double)panel->rows;
    for (int64_t i = (int64_t)((double)y / step); i < panel->rows; i++) {
        double begin = (double)i * step;
        if (begin >= (double)y + 1)
            break;
        double share = overlap(begin, begin + step, y) / step;
        for (int64_t j = 0; j < panel->columns; j++)
            panel->values[i * panel->columns + j] += share * line[j];
    }
}

/* Infinities and what is no number would spread over the whole picture: they show as 0. */
static double pixel_value(const void *pixels, int type, int64_t i)
{
    double value = type == SCOW_U8    ? ((const uint8_t *)pixels)[i]
                   : type == SCOW_U16 ? ((const uint16_t *)pixels)[i]
                                      : (double)((const float *)pixels)[i];
    return isfinite(value) ? value : 0;
}

/* Workspace of panel_fill. */
struct band {
    int64_t rows;
    void *pixels;          /* that many rows of the image */
    double *line, *shrunk; /* one of them, before and after */
};

static bool band_init(struct band *band, const struct scow_input *shape, const struct panel *panel)
{
    size_t line = (size_t)shape->extent[2] * input_pixel_bytes(shape);
    band->rows = 1 + (int64_t)(BAND_BYTES / line);
    band->pixels = malloc((size_t)band->rows * line);
    band->line = malloc((size_t)shape->extent[2] * sizeof *band->line);
    band->shrunk = malloc((size_t)panel->columns * sizeof *band->shrunk);
    return band->pixels && band->line && band->shrunk;
}

static void band_release(struct band *band)
{
    free(band->pixels);
    free(band->line);
    free(band->shrunk);
}

static bool panel_fill(struct panel *panel, struct input *image, struct band *band,
                       struct failure *failure)
{
    const struct scow_input *shape = input_shape(image);
    int64_t all_rows = shape->extent[1], columns = shape->extent[2];
    for (int64_t y = 0; y < all_rows; y++) {
        int64_t within = y % band->rows, left = all_rows - y;
        int64_t rows = left < band->rows ? left : band->rows;
        if (within == 0 && !input_read_image(image, 0, y, 0, rows, columns, band->pixels, failure))
            return false;
        for (int64_t x = 0; x < columns; x++)
            band->line[x] = pixel_value(band->pixels, shape->type, within * columns + x);
        line_shrink(band->line, columns, band->shrunk, panel->columns);
        panel_add_line(panel, band->shrunk, y, all_rows);
    }
    return true;
}

/* The panel's size: the image's, or less in the same proportion, within the two limits. */
static void panel_fit(struct panel *panel, const struct scow_input *shape, int64_t columns_most)
{
    double rows = (double)shape->extent[1], columns = (double)shape->extent[2];
    double shrink = fmax(columns / (double)columns_most, rows / (double)EDGE_MOST);
    shrink = fmax(shrink, 1);
    panel->columns = (int64_t)fmax(1, floor(columns / shrink));
    panel->rows = (int64_t)fmax(1, floor(rows / shrink));
    panel->type = shape->type;
}

static bool panel_load(struct panel *panel, const char *name, int64_t columns_most,
                       struct failure *failure)
{
    struct band band = {0, NULL, NULL, NULL};
    struct input *image = input_open(SCOW_INPUT_IMAGE, name, failure);
    if (!image)
        return false;
    panel_fit(panel, input_shape(image), columns_most);
    panel->values = calloc(panel_size(panel), sizeof *panel->values);
    bool ok = panel->values && band_init(&band, input_shape(image), panel);
    if (ok)
        ok = panel_fill(panel, image, &band, failure);
    else
        failure_memory(failure, "scaling a picture down");
    band_release(&band);
    input_close(&image);
    return ok;
}

/* ---- putting panels side by side ---- */

/* Value to grey: scale * (value - least). */
static void panel_grey(const struct panel *panel, double *least, double *scale)
{
    *least = 0;
    *scale = 1;
    if (panel->type == SCOW_U8)
        return;
    double greatest = panel->values[0];
    *least = panel->values[0];
    for (size_t i = 0; i < panel_size(panel); i++) {
        *least = fmin(*least, panel->values[i]);
        greatest = fmax(greatest, panel->values[i]);
    }
    *scale = greatest > *least ? 255 / (greatest - *least) : 1;
}

static void panel_draw(const struct panel *panel, struct preview_canvas *canvas, int64_t left)
{
    double least, scale;
    panel_grey(panel, &least, &scale);
    for (int64_t y = 0; y < panel->rows; y++)
        for (int64_t x = 0; x < panel->columns; x++) {
            double value = panel->values[y * panel->columns + x];
            canvas->grey[y * canvas->columns + left + x] =
                (unsigned char)lround(fmin(255, fmax(0, scale * (value - least))));
        }
}

/* The panels from left to right on white. */
static bool panels_write(const struct panel *panels, int count, const char *png,
                         struct failure *failure)
{
    struct preview_canvas canvas = {panels[0].rows, panels[0].columns, NULL};
    for (int i = 1; i < count; i++) {
        canvas.columns += GAP + panels[i].columns;
        canvas.rows = panels[i].rows > canvas.rows ? panels[i].rows : canvas.rows;
    }
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

/* Owned. */
static char *normalized_name(const char *output)
{
    static const char path[] = ":/normalized";
    size_t size = strlen(output) + sizeof path;
    char *name = malloc(size);
    if (name)
        snprintf(name, size, "%s%s", output, path);
    return name;
}

bool preview_write(const char *output, const char *input, const char *png, struct failure *failure)
{
    struct panel panels[2] = {{.type = SCOW_U8}, {.type = SCOW_U8}};
    int count = input ? 2 : 1;
    int64_t columns_most = input ? (EDGE_MOST - GAP) / 2 : EDGE_MOST;
    char *normalized = normalized_name(output);
    bool ok = normalized != NULL;
    if (!ok)
        failure_memory(failure, "making a preview");
    ok = ok && panel_load(&panels[count - 1], normalized, columns_most, failure);
    if (input)
        ok = ok && panel_load(&panels[0], input, columns_most, failure);
    ok = ok && panels_write(panels, count, png, failure);
    free(panels[0].values);
    free(panels[1].values);
    free(normalized);
    return ok;
}

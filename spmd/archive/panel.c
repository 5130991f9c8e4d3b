#include "spmd/archive/panel.h"

#include <math.h>
#include <stdlib.h>

#include "planner/base/text.h"

enum { BAND_BYTES = 1 << 24 };

static size_t panel_size(const struct panel *panel)
{
    return (size_t)panel->rows * (size_t)panel->columns;
}

/* How much of [begin, end) the pixel [x, x + 1) covers. */
static double overlap(double begin, double end, int64_t x)
{
    return fmax(0, fmin(end, (double)x + 1) - fmax(begin, (double)x));
}

/* Reduces a line of `from` pixels to `to` means over equal lengths; a pixel on a border counts by
 * its parts. */
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

/* Adds the reduced line y of an image of `from` rows to the rows of the panel that it overlaps. */
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

/* Infinities and NaN would spread over the whole picture: they are shown as 0. */
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

static bool panel_fill(struct panel *panel, struct input *image, int64_t slice, struct band *band,
                       struct failure *failure)
{
    const struct scow_input *shape = input_shape(image);
    int64_t all_rows = shape->extent[1], columns = shape->extent[2];
    for (int64_t y = 0; y < all_rows; y++) {
        int64_t within = y % band->rows, left = all_rows - y;
        int64_t rows = left < band->rows ? left : band->rows;
        if (within == 0 &&
            !input_read_image(image, slice, y, 0, rows, columns, band->pixels, failure))
            return false;
        for (int64_t x = 0; x < columns; x++)
            band->line[x] = pixel_value(band->pixels, shape->type, within * columns + x);
        line_shrink(band->line, columns, band->shrunk, panel->columns);
        panel_add_line(panel, band->shrunk, y, all_rows);
    }
    return true;
}

/* The panel's size: the image's, reduced in proportion where the limits demand it. */
static void panel_fit(struct panel *panel, const struct scow_input *shape,
                      struct panel_limits limits)
{
    double rows = (double)shape->extent[1], columns = (double)shape->extent[2];
    double shrink = fmax(columns / (double)limits.columns, rows / (double)limits.rows);
    shrink = fmax(shrink, 1);
    panel->columns = (int64_t)fmax(1, floor(columns / shrink));
    panel->rows = (int64_t)fmax(1, floor(rows / shrink));
    panel->type = shape->type;
}

bool panel_load(struct panel *panel, struct input *image, int64_t slice, struct panel_limits limits,
                struct failure *failure)
{
    struct band band = {0, NULL, NULL, NULL};
    panel_fit(panel, input_shape(image), limits);
    panel->values = calloc(panel_size(panel), sizeof *panel->values);
    bool ok = panel->values && band_init(&band, input_shape(image), panel);
    if (ok)
        ok = panel_fill(panel, image, slice, &band, failure);
    else
        failure_memory(failure, "scaling a picture down");
    band_release(&band);
    return ok;
}

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

void panel_draw(const struct panel *panel, struct preview_canvas *canvas, int64_t left)
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

void panel_release(struct panel *panel)
{
    free(panel->values);
    panel->values = NULL;
}

struct input *panel_grid_open(const char *output, const char *grid, struct failure *failure)
{
    struct text name = TEXT_INIT;
    struct input *image = NULL;
    text_add(&name, "%s:%s", output, grid);
    if (name.failed)
        failure_memory(failure, "drawing a slice");
    else
        image = input_open(SCOW_INPUT_IMAGE, name.bytes, failure);
    text_release(&name);
    return image;
}

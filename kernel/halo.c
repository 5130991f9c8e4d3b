#include "kernel/halo.h"

#include <math.h>
#include <string.h>

#include "kernel/correlate.h"

int64_t halo_stride(const struct reach *reach, int columns)
{
    int64_t stride = reach->left + columns + reach->right + CORRELATE_SLACK;
    /* An odd number of cache lines: rows a multiple of 4096 bytes or a good part of it apart would
     * compete for the same few places in the cache. */
    return ((stride + 15) / 16 | 1) * 16;
}

int64_t halo_floats(const struct reach *reach, int rows, int columns)
{
    return (reach->up + rows + reach->down) * halo_stride(reach, columns);
}

static bool pixel_usable(float pixel)
{
    return fabsf(pixel) <= CORRELATE_PIXEL_MOST; /* false for not a number */
}

static void row_from_u8(const uint8_t *restrict from, float *restrict to, int64_t count)
{
    for (int64_t i = 0; i < count; i++)
        to[i] = from[i];
}

static void row_from_u16(const uint16_t *restrict from, float *restrict to, int64_t count)
{
    for (int64_t i = 0; i < count; i++)
        to[i] = from[i];
}

/* False: some pixel was not usable. */
static bool row_from_f32(const float *restrict from, float *restrict to, int64_t count)
{
    int unusable = 0;
    for (int64_t i = 0; i < count; i++) {
        bool usable = pixel_usable(from[i]);
        to[i] = usable ? from[i] : 0;
        unusable |= !usable;
    }
    return !unusable;
}

static bool row_convert(const void *from, enum pixel pixel, float *to, int64_t count)
{
    switch (pixel) {
    case PIXEL_U8:
        row_from_u8(from, to, count);
        return true;
    case PIXEL_U16:
        row_from_u16(from, to, count);
        return true;
    case PIXEL_F32:
        break;
    }
    return row_from_f32(from, to, count);
}

static const void *window_row(const struct window *window, enum pixel pixel, int64_t row)
{
    return (const char *)window->pixels + (size_t)(row * window->stride) * pixel_bytes(pixel);
}

static void fill_zero(float *to, int64_t count)
{
    memset(to, 0, (size_t)count * sizeof *to);
}

void halo_load(struct halo *halo, const struct package *package, const void *bytes, int64_t slice)
{
    enum pixel pixel = package->grid->extent.pixel;
    struct rectangle inside = grid_surroundings(package->grid, &halo->reach, &halo->area);
    struct window window = package_window(package, bytes, slice, &inside);
    int64_t rows = halo->reach.up + halo->area.rows + halo->reach.down;
    int64_t above = inside.row - (halo->area.row - halo->reach.up);
    int64_t left = inside.column - (halo->area.column - halo->reach.left);
    int64_t end = left + inside.columns;
    halo->spoiled = false;
    for (int64_t y = 0; y < rows; y++) {
        float *to = halo->floats + y * halo->stride;
        if (y < above || y >= above + inside.rows) {
            fill_zero(to, halo->stride);
            continue;
        }
        fill_zero(to, left);
        fill_zero(to + end, halo->stride - end);
        const void *from = window_row(&window, pixel, y - above);
        if (!row_convert(from, pixel, to + left, inside.columns))
            halo->spoiled = true;
    }
}

/* One unusable pixel, at (y, x) from the area's first pixel. */
static void spoil_around(const struct halo *halo, int64_t y, int64_t x, float *results,
                         int64_t result_stride)
{
    int64_t top = y - halo->reach.down, bottom = y + halo->reach.up;
    int64_t left = x - halo->reach.right, right = x + halo->reach.left;
    for (int64_t row = top < 0 ? 0 : top; row <= bottom && row < halo->area.rows; row++)
        for (int64_t column = left < 0 ? 0 : left; column <= right && column < halo->area.columns;
             column++)
            results[row * result_stride + column] = NAN;
}

void halo_spoil(const struct halo *halo, const struct package *package, const void *bytes,
                int64_t slice, float *results, int64_t result_stride)
{
    struct rectangle inside = grid_surroundings(package->grid, &halo->reach, &halo->area);
    struct window window = package_window(package, bytes, slice, &inside);
    for (int64_t y = 0; y < inside.rows; y++) {
        const float *row = window_row(&window, PIXEL_F32, y);
        for (int64_t x = 0; x < inside.columns; x++)
            if (!pixel_usable(row[x]))
                spoil_around(halo, inside.row + y - halo->area.row,
                             inside.column + x - halo->area.column, results, result_stride);
    }
}

#include "kernel/matched/halo.h"

#include <math.h>
#include <string.h>

#include "kernel/matched/correlators/correlate.h"
#include "kernel/type.h"

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

static bool row_convert(const void *from, int type, float *to, int64_t count)
{
    if (type == SCOW_F32)
        return row_from_f32(from, to, count);
    if (type == SCOW_U16)
        row_from_u16(from, to, count);
    else
        row_from_u8(from, to, count);
    return true;
}

static const void *view_row(const struct view *view, int type, int64_t row)
{
    return (const char *)view->pixels + (size_t)(row * view->stride) * scow_type_size(type);
}

static void fill_zero(float *to, int64_t count)
{
    memset(to, 0, (size_t)count * sizeof *to);
}

void halo_load(struct halo *halo, const struct footprint *footprint, const void *package,
               int64_t slice)
{
    const int type = footprint->grid->type;
    struct rectangle inside = grid_surroundings(footprint->grid, &halo->reach, &halo->area);
    struct view view = footprint_view(footprint, package, slice, &inside);
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
        const void *from = view_row(&view, type, y - above);
        if (!row_convert(from, type, to + left, inside.columns))
            halo->spoiled = true;
    }
}

/* Set `until` to `row` in the columns whose pixel is not usable; false: there are none. */
static bool columns_mark(const float *restrict from, float *restrict until, int64_t count,
                         float row)
{
    int unusable = 0;
    for (int64_t i = 0; i < count; i++) {
        bool usable = pixel_usable(from[i]);
        until[i] = usable ? until[i] : row;
        unusable |= !usable;
    }
    return unusable;
}

/* Column x of the halo, where it spoils this row at all, does so to results x - wide .. x: a result
 * is spoiled when the last such column up to x + wide is not left of it. */
static void spoil_row(const float *until, int64_t row, int64_t wide, float *results, int64_t count)
{
    int64_t last = -1;
    for (int64_t x = 0; x < wide; x++)
        if (until[x] >= (float)row)
            last = x;
    for (int64_t x = 0; x < count; x++) {
        if (until[wide + x] >= (float)row)
            last = wide + x;
        if (last >= x)
            results[x] = NAN;
    }
}

/* Rows and columns one after the other, so that the time does not depend on how many pixels are
 * unusable: while the view's rows pass by, `until` has the last row of results that each column
 * of the halo spoils, a number that a float holds exactly. */
void halo_spoil(const struct halo *halo, const struct footprint *footprint, const void *package,
                int64_t slice, float *results, int64_t result_stride)
{
    const struct rectangle *area = &halo->area;
    const struct reach *reach = &halo->reach;
    struct rectangle inside = grid_surroundings(footprint->grid, reach, area);
    struct view view = footprint_view(footprint, package, slice, &inside);
    int64_t wide = reach->left + reach->right;
    int64_t left = inside.column - (area->column - reach->left);
    float *until = halo->floats;
    for (int64_t x = 0; x < wide + area->columns; x++)
        until[x] = -1;
    int64_t read = 0, last = -1; /* rows of the view; row of the results that is spoiled */
    for (int64_t y = 0; y < area->rows; y++) {
        for (; read < inside.rows && inside.row + read <= area->row + y + reach->down; read++) {
            int64_t reached = inside.row + read - area->row + reach->up;
            const float *from = view_row(&view, SCOW_F32, read);
            if (columns_mark(from, until + left, inside.columns, (float)reached))
                last = reached;
        }
        if (y <= last)
            spoil_row(until, y, wide, results + y * result_stride, area->columns);
    }
}

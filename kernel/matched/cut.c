#include "kernel/matched/cut.h"

static int64_t least(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static int64_t most(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

int64_t part_start(int64_t length, int64_t parts, int64_t part)
{
    return part * length / parts;
}

void grid_init(struct grid *grid, const struct scow_input *image, int64_t down, int64_t across)
{
    *grid = (struct grid){.slices = image->extent[0],
                          .rows = image->extent[1],
                          .columns = image->extent[2],
                          .type = image->type,
                          .down = down,
                          .across = across};
}

int64_t grid_slice_tasks(const struct grid *grid)
{
    return grid->down * grid->across;
}

int64_t grid_tasks(const struct grid *grid)
{
    return grid->slices * grid_slice_tasks(grid);
}

int64_t grid_rows_most(const struct grid *grid)
{
    return (grid->rows + grid->down - 1) / grid->down;
}

int64_t grid_columns_most(const struct grid *grid)
{
    return (grid->columns + grid->across - 1) / grid->across;
}

/* Tasks [row, row_end) x [column, column_end) of a slice, in pixels. */
static struct rectangle grid_area(const struct grid *grid, int64_t row, int64_t row_end,
                                  int64_t column, int64_t column_end)
{
    struct rectangle area = {.row = part_start(grid->rows, grid->down, row),
                             .column = part_start(grid->columns, grid->across, column)};
    area.rows = part_start(grid->rows, grid->down, row_end) - area.row;
    area.columns = part_start(grid->columns, grid->across, column_end) - area.column;
    return area;
}

struct rectangle grid_place(const struct grid *grid, int64_t task, int64_t *slice)
{
    int64_t within = task % grid_slice_tasks(grid);
    int64_t row = within / grid->across, column = within % grid->across;
    if (slice)
        *slice = task / grid_slice_tasks(grid);
    return grid_area(grid, row, row + 1, column, column + 1);
}

struct rectangle grid_surroundings(const struct grid *grid, const struct reach *reach,
                                   const struct rectangle *area)
{
    struct rectangle around = {.row = most(area->row - reach->up, 0),
                               .column = most(area->column - reach->left, 0)};
    around.rows = least(area->row + area->rows + reach->down, grid->rows) - around.row;
    around.columns =
        least(area->column + area->columns + reach->right, grid->columns) - around.column;
    return around;
}

bool rectangle_contains(const struct rectangle *outer, const struct rectangle *inner)
{
    return inner->row >= outer->row && inner->column >= outer->column &&
           inner->row + inner->rows <= outer->row + outer->rows &&
           inner->column + inner->columns <= outer->column + outer->columns;
}

static struct rectangle rectangle_hull(const struct rectangle *a, const struct rectangle *b)
{
    struct rectangle hull = {.row = least(a->row, b->row), .column = least(a->column, b->column)};
    hull.rows = most(a->row + a->rows, b->row + b->rows) - hull.row;
    hull.columns = most(a->column + a->columns, b->column + b->columns) - hull.column;
    return hull;
}

/* The partial first row of tasks, the whole rows, the partial last row: those there are. */
static int bands_make(const struct grid *grid, int64_t first, int64_t end,
                      struct rectangle bands[CUT_MOST])
{
    int count = 0;
    int64_t across = grid->across;
    int64_t row = first / across, column = first % across;
    int64_t last_row = (end - 1) / across, column_end = (end - 1) % across + 1;
    if (row == last_row) {
        bands[count++] = grid_area(grid, row, row + 1, column, column_end);
        return count;
    }
    int64_t whole = row + (column > 0), whole_end = last_row + (column_end == across);
    if (column > 0)
        bands[count++] = grid_area(grid, row, row + 1, column, across);
    if (whole < whole_end)
        bands[count++] = grid_area(grid, whole, whole_end, 0, across);
    if (column_end < across)
        bands[count++] = grid_area(grid, last_row, last_row + 1, 0, column_end);
    return count;
}

/* Band i + 1 is joined with band i where bit i of `joints` is set. */
static struct cut cut_join(const struct grid *grid, const struct reach *reach,
                           const struct rectangle *bands, int count, unsigned joints)
{
    struct cut cut = {.count = 0};
    for (int i = 0; i < count; i++) {
        struct rectangle area = bands[i];
        while (i + 1 < count && (joints >> i & 1U)) {
            i++;
            area = rectangle_hull(&area, &bands[i]);
        }
        struct rectangle around = grid_surroundings(grid, reach, &area);
        cut.pixels += around.rows * around.columns;
        cut.rectangles[cut.count++] = around;
    }
    return cut;
}

struct cut cut_make(const struct grid *grid, const struct reach *reach, int64_t first, int64_t end)
{
    struct rectangle bands[CUT_MOST];
    int count = bands_make(grid, first, end, bands);
    static const unsigned joints_all[CUT_MOST + 1] = {0, 0, 1, 3};
    unsigned all = joints_all[count];
    struct cut best = cut_join(grid, reach, bands, count, all);
    for (unsigned joints = 0; joints < all; joints++) {
        struct cut cut = cut_join(grid, reach, bands, count, joints);
        if (cut.pixels < best.pixels)
            best = cut;
    }
    return best;
}

int64_t cut_pixels_most(const struct grid *grid, const struct reach *reach, int64_t tasks)
{
    int64_t tall = grid_rows_most(grid), broad = grid_columns_most(grid), across = grid->across;
    int64_t high = reach->up + reach->down, wide = reach->left + reach->right;
    /* Rows of tasks touched, and widths of the (at most three) bands together, in tasks. */
    int64_t rows = least(least(tasks, (tasks + 3 * across - 3) / across), grid->down);
    int64_t widths = least(tasks, 3 * across - 2);
    int64_t pixels = tasks * tall * broad + wide * tall * rows + high * broad * widths +
                     high * wide * least(tasks, CUT_MOST);
    return least(pixels, grid->rows * grid->columns);
}

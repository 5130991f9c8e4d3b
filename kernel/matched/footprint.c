#include "kernel/matched/footprint.h"

#include <assert.h>

#include "kernel/type.h"

void footprint_init(struct footprint *footprint, const struct grid *grid, const struct reach *reach,
                    int64_t first, int64_t count)
{
    int64_t tasks = grid_slice_tasks(grid), last = first + count - 1;
    *footprint =
        (struct footprint){.grid = grid, .first_slice = first / tasks, .last_slice = last / tasks};
    bool one = footprint->first_slice == footprint->last_slice;
    footprint->head = cut_make(grid, reach, first % tasks, one ? last % tasks + 1 : tasks);
    footprint->middle = cut_make(grid, reach, 0, tasks);
    if (!one)
        footprint->tail = cut_make(grid, reach, 0, last % tasks + 1);
}

static const struct cut *footprint_cut(const struct footprint *footprint, int64_t slice)
{
    if (slice == footprint->first_slice)
        return &footprint->head;
    return slice == footprint->last_slice ? &footprint->tail : &footprint->middle;
}

/* Pixels before a slice's. */
static int64_t footprint_offset(const struct footprint *footprint, int64_t slice)
{
    int64_t between = slice - footprint->first_slice - 1;
    return between < 0 ? 0 : footprint->head.pixels + between * footprint->middle.pixels;
}

int64_t footprint_pixels(const struct footprint *footprint)
{
    return footprint_offset(footprint, footprint->last_slice) +
           footprint_cut(footprint, footprint->last_slice)->pixels;
}

int64_t footprint_pixels_most(const struct grid *grid, const struct reach *reach, int64_t count)
{
    int64_t tasks = grid_slice_tasks(grid), greatest = 0;
    int64_t fewest = (count + tasks - 1) / tasks; /* slices that a run can touch */
    for (int64_t slices = fewest; slices <= fewest + 1 && slices <= grid->slices; slices++) {
        int64_t pixels;
        if (slices == 1) {
            pixels = cut_pixels_most(grid, reach, count);
        } else {
            int64_t ends = count - (slices - 2) * tasks;
            pixels = 2 * cut_pixels_most(grid, reach, (ends + 1) / 2) +
                     (slices - 2) * grid->rows * grid->columns;
        }
        if (pixels > greatest)
            greatest = pixels;
    }
    return greatest;
}

int footprint_read(const struct footprint *footprint, const struct scow_host *host, void *package)
{
    const size_t size = scow_type_size(footprint->grid->type);
    char *to = package;
    for (int64_t slice = footprint->first_slice; slice <= footprint->last_slice; slice++) {
        const struct cut *cut = footprint_cut(footprint, slice);
        for (int i = 0; i < cut->count; i++) {
            const struct rectangle *area = &cut->rectangles[i];
            const int status = host->read_image(host, slice, area->row, area->column, area->rows,
                                                area->columns, to);
            if (status != SCOW_OK)
                return status;
            to += (size_t)(area->rows * area->columns) * size;
        }
    }
    return SCOW_OK;
}

struct view footprint_view(const struct footprint *footprint, const void *package, int64_t slice,
                           const struct rectangle *area)
{
    const struct cut *cut = footprint_cut(footprint, slice);
    int64_t offset = footprint_offset(footprint, slice);
    int i = 0;
    while (i < cut->count - 1 && !rectangle_contains(&cut->rectangles[i], area)) {
        offset += cut->rectangles[i].rows * cut->rectangles[i].columns;
        i++;
    }
    const struct rectangle *whole = &cut->rectangles[i];
    assert(rectangle_contains(whole, area));
    offset += (area->row - whole->row) * whole->columns + area->column - whole->column;
    return (struct view){.pixels = (const char *)package +
                                   (size_t)offset * scow_type_size(footprint->grid->type),
                         .stride = whole->columns};
}

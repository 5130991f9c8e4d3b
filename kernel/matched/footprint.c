#include "kernel/matched/package.h"

#include <assert.h>

void package_init(struct package *package, const struct grid *grid, const struct reach *reach,
                  int64_t first, int64_t count)
{
    int64_t tasks = grid_slice_tasks(grid), last = first + count - 1;
    *package =
        (struct package){.grid = grid, .first_slice = first / tasks, .last_slice = last / tasks};
    bool one = package->first_slice == package->last_slice;
    package->head = cut_make(grid, reach, first % tasks, one ? last % tasks + 1 : tasks);
    package->middle = cut_make(grid, reach, 0, tasks);
    if (!one)
        package->tail = cut_make(grid, reach, 0, last % tasks + 1);
}

static const struct cut *package_cut(const struct package *package, int64_t slice)
{
    if (slice == package->first_slice)
        return &package->head;
    return slice == package->last_slice ? &package->tail : &package->middle;
}

/* Pixels of the package before a slice's. */
static int64_t package_offset(const struct package *package, int64_t slice)
{
    int64_t between = slice - package->first_slice - 1;
    return between < 0 ? 0 : package->head.pixels + between * package->middle.pixels;
}

int64_t package_pixels(const struct package *package)
{
    return package_offset(package, package->last_slice) +
           package_cut(package, package->last_slice)->pixels;
}

int64_t package_pixels_most(const struct grid *grid, const struct reach *reach, int64_t count)
{
    int64_t tasks = grid_slice_tasks(grid), greatest = 0;
    int64_t fewest = (count + tasks - 1) / tasks; /* slices that a package can touch */
    for (int64_t slices = fewest; slices <= fewest + 1 && slices <= grid->extent.slices; slices++) {
        int64_t pixels;
        if (slices == 1) {
            pixels = cut_pixels_most(grid, reach, count);
        } else {
            int64_t ends = count - (slices - 2) * tasks;
            pixels = 2 * cut_pixels_most(grid, reach, (ends + 1) / 2) +
                     (slices - 2) * grid->extent.rows * grid->extent.columns;
        }
        if (pixels > greatest)
            greatest = pixels;
    }
    return greatest;
}

bool package_fill(const struct package *package, const struct kernel_source *source, void *bytes)
{
    size_t size = pixel_bytes(package->grid->extent.pixel);
    char *to = bytes;
    for (int64_t slice = package->first_slice; slice <= package->last_slice; slice++) {
        const struct cut *cut = package_cut(package, slice);
        for (int i = 0; i < cut->count; i++) {
            const struct rectangle *area = &cut->rectangles[i];
            if (!source->read(source->self, slice, area->row, area->column, area->rows,
                              area->columns, to))
                return false;
            to += (size_t)(area->rows * area->columns) * size;
        }
    }
    return true;
}

struct window package_window(const struct package *package, const void *bytes, int64_t slice,
                             const struct rectangle *area)
{
    const struct cut *cut = package_cut(package, slice);
    int64_t offset = package_offset(package, slice);
    int i = 0;
    while (i < cut->count - 1 && !rectangle_contains(&cut->rectangles[i], area)) {
        offset += cut->rectangles[i].rows * cut->rectangles[i].columns;
        i++;
    }
    const struct rectangle *whole = &cut->rectangles[i];
    assert(rectangle_contains(whole, area));
    offset += (area->row - whole->row) * whole->columns + area->column - whole->column;
    return (struct window){.pixels = (const char *)bytes +
                                     (size_t)offset * pixel_bytes(package->grid->extent.pixel),
                           .stride = whole->columns};
}

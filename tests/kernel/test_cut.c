/* Core tasks, and the rectangles and packages that cover runs of them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <stdlib.h>

#include "kernel/matched/package.h"
#include "tests/kernel/random.h"

/* A cut of everything, at random. */
struct layout {
    struct grid grid;
    struct reach reach;
};

static void layout_random(struct layout *layout, struct random *random)
{
    struct extent extent = {.slices = random_between(random, 1, 4),
                            .rows = random_between(random, 1, 50),
                            .columns = random_between(random, 1, 50),
                            .pixel = (enum pixel)random_between(random, 0, 2)};
    int64_t least = extent.rows < extent.columns ? extent.rows : extent.columns;
    grid_init(&layout->grid, &extent, (int)random_between(random, 1, least));
    layout->reach = (struct reach){.up = (int)random_between(random, 0, 9),
                                   .down = (int)random_between(random, 0, 9),
                                   .left = (int)random_between(random, 0, 9),
                                   .right = (int)random_between(random, 0, 9)};
}

static void tasks_tile_the_stack_in_order(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 100; seed++) {
        struct random random = {seed};
        struct layout layout;
        layout_random(&layout, &random);
        const struct extent *extent = &layout.grid.extent;
        int64_t pixels = 0, last_slice = 0, last_row = 0, last_column = -1;
        for (int64_t task = 0; task < grid_tasks(&layout.grid); task++) {
            int64_t slice;
            struct rectangle area = grid_place(&layout.grid, task, &slice);
            struct rectangle all = {0, 0, extent->rows, extent->columns};
            assert_true(rectangle_contains(&all, &area));
            assert_true(area.rows > 0 && area.columns > 0);
            assert_true(slice > last_slice || area.row > last_row ||
                        (area.row == last_row && area.column > last_column));
            assert_int_equal(area.row % layout.grid.block, 0);
            assert_int_equal(area.column % layout.grid.block, 0);
            pixels += area.rows * area.columns;
            last_slice = slice;
            last_row = area.row;
            last_column = area.column;
        }
        assert_int_equal(pixels, extent->slices * extent->rows * extent->columns);
    }
}

static bool cut_has(const struct cut *cut, const struct rectangle *area)
{
    for (int i = 0; i < cut->count; i++)
        if (rectangle_contains(&cut->rectangles[i], area))
            return true;
    return false;
}

/* Tasks [first, end) of a slice: few rectangles, inside the image, with all that each task needs,
 * and no more pixels than one rectangle for all would take. */
static void check_cut(const struct layout *layout, int64_t first, int64_t end)
{
    const struct extent *extent = &layout->grid.extent;
    struct rectangle all = {0, 0, extent->rows, extent->columns};
    struct cut cut = cut_make(&layout->grid, &layout->reach, first, end);
    assert_true(cut.count >= 1 && cut.count <= CUT_MOST);
    int64_t pixels = 0;
    for (int i = 0; i < cut.count; i++) {
        assert_true(rectangle_contains(&all, &cut.rectangles[i]));
        pixels += cut.rectangles[i].rows * cut.rectangles[i].columns;
    }
    assert_int_equal(pixels, cut.pixels);
    assert_true(pixels <= extent->rows * extent->columns);
    assert_true(pixels <= cut_pixels_most(&layout->grid, &layout->reach, end - first));
    for (int64_t task = first; task < end; task++) {
        struct rectangle area = grid_place(&layout->grid, task, NULL);
        struct rectangle around = grid_surroundings(&layout->grid, &layout->reach, &area);
        assert_true(cut_has(&cut, &around));
    }
}

static void cuts_cover_their_tasks(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 60; seed++) {
        struct random random = {seed};
        struct layout layout;
        layout_random(&layout, &random);
        int64_t tasks = grid_slice_tasks(&layout.grid);
        for (int trial = 0; trial < 40; trial++) {
            int64_t first = random_between(&random, 0, tasks - 1);
            check_cut(&layout, first, random_between(&random, first + 1, tasks));
        }
        struct cut whole = cut_make(&layout.grid, &layout.reach, 0, tasks);
        assert_int_equal(whole.count, 1);
    }
}

/* One task of an inner block: its own rectangle and nothing else; three bands when they are apart.
 */
static void cuts_by_hand(void **state)
{
    (void)state;
    struct layout layout = {.reach = {1, 2, 3, 4}};
    struct extent extent = {1, 1000, 1000, PIXEL_U8};
    grid_init(&layout.grid, &extent, 10);
    struct cut one = cut_make(&layout.grid, &layout.reach, 505, 506);
    assert_int_equal(one.count, 1);
    assert_int_equal(one.rectangles[0].row, 49);
    assert_int_equal(one.rectangles[0].column, 47);
    assert_int_equal(one.rectangles[0].rows, 13);
    assert_int_equal(one.rectangles[0].columns, 17);
    struct cut three = cut_make(&layout.grid, &layout.reach, 599, 1001);
    assert_int_equal(three.count, 3);
    assert_int_equal(three.rectangles[0].rows, 13);
    assert_int_equal(three.rectangles[0].columns, 13); /* to the right edge */
    assert_int_equal(three.rectangles[1].rows, 43);
    assert_int_equal(three.rectangles[1].columns, 1000);
    assert_int_equal(three.rectangles[2].columns, 14);
    struct cut joined = cut_make(&layout.grid, &layout.reach, 501, 699);
    assert_int_equal(joined.count, 1); /* two nearly whole rows: cheaper together */
    assert_int_equal(joined.pixels, 23 * 1000);
}

/* A source whose pixels tell where they are from. */
static uint8_t mark(int64_t slice, int64_t row, int64_t column, size_t byte)
{
    return (uint8_t)(slice * 151 + row * 31 + column * 7 + (int64_t)byte);
}

static bool mark_read(void *self, int64_t slice, int64_t row, int64_t column, int64_t rows,
                      int64_t columns, void *pixels)
{
    const struct grid *grid = self;
    size_t size = pixel_bytes(grid->extent.pixel);
    uint8_t *to = pixels;
    for (int64_t y = 0; y < rows; y++)
        for (int64_t x = 0; x < columns; x++)
            for (size_t byte = 0; byte < size; byte++)
                *to++ = mark(slice, row + y, column + x, byte);
    return true;
}

static void check_window(const struct layout *layout, const struct package *package,
                         const void *bytes, int64_t task)
{
    int64_t slice;
    size_t size = pixel_bytes(layout->grid.extent.pixel);
    struct rectangle area = grid_place(&layout->grid, task, &slice);
    struct rectangle around = grid_surroundings(&layout->grid, &layout->reach, &area);
    struct window window = package_window(package, bytes, slice, &around);
    for (int64_t y = 0; y < around.rows; y++)
        for (int64_t x = 0; x < around.columns; x++) {
            const uint8_t *pixel =
                (const uint8_t *)window.pixels + (size_t)(y * window.stride + x) * size;
            for (size_t byte = 0; byte < size; byte++)
                assert_int_equal(pixel[byte], mark(slice, around.row + y, around.column + x, byte));
        }
}

static void packages_carry_what_their_tasks_need(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 60; seed++) {
        struct random random = {seed};
        struct layout layout;
        layout_random(&layout, &random);
        struct kernel_source source = {.self = &layout.grid, .read = mark_read};
        int64_t tasks = grid_tasks(&layout.grid);
        int64_t first = random_between(&random, 0, tasks - 1);
        int64_t count = random_between(&random, 1, tasks - first);
        struct package package;
        package_init(&package, &layout.grid, &layout.reach, first, count);
        size_t bytes = (size_t)package_pixels(&package) * pixel_bytes(layout.grid.extent.pixel);
        void *memory = malloc(bytes); /* exactly: a sanitizer sees a byte too many */
        assert_non_null(memory);
        assert_true(package_fill(&package, &source, memory));
        assert_true(package_pixels(&package) <=
                    package_pixels_most(&layout.grid, &layout.reach, count));
        for (int64_t task = first; task < first + count; task += random_between(&random, 1, 9))
            check_window(&layout, &package, memory, task);
        free(memory);
    }
}

/* The promised most is never too little, and not absurdly much. */
static void the_most_a_package_takes_is_close(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 25; seed++) {
        struct random random = {seed};
        struct layout layout;
        layout_random(&layout, &random);
        int64_t tasks = grid_tasks(&layout.grid);
        int64_t count = random_between(&random, 1, tasks < 200 ? tasks : 200), largest = 0;
        int64_t most = package_pixels_most(&layout.grid, &layout.reach, count);
        for (int64_t first = 0; first + count <= tasks; first++) {
            struct package package;
            package_init(&package, &layout.grid, &layout.reach, first, count);
            if (largest < package_pixels(&package))
                largest = package_pixels(&package);
        }
        assert_true(largest <= most);
        assert_true(most <= 4 * largest);
    }
}

static bool fail_read(void *self, int64_t slice, int64_t row, int64_t column, int64_t rows,
                      int64_t columns, void *pixels)
{
    (void)slice, (void)row, (void)column, (void)rows, (void)columns, (void)pixels;
    ++*(int *)self;
    return false;
}

static void a_failing_source_ends_the_packing(void **state)
{
    (void)state;
    struct layout layout = {.reach = {1, 1, 1, 1}};
    struct extent extent = {3, 20, 20, PIXEL_U16};
    grid_init(&layout.grid, &extent, 10);
    struct package package;
    package_init(&package, &layout.grid, &layout.reach, 0, 12);
    int calls = 0;
    struct kernel_source source = {.self = &calls, .read = fail_read};
    uint16_t pixels[3 * 400];
    assert_false(package_fill(&package, &source, pixels));
    assert_int_equal(calls, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tasks_tile_the_stack_in_order),
        cmocka_unit_test(cuts_cover_their_tasks),
        cmocka_unit_test(cuts_by_hand),
        cmocka_unit_test(packages_carry_what_their_tasks_need),
        cmocka_unit_test(the_most_a_package_takes_is_close),
        cmocka_unit_test(a_failing_source_ends_the_packing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Core tasks, and the rectangles and packages that cover runs of them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <inttypes.h>
#include <stdlib.h>

#include "kernel/matched/footprint.h"
#include "kernel/type.h"
#include "tests/kernel/memory_host.h"
#include "tests/kernel/random.h"

/* A cut of everything, at random. */
struct layout {
    struct grid grid;
    struct reach reach;
};

static void layout_random(struct layout *layout, struct random *random)
{
    static const int types[] = {SCOW_U8, SCOW_U16, SCOW_F32};
    const int64_t slices = random_between(random, 1, 4);
    const int64_t rows = random_between(random, 1, 50), columns = random_between(random, 1, 50);
    const struct scow_input image = {.kind = SCOW_INPUT_IMAGE,
                                     .type = types[random_between(random, 0, 2)],
                                     .extent = {slices, rows, columns}};
    const int64_t down = random_between(random, 1, rows);
    grid_init(&layout->grid, &image, down, random_between(random, 1, columns));
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
        const struct grid *grid = &layout.grid;
        int64_t pixels = 0, last_slice = 0, last_row = 0, last_column = -1;
        for (int64_t task = 0; task < grid_tasks(&layout.grid); task++) {
            int64_t slice;
            struct rectangle area = grid_place(&layout.grid, task, &slice);
            struct rectangle all = {0, 0, grid->rows, grid->columns};
            assert_true(rectangle_contains(&all, &area));
            assert_true(area.rows > 0 && area.columns > 0);
            assert_true(slice > last_slice || area.row > last_row ||
                        (area.row == last_row && area.column > last_column));
            assert_in_range(area.rows, grid->rows / grid->down, grid_rows_most(grid));
            assert_in_range(area.columns, grid->columns / grid->across, grid_columns_most(grid));
            pixels += area.rows * area.columns;
            last_slice = slice;
            last_row = area.row;
            last_column = area.column;
        }
        assert_int_equal(pixels, grid->slices * grid->rows * grid->columns);
    }
}

/* From 1 pixel to more than 31 bits can count: parts are in order, without gaps, and differ by at
 * most a pixel. */
static void parts_are_even(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 200; seed++) {
        struct random random = {seed};
        const int64_t length =
            random_between(&random, 1, (int64_t)1 << random_between(&random, 0, 31));
        const int64_t parts = random_between(&random, 1, length < 3000 ? length : 3000);
        const int64_t shortest = length / parts, longest = (length + parts - 1) / parts;
        assert_true(longest - shortest <= 1);
        assert_int_equal(part_start(length, parts, 0), 0);
        assert_int_equal(part_start(length, parts, parts), length);
        for (int64_t part = 0; part < parts; part++) {
            const int64_t own =
                part_start(length, parts, part + 1) - part_start(length, parts, part);
            if (own < shortest || own > longest)
                fail_msg("seed %" PRIu64 ": part %" PRId64 " has %" PRId64 " pixels", seed, part,
                         own);
        }
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
    const struct grid *grid = &layout->grid;
    struct rectangle all = {0, 0, grid->rows, grid->columns};
    struct cut cut = cut_make(&layout->grid, &layout->reach, first, end);
    assert_true(cut.count >= 1 && cut.count <= CUT_MOST);
    int64_t pixels = 0;
    for (int i = 0; i < cut.count; i++) {
        assert_true(rectangle_contains(&all, &cut.rectangles[i]));
        pixels += cut.rectangles[i].rows * cut.rectangles[i].columns;
    }
    assert_int_equal(pixels, cut.pixels);
    assert_true(pixels <= grid->rows * grid->columns);
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

/* One task inside: its own rectangle and nothing else; three bands when they are apart.
 */
static void cuts_by_hand(void **state)
{
    (void)state;
    struct layout layout = {.reach = {1, 2, 3, 4}};
    const struct scow_input image = {.type = SCOW_U8, .extent = {1, 1000, 1000}};
    grid_init(&layout.grid, &image, 100, 100);
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

/* Pixels that tell where they are from. */
static uint8_t mark(int64_t slice, int64_t row, int64_t column, size_t byte)
{
    return (uint8_t)(slice * 151 + row * 31 + column * 7 + (int64_t)byte);
}

/* To be freed. */
static uint8_t *marks_new(const struct grid *grid)
{
    const size_t size = scow_type_size(grid->type);
    uint8_t *marks = malloc((size_t)(grid->slices * grid->rows * grid->columns) * size);
    uint8_t *to = marks;
    assert_non_null(marks);
    for (int64_t slice = 0; slice < grid->slices; slice++)
        for (int64_t row = 0; row < grid->rows; row++)
            for (int64_t column = 0; column < grid->columns; column++)
                for (size_t byte = 0; byte < size; byte++)
                    *to++ = mark(slice, row, column, byte);
    return marks;
}

static void host_init(struct memory_host *host, const struct grid *grid, const void *pixels)
{
    memory_host_init(host);
    host->input = (struct scow_input){.kind = SCOW_INPUT_IMAGE,
                                      .type = grid->type,
                                      .extent = {grid->slices, grid->rows, grid->columns}};
    host->pixels = pixels;
}

static void check_view(const struct layout *layout, const struct footprint *footprint,
                       const void *package, int64_t task)
{
    int64_t slice;
    size_t size = scow_type_size(layout->grid.type);
    struct rectangle area = grid_place(&layout->grid, task, &slice);
    struct rectangle around = grid_surroundings(&layout->grid, &layout->reach, &area);
    struct view view = footprint_view(footprint, package, slice, &around);
    for (int64_t y = 0; y < around.rows; y++)
        for (int64_t x = 0; x < around.columns; x++) {
            const uint8_t *pixel =
                (const uint8_t *)view.pixels + (size_t)(y * view.stride + x) * size;
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
        struct memory_host host;
        layout_random(&layout, &random);
        uint8_t *marks = marks_new(&layout.grid);
        host_init(&host, &layout.grid, marks);
        int64_t tasks = grid_tasks(&layout.grid);
        int64_t first = random_between(&random, 0, tasks - 1);
        int64_t count = random_between(&random, 1, tasks - first);
        struct footprint footprint;
        footprint_init(&footprint, &layout.grid, &layout.reach, first, count);
        size_t bytes = (size_t)footprint_pixels(&footprint) * scow_type_size(layout.grid.type);
        void *package = malloc(bytes); /* exactly: a sanitizer sees a byte too many */
        assert_non_null(package);
        assert_int_equal(footprint_read(&footprint, &host.host, package), SCOW_OK);
        assert_true(footprint_pixels(&footprint) <=
                    footprint_pixels_most(&layout.grid, &layout.reach, count));
        for (int64_t task = first; task < first + count; task += random_between(&random, 1, 9))
            check_view(&layout, &footprint, package, task);
        free(package);
        free(marks);
        memory_host_release(&host);
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
        int64_t most = footprint_pixels_most(&layout.grid, &layout.reach, count);
        for (int64_t first = 0; first + count <= tasks; first++) {
            struct footprint footprint;
            footprint_init(&footprint, &layout.grid, &layout.reach, first, count);
            if (largest < footprint_pixels(&footprint))
                largest = footprint_pixels(&footprint);
        }
        assert_true(largest <= most);
        assert_true(most <= 4 * largest);
    }
}

static void the_most_a_package_takes_grows(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 100; seed++) {
        struct random random = {seed};
        struct layout layout;
        int64_t last = 0;
        layout_random(&layout, &random);
        for (int64_t count = 1; count <= grid_tasks(&layout.grid); count++) {
            int64_t most = footprint_pixels_most(&layout.grid, &layout.reach, count);
            assert_true(most >= last);
            last = most;
        }
    }
}

static void a_failing_host_ends_the_packing(void **state)
{
    (void)state;
    struct layout layout = {.reach = {1, 1, 1, 1}};
    const struct scow_input image = {.type = SCOW_U16, .extent = {3, 20, 20}};
    uint16_t pixels[3 * 400] = {0}, package[3 * 400];
    struct memory_host host;
    struct footprint footprint;
    grid_init(&layout.grid, &image, 2, 2);
    host_init(&host, &layout.grid, pixels);
    host.reads_until_failure = 1;
    footprint_init(&footprint, &layout.grid, &layout.reach, 0, 12);
    assert_int_equal(footprint_read(&footprint, &host.host, package), SCOW_FAILED);
    assert_int_equal(host.reads, 2);
    memory_host_release(&host);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(parts_are_even),
        cmocka_unit_test(tasks_tile_the_stack_in_order),
        cmocka_unit_test(cuts_cover_their_tasks),
        cmocka_unit_test(cuts_by_hand),
        cmocka_unit_test(packages_carry_what_their_tasks_need),
        cmocka_unit_test(the_most_a_package_takes_is_close),
        cmocka_unit_test(the_most_a_package_takes_grows),
        cmocka_unit_test(a_failing_host_ends_the_packing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

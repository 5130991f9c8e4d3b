/* Which results unusable pixels make unusable, against the definition, place by place. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "kernel/matched/correlators/correlate.h"
#include "kernel/matched/halo.h"
#include "tests/kernel/random.h"

/* Which pixels of an image are not usable. */
enum mask {
    MASK_NONE,
    MASK_SINGLE,
    MASK_SPARSE,
    MASK_DENSE,
    MASK_ROWS,
    MASK_COLUMNS,
    MASK_BORDER,
    MASK_ALL,
    MASK_COUNT
};

/* One image cut into tasks; a package of all of them has the image's own layout. */
struct scene {
    struct grid grid;
    struct reach reach;
    float *pixels; /* owned */
};

static float *floats_new(int64_t count)
{
    float *floats = malloc((size_t)count * sizeof *floats);
    assert_non_null(floats);
    return floats;
}

static float pixel_unusable(struct random *random)
{
    static const float pixels[] = {NAN, INFINITY, -INFINITY, 0x1.8p96F, -0x1.000002p96F};
    return pixels[random_between(random, 0, 4)];
}

static float pixel_good(struct random *random)
{
    static const float pixels[] = {0, 1, CORRELATE_PIXEL_MOST, -CORRELATE_PIXEL_MOST};
    return pixels[random_between(random, 0, 3)];
}

/* Whether pixel (y, x) is masked; `place` and `period` are the mask's own random numbers. */
static bool mask_has(enum mask mask, const struct grid *grid, int64_t y, int64_t x,
                     struct random *random, int64_t place, int64_t period)
{
    switch (mask) {
    case MASK_SINGLE:
        return y * grid->columns + x == place;
    case MASK_SPARSE:
        return random_between(random, 0, 99) == 0;
    case MASK_DENSE:
        return random_between(random, 0, 2) == 0;
    case MASK_ROWS:
        return (y + place) / period % 2 == 0;
    case MASK_COLUMNS:
        return (x + place) / period % 2 == 0;
    case MASK_BORDER:
        return y == 0 || x == 0 || y == grid->rows - 1 || x == grid->columns - 1;
    case MASK_ALL:
        return true;
    case MASK_NONE:
    case MASK_COUNT:
        break;
    }
    return false;
}

static void scene_fill(struct scene *scene, enum mask mask, struct random *random)
{
    const struct grid *grid = &scene->grid;
    int64_t place = random_between(random, 0, grid->rows * grid->columns - 1);
    int64_t period = random_between(random, 1, 40);
    for (int64_t y = 0; y < grid->rows; y++)
        for (int64_t x = 0; x < grid->columns; x++)
            scene->pixels[y * grid->columns + x] = mask_has(mask, grid, y, x, random, place, period)
                                                       ? pixel_unusable(random)
                                                       : pixel_good(random);
}

/* Every other reach is larger than a core task, and some are larger than the image. */
static void scene_init(struct scene *scene, enum mask mask, struct random *random)
{
    const int64_t rows = random_between(random, 1, 60), columns = random_between(random, 1, 60);
    const struct scow_input image = {.type = SCOW_F32, .extent = {1, rows, columns}};
    const int64_t down = random_between(random, 1, rows);
    grid_init(&scene->grid, &image, down, random_between(random, 1, columns));
    int64_t most = random_between(random, 0, 1) ? grid_rows_most(&scene->grid) + 10 : 4;
    scene->reach = (struct reach){.up = (int)random_between(random, 0, most),
                                  .down = (int)random_between(random, 0, most),
                                  .left = (int)random_between(random, 0, most),
                                  .right = (int)random_between(random, 0, most)};
    scene->pixels = floats_new(rows * columns);
    scene_fill(scene, mask, random);
}

static void scene_release(struct scene *scene)
{
    free(scene->pixels);
    scene->pixels = NULL;
}

/* The definition: some pixel within reach of a place is not usable. */
static bool area_spoiled(const struct scene *scene, const struct rectangle *area)
{
    const struct grid *grid = &scene->grid;
    const struct reach *reach = &scene->reach;
    for (int64_t y = area->row - reach->up; y < area->row + area->rows + reach->down; y++)
        for (int64_t x = area->column - reach->left;
             x < area->column + area->columns + reach->right; x++)
            if (y >= 0 && x >= 0 && y < grid->rows && x < grid->columns &&
                !(fabsf(scene->pixels[y * grid->columns + x]) <= CORRELATE_PIXEL_MOST))
                return true;
    return false;
}

static bool place_spoiled(const struct scene *scene, int64_t y, int64_t x)
{
    struct rectangle place = {y, x, 1, 1};
    return area_spoiled(scene, &place);
}

static float mark(int64_t i)
{
    return (float)i + 0.5F;
}

/* A task's results, and what lies between their rows: not a number where the definition says so,
 * untouched elsewhere. Returns how many were spoiled. */
static int64_t assert_spoiled(const struct scene *scene, const struct rectangle *area,
                              const float *results, int64_t stride, uint64_t seed)
{
    int64_t count = 0;
    for (int64_t i = 0; i < area->rows * stride; i++) {
        int64_t y = i / stride, x = i % stride;
        bool expected = x < area->columns && place_spoiled(scene, area->row + y, area->column + x);
        if (expected ? !isnan(results[i]) : !(fabsf(results[i] - mark(i)) <= 0))
            fail_msg("seed %" PRIu64 ", (%" PRId64 ", %" PRId64 ") of the task at (%" PRId64
                     ", %" PRId64 "): %g",
                     seed, y, x, area->row, area->column, (double)results[i]);
        count += expected;
    }
    return count;
}

/* One task of the scene, as it would be computed. */
static int64_t task_try(const struct scene *scene, const struct footprint *footprint, int64_t task,
                        int64_t margin, uint64_t seed)
{
    int64_t slice;
    struct halo halo = {.area = grid_place(&scene->grid, task, &slice), .reach = scene->reach};
    int rows = (int)halo.area.rows, columns = (int)halo.area.columns;
    halo.stride = halo_stride(&halo.reach, columns);
    halo.floats = floats_new(halo_floats(&halo.reach, rows, columns));
    int64_t stride = columns + margin;
    float *results = floats_new(rows * stride);
    for (int64_t i = 0; i < rows * stride; i++)
        results[i] = mark(i);
    halo_load(&halo, footprint, scene->pixels, slice);
    assert_int_equal(halo.spoiled, area_spoiled(scene, &halo.area));
    halo_spoil(&halo, footprint, scene->pixels, slice, results, stride);
    int64_t count = assert_spoiled(scene, &halo.area, results, stride, seed);
    free(results);
    free(halo.floats);
    return count;
}

/* All tasks of a random scene; returns how many results were spoiled, of how many there are. */
static int64_t scene_try(enum mask mask, uint64_t seed, int64_t *all)
{
    struct random random = {seed};
    struct scene scene;
    scene_init(&scene, mask, &random);
    struct footprint footprint;
    int64_t tasks = grid_tasks(&scene.grid), spoiled = 0;
    footprint_init(&footprint, &scene.grid, &scene.reach, 0, tasks);
    for (int64_t task = 0; task < tasks; task++)
        spoiled += task_try(&scene, &footprint, task, random_between(&random, 0, 5), seed);
    *all = scene.grid.rows * scene.grid.columns;
    scene_release(&scene);
    return spoiled;
}

static void what_is_within_reach_is_spoiled_and_nothing_else(void **state)
{
    (void)state;
    int64_t partly = 0;
    for (uint64_t seed = 1; seed <= 160; seed++) {
        enum mask mask = (enum mask)(seed % MASK_COUNT);
        int64_t all, spoiled = scene_try(mask, seed, &all);
        if (mask == MASK_NONE)
            assert_int_equal(spoiled, 0);
        if (mask == MASK_ALL)
            assert_int_equal(spoiled, all);
        partly += spoiled > 0 && spoiled < all;
    }
    assert_true(partly >= 40); /* most masks leave something */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_within_reach_is_spoiled_and_nothing_else),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

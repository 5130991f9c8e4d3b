#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "kernel/matched/correlators/correlate.h"
#include "tests/kernel/assert_trial.h"
#include "tests/kernel/golden.h"

static const struct algorithm *fft(void)
{
    const struct algorithm *algorithm = algorithm_find("fft");
    assert_non_null(algorithm);
    return algorithm;
}

static void check_shape(int count, int rows, int columns, int tile_rows, int tile_columns,
                        uint64_t seed)
{
    struct random random = {seed};
    struct bank *bank = bank_new_random(&random, count, rows, columns);
    assert_trial_random(fft(), bank, tile_rows, tile_columns, seed);
    bank_free(&bank);
}

static void one_filter_of_any_shape(void **state)
{
    (void)state;
    static const int shapes[][2] = {{1, 1}, {1, 9}, {9, 1}, {2, 2}, {7, 7}, {8, 5}, {24, 23}};
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++)
        check_shape(1, shapes[i][0], shapes[i][1], 40 + 9 * (int)i, 61, 100 + i);
}

static void a_few_filters(void **state)
{
    (void)state;
    for (int count = 2; count <= 5; count++)
        check_shape(count, 9 + count, 12, 33, 70, 200 + (uint64_t)count);
}

static void batches_of_filters(void **state)
{
    (void)state;
    check_shape(11, 6, 7, 30, 45, 301); /* a batch with lanes to spare */
    check_shape(32, 5, 4, 33, 20, 302); /* full lanes */
    check_shape(35, 4, 5, 20, 50, 303); /* several batches */
}

static void filters_larger_than_the_tile(void **state)
{
    (void)state;
    check_shape(1, 31, 31, 5, 3, 401);
    check_shape(13, 21, 30, 1, 1, 402);
    check_shape(1, 90, 3, 4, 9, 403);
}

static void filters_of_many_sizes(void **state)
{
    (void)state;
    struct random random = {501};
    struct bank *bank = bank_new_varied(&random, 14, 27);
    assert_trial_random(fft(), bank, 50, 41, 501);
    bank_free(&bank);
}

static void every_window_size(void **state)
{
    (void)state;
    for (int tile = 9; tile <= 105; tile += 12) {
        check_shape(12, 24, 24, tile, 8, 600 + (uint64_t)tile);
        check_shape(2, 24, 24, 8, tile, 700 + (uint64_t)tile);
    }
}

static void constant_pictures(void **state)
{
    (void)state;
    struct bank *bank = bank_new_chaudhuri(12, 2, 9);
    struct picture picture;
    assert_non_null(bank);
    picture_init(&picture, bank, 40, 40);
    for (int y = -picture.reach.up; y < 40 + picture.reach.down; y++)
        for (int x = -picture.reach.left; x < 40 + picture.reach.right; x++)
            *picture_at(&picture, y, x) = 200;
    assert_no_complaint(trial_complaint(fft(), bank, &picture, 0));
    picture_release(&picture);
    bank_free(&bank);
}

static void tiny_and_huge_pixels(void **state)
{
    (void)state;
    static const double scales[] = {0x1p-140, 0x1p96};
    struct random random = {801};
    struct bank *bank = bank_new_random(&random, 3, 6, 6);
    struct picture picture;
    picture_init(&picture, bank, 20, 20);
    for (size_t i = 0; i < 2; i++) {
        picture_fill_random(&picture, &random, scales[i]);
        float *result = picture_run(&picture, fft(), bank, 20, 20);
        float *reference = picture_run(&picture, algorithm_find("reference"), bank, 20, 20);
        /* among denormal numbers, a few of the smallest */
        const double tolerance = 20 * scales[i] * 2e-6 + 64 * 0x1p-149;
        for (int x = 0; x < 20; x++)
            assert_true(fabs((double)result[x] - (double)reference[x]) <= tolerance);
        free(result);
        free(reference);
    }
    picture_release(&picture);
    bank_free(&bank);
}

static void beyond_the_largest_window(void **state)
{
    (void)state;
    struct random random = {901};
    struct bank *bank = bank_new_random(&random, 1, 129, 2);
    assert_false(trial_applies(fft(), bank));
    assert_true(trial_effort(fft(), bank, 10) > DBL_MAX);
    assert_null(fft()->new_correlator(bank, &(struct demand){10, 10, speeds_current()}));
    bank_free(&bank);
}

static void effort_grows_with_the_tile(void **state)
{
    (void)state;
    struct bank *bank = bank_new_source();
    assert_non_null(bank);
    double last = 0;
    for (int tile = 16; tile <= 1024; tile *= 2) {
        const double effort = trial_effort(fft(), bank, tile);
        assert_true(effort > last);
        last = effort;
    }
    bank_free(&bank);
}

/* The golden picture in one tile, zeros around it. */
static void check_golden(enum combine combine, const char *name)
{
    struct golden_image image;
    struct picture picture;
    struct bank *source = bank_new_source();
    assert_non_null(source);
    struct bank *bank = bank_new_collapsed(source, combine);
    assert_non_null(bank);
    golden_image_read(&image, "vessel.pgm");
    picture_init(&picture, bank, image.rows, image.columns);
    memset(picture.memory, 0,
           (size_t)picture.stride * sizeof *picture.memory *
               (size_t)(picture.reach.up + image.rows + picture.reach.down));
    for (int y = 0; y < image.rows; y++)
        for (int x = 0; x < image.columns; x++)
            *picture_at(&picture, y, x) = (float)image.pixels[y * image.columns + x];
    float *golden = golden_floats(name, (size_t)image.rows * (size_t)image.columns);
    float *result = picture_run(&picture, fft(), bank, image.rows, image.columns);
    double most = 0, error = 0;
    for (int y = 0; y < image.rows; y++)
        for (int x = 0; x < image.columns; x++) {
            const double expected = (double)golden[y * image.columns + x];
            const double actual = (double)result[y * image.columns + x];
            most = fmax(most, fabs(expected));
            error = fmax(error, fabs(actual - expected));
        }
    if (!(error <= 2e-6 * most))
        fail_msg("%s: error %g of %g", name, error, most);
    free(golden);
    free(result);
    picture_release(&picture);
    golden_image_release(&image);
    bank_free(&bank);
    bank_free(&source);
}

static void equals_golden(void **state)
{
    (void)state;
    check_golden(COMBINE_SUM, "vessel.sum.f32");
    check_golden(COMBINE_MAX, "vessel.max.f32");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_filter_of_any_shape),
        cmocka_unit_test(a_few_filters),
        cmocka_unit_test(batches_of_filters),
        cmocka_unit_test(filters_larger_than_the_tile),
        cmocka_unit_test(filters_of_many_sizes),
        cmocka_unit_test(every_window_size),
        cmocka_unit_test(constant_pictures),
        cmocka_unit_test(tiny_and_huge_pixels),
        cmocka_unit_test(beyond_the_largest_window),
        cmocka_unit_test(effort_grows_with_the_tile),
        cmocka_unit_test(equals_golden),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

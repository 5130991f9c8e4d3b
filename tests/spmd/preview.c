#include "spmd/archive/preview.h"

#include <hdf5.h>
#include <png.h>
#include <stdio.h>
#include <unistd.h>

#include "spmd/input/input.h"
#include "tests/spmd/pictures.h"

/* An output of a run as far as a preview is concerned. */
static void output_make(const char *name, int64_t slices, int64_t rows, int64_t columns,
                        const uint8_t *normalized)
{
    const hsize_t shape[3] = {(hsize_t)slices, (hsize_t)rows, (hsize_t)columns};
    hid_t file = H5Fcreate(name, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    hid_t space = H5Screate_simple(3, shape, NULL);
    hid_t set =
        H5Dcreate2(file, "normalized", H5T_STD_U8LE, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    assert_true(H5Dwrite(set, H5T_NATIVE_UINT8, H5S_ALL, H5S_ALL, H5P_DEFAULT, normalized) >= 0);
    H5Dclose(set);
    H5Sclose(space);
    H5Fclose(file);
}

/* The preview's pixels, owned. */
static uint8_t *preview_load(const char *name, int64_t *rows, int64_t *columns)
{
    struct failure failure = FAILURE_INIT;
    struct input *image = input_open(SCOW_INPUT_IMAGE, name, &failure);
    assert_string_equal(failure.text, "");
    const struct scow_input *shape = input_shape(image);
    assert_int_equal(shape->type, SCOW_U8);
    *rows = shape->extent[1];
    *columns = shape->extent[2];
    uint8_t *pixels = malloc((size_t)(*rows * *columns));
    assert_non_null(pixels);
    assert_true(input_read_image(image, 0, 0, 0, *rows, *columns, pixels, &failure));
    input_close(&image);
    return pixels;
}

static void small_pictures_stay_as_they_are(void **state)
{
    enum { GAP = 8 };
    const uint8_t result[] = {0, 1, 2, 253, 254, 255, 9, 9, 9, 9, 9, 9}; /* and a second slice */
    const uint8_t wanted[2][3 + GAP + 3] = {
        {7, 8, 9, 255, 255, 255, 255, 255, 255, 255, 255, 0, 1, 2},
        {10, 11, 12, 255, 255, 255, 255, 255, 255, 255, 255, 253, 254, 255}};
    struct failure failure = FAILURE_INIT;
    int64_t rows, columns;
    (void)state;
    output_make("out.h5", 2, 2, 3, result);
    picture_text("in.pgm", "P2 3 2 255 7 8 9 10 11 12");
    picture_text("both.png", "something older");
    assert_true(preview_write("out.h5", "in.pgm", 0, "both.png", &failure));
    uint8_t *pixels = preview_load("both.png", &rows, &columns);
    assert_int_equal(rows, 2);
    assert_int_equal(columns, sizeof wanted[0]);
    assert_memory_equal(pixels, wanted, sizeof wanted);
    free(pixels);
    assert_true(preview_write("out.h5", NULL, 0, "alone.png", &failure));
    pixels = preview_load("alone.png", &rows, &columns);
    assert_int_equal(columns, 3);
    assert_memory_equal(pixels, result, 6);
    free(pixels);
    assert_true(preview_write("out.h5", NULL, 1, "second.png", &failure));
    pixels = preview_load("second.png", &rows, &columns);
    assert_int_equal(columns, 3);
    assert_memory_equal(pixels, result + 6, 6);
    free(pixels);
    assert_false(preview_write("out.h5", NULL, 2, "third.png", &failure));
    assert_int_equal(failure.code, FAILURE_USAGE);
    assert_string_equal(failure.text, "out.h5:/normalized: has no slice 3: choose one from 1 to 2");
}

static void deep_pictures_are_stretched(void **state)
{
    const uint8_t result[] = {0, 0, 0, 0};
    struct failure failure = FAILURE_INIT;
    int64_t rows, columns;
    (void)state;
    output_make("out.h5", 1, 1, 4, result);
    picture_text("deep.pgm", "P2 4 1 65535 1000 1051 1255 1510");
    assert_true(preview_write("out.h5", "deep.pgm", 0, "deep.png", &failure));
    uint8_t *pixels = preview_load("deep.png", &rows, &columns);
    assert_memory_equal(pixels, ((uint8_t[]){0, 26, 128, 255}), 4);
    free(pixels);
}

/* Slow and simple: the mean over the area of every pixel of the preview, in exact quarters. */
static double area_mean(const uint8_t *pixels, int edge, int small, int row, int column)
{
    double step = (double)edge / small, sum = 0;
    for (int y = 0; y < edge; y++)
        for (int x = 0; x < edge; x++) {
            double top = row * step, left = column * step;
            double height = (y + 1 < top + step ? y + 1 : top + step) - (y > top ? y : top);
            double width = (x + 1 < left + step ? x + 1 : left + step) - (x > left ? x : left);
            if (height > 0 && width > 0)
                sum += height * width * pixels[(size_t)y * (size_t)edge + (size_t)x];
        }
    return sum / (step * step);
}

static void large_pictures_are_averaged(void **state)
{
    enum { EDGE = 2000, SMALL = 1600, SIZE = EDGE * EDGE };
    struct failure failure = FAILURE_INIT;
    int64_t rows, columns;
    uint64_t seed = 11;
    (void)state;
    uint8_t *result = malloc(SIZE);
    assert_non_null(result);
    picture_noise(result, SIZE, seed);
    output_make("large.h5", 1, EDGE, EDGE, result);
    assert_true(preview_write("large.h5", NULL, 0, "large.png", &failure));
    uint8_t *pixels = preview_load("large.png", &rows, &columns);
    assert_int_equal(rows, SMALL);
    assert_int_equal(columns, SMALL);
    for (int i = 0; i < 20; i++) {
        int row = (int)(picture_random(&seed) % SMALL),
            column = (int)(picture_random(&seed) % SMALL);
        double wanted = area_mean(result, EDGE, SMALL, row, column);
        double shown = pixels[(size_t)row * SMALL + (size_t)column];
        assert_true(shown - wanted <= 0.5001 && wanted - shown <= 0.5001);
    }
    free(pixels);
    free(result);
}

static void panels_keep_within_the_edge(void **state)
{
    enum { WIDE = 5000 };
    struct failure failure = FAILURE_INIT;
    int64_t rows, columns;
    uint8_t *result = calloc(WIDE, 3);
    (void)state;
    assert_non_null(result);
    output_make("wide.h5", 1, 3, WIDE, result);
    assert_true(preview_write("wide.h5", "wide.h5:/normalized", 0, "wide.png", &failure));
    uint8_t *pixels = preview_load("wide.png", &rows, &columns);
    assert_int_equal(columns, 1600);
    assert_int_equal(rows, 1);
    free(pixels);
    output_make("tall.h5", 1, WIDE, 3, result);
    assert_true(preview_write("tall.h5", NULL, 0, "tall.png", &failure));
    pixels = preview_load("tall.png", &rows, &columns);
    assert_int_equal(columns, 1);
    assert_int_equal(rows, 1600);
    free(pixels);
    free(result);
}

static void previews_refused(void **state)
{
    struct failure missing = FAILURE_INIT, other = FAILURE_INIT, nowhere = FAILURE_INIT,
                   full = FAILURE_INIT, input = FAILURE_INIT;
    (void)state;
    output_make("out.h5", 1, 1, 4, (const uint8_t *)"abcd");
    picture_text("old.png", "kept");
    assert_false(preview_write("none.h5", NULL, 0, "old.png", &missing));
    assert_failure(missing, FAILURE_MISMATCH,
                   "cannot open 'none.h5': No such file or directory; check the name");
    assert_false(preview_write("old.png", NULL, 0, "old.png", &other));
    assert_failure(other, FAILURE_MISMATCH,
                   "'old.png' is neither PNG, PGM, TIFF, .npy, NIfTI nor HDF5: convert it to 8- or "
                   "16-bit grey PNG");
    assert_false(preview_write("out.h5", "none.png", 0, "old.png", &input));
    assert_failure(input, FAILURE_MISMATCH,
                   "cannot open 'none.png': No such file or directory; check the name");
    assert_false(preview_write("out.h5", NULL, 0, "no-such-folder/new.png", &nowhere));
    assert_failure(nowhere, FAILURE_FAILED,
                   "cannot write 'no-such-folder/new.png': No such file or directory; choose a "
                   "place that exists, is yours and has room");
    assert_false(preview_write("out.h5", NULL, 0, "/dev/full", &full));
    assert_failure(full, FAILURE_FAILED,
                   "cannot write '/dev/full': No space left on device; choose a place that exists, "
                   "is yours and has room");
    size_t length;
    unsigned char *bytes = picture_load("old.png", &length);
    assert_int_equal(length, 4);
    assert_memory_equal(bytes, "kept", 4);
    free(bytes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(small_pictures_stay_as_they_are),
        cmocka_unit_test(deep_pictures_are_stretched),
        cmocka_unit_test(large_pictures_are_averaged),
        cmocka_unit_test(panels_keep_within_the_edge),
        cmocka_unit_test(previews_refused),
    };
    return cmocka_run_group_tests(tests, pictures_enter, pictures_leave);
}

/* HDF5 data sets as images. The tests run before MPI starts, and while it runs:
 * a plan is made without MPI, a run with it. */
#include <hdf5.h>
#include <mpi.h>
#include <stdio.h>
#include <unistd.h>

#include "spmd/input/input.h"
#include "tests/spmd/pictures.h"

enum { SLICES = 3, ROWS = 13, COLUMNS = 17, SIZE = SLICES * ROWS * COLUMNS };

/* ---- making files ---- */

struct set {
    const char *name;
    hid_t type; /* in the file */
    int rank;
    hsize_t shape[4];
    hsize_t chunk; /* edge, slices aside; 0: contiguous */
    const void *values;
    hid_t memory; /* type of the values */
};

static void set_make(hid_t file, const struct set *set)
{
    const hsize_t chunk[4] = {1, set->chunk, set->chunk, 1};
    hid_t space = H5Screate_simple(set->rank, set->shape, NULL);
    hid_t creation = H5Pcreate(H5P_DATASET_CREATE), links = H5Pcreate(H5P_LINK_CREATE);
    H5Pset_create_intermediate_group(links, 1);
    H5Pset_obj_track_times(creation, 0); /* the same bytes whatever the time */
    if (set->chunk > 0) {
        H5Pset_chunk(creation, set->rank, chunk + (set->rank == 2));
        H5Pset_deflate(creation, 1);
    }
    hid_t made = H5Dcreate2(file, set->name, set->type, space, links, creation, H5P_DEFAULT);
    assert_true(made >= 0);
    if (set->values)
        assert_true(H5Dwrite(made, set->memory, H5S_ALL, H5S_ALL, H5P_DEFAULT, set->values) >= 0);
    H5Dclose(made);
    H5Pclose(links);
    H5Pclose(creation);
    H5Sclose(space);
}

static void file_make(const char *name, hsize_t user_block, const struct set *sets, size_t count)
{
    hid_t creation = H5Pcreate(H5P_FILE_CREATE);
    H5Pset_userblock(creation, user_block);
    hid_t file = H5Fcreate(name, H5F_ACC_TRUNC, creation, H5P_DEFAULT);
    assert_true(file >= 0);
    for (size_t i = 0; i < count; i++)
        set_make(file, &sets[i]);
    H5Fclose(file);
    H5Pclose(creation);
}

/* ---- what is read is what was written ---- */

/* Values that every type used here can hold. */
static void values_make(double values[SIZE])
{
    uint64_t seed = 21;
    for (int i = 0; i < SIZE; i++)
        values[i] = picture_random(&seed) % 128;
}

static double value_of(const void *pixels, int type, int64_t i)
{
    if (type == SCOW_U8)
        return ((const uint8_t *)pixels)[i];
    if (type == SCOW_U16)
        return ((const uint16_t *)pixels)[i];
    assert_int_equal(type, SCOW_F32);
    return (double)((const float *)pixels)[i];
}

static void assert_window(struct input *image, const double *values, const int64_t start[3],
                          int64_t rows, int64_t columns)
{
    float pixels[SIZE];
    struct failure failure = FAILURE_INIT;
    int type = input_shape(image)->type;
    assert_true(
        input_read_image(image, start[0], start[1], start[2], rows, columns, pixels, &failure));
    for (int64_t y = 0; y < rows; y++)
        for (int64_t x = 0; x < columns; x++) {
            int64_t from = (start[0] * ROWS + start[1] + y) * COLUMNS + start[2] + x;
            assert_true(value_of(pixels, type, y * columns + x) == values[from]);
        }
}

static void assert_image(const char *name, int64_t slices, enum scow_type type,
                         const double *values)
{
    struct failure failure = FAILURE_INIT;
    uint64_t seed = 22;
    struct input *image = input_open(SCOW_INPUT_IMAGE, name, &failure);
    assert_string_equal(failure.text, "");
    const struct scow_input *shape = input_shape(image);
    assert_int_equal(shape->kind, SCOW_INPUT_IMAGE);
    assert_int_equal(shape->type, type);
    assert_memory_equal(shape->extent, ((int64_t[]){slices, ROWS, COLUMNS}), sizeof shape->extent);
    assert_true(input_load(image, &failure));
    for (int i = 0; i < 20; i++) {
        int64_t start[3] = {picture_random(&seed) % slices, picture_random(&seed) % ROWS,
                            picture_random(&seed) % COLUMNS};
        assert_window(image, values, start, 1 + picture_random(&seed) % (ROWS - start[1]),
                      1 + picture_random(&seed) % (COLUMNS - start[2]));
    }
    input_close(&image);
}

static void every_type(void **state)
{
    const struct {
        hid_t stored;
        enum scow_type type;
    } types[] = {{H5T_STD_U8LE, SCOW_U8},    {H5T_STD_U16LE, SCOW_U16},  {H5T_STD_U16BE, SCOW_U16},
                 {H5T_IEEE_F32LE, SCOW_F32}, {H5T_IEEE_F32BE, SCOW_F32}, {H5T_IEEE_F64LE, SCOW_F32},
                 {H5T_STD_I8LE, SCOW_F32},   {H5T_STD_I16BE, SCOW_F32},  {H5T_STD_I32LE, SCOW_F32},
                 {H5T_STD_U32LE, SCOW_F32}};
    double values[SIZE];
    (void)state;
    values_make(values);
    for (size_t i = 0; i < COUNT_OF(types); i++) {
        struct set set = {"stack", types[i].stored,  3, {SLICES, ROWS, COLUMNS}, 0,
                          values,  H5T_NATIVE_DOUBLE};
        file_make("type.h5", 0, &set, 1);
        assert_image("type.h5:/stack", SLICES, types[i].type, values);
    }
}

static void every_layout(void **state)
{
    double values[SIZE];
    (void)state;
    values_make(values);
    const struct set sets[] = {
        {"/a/b:c/image", H5T_STD_U8LE, 2, {ROWS, COLUMNS}, 0, values, H5T_NATIVE_DOUBLE},
        {"/chunked", H5T_STD_U8LE, 3, {SLICES, ROWS, COLUMNS}, 4, values, H5T_NATIVE_DOUBLE},
        {"/flat", H5T_STD_U16LE, 2, {ROWS, COLUMNS}, 5, values, H5T_NATIVE_DOUBLE}};
    file_make("lay:out.h5", 512, sets, COUNT_OF(sets));
    assert_image("lay:out.h5:/a/b:c/image", 1, SCOW_U8, values);
    assert_image("lay:out.h5:/chunked", SLICES, SCOW_U8, values);
    assert_image("lay:out.h5:flat", 1, SCOW_U16, values);
}

/* ---- what is refused ---- */

static void assert_refused(const char *name, const char *sentence)
{
    struct failure failure = FAILURE_INIT;
    assert_null(input_open(SCOW_INPUT_IMAGE, name, &failure));
    assert_failure(failure, FAILURE_MISMATCH, sentence);
}

static void sets_make(void)
{
    hid_t text = H5Tcopy(H5T_C_S1);
    H5Tset_size(text, 3);
    const hsize_t giant = (hsize_t)1 << 31;
    const struct set sets[] = {
        {"line", H5T_STD_U8LE, 1, {9}, 0, NULL, 0},
        {"film", H5T_STD_U8LE, 4, {1, 1, 2, 2}, 0, NULL, 0},
        {"flat", H5T_STD_U8LE, 2, {0, 5}, 0, NULL, 0},
        {"words", text, 2, {2, 2}, 0, NULL, 0},
        {"wide", H5T_STD_I64LE, 2, {2, 2}, 0, NULL, 0},
        {"giant", H5T_STD_U8LE, 3, {giant, giant, giant}, 64, NULL, 0},
        {"some/image", H5T_STD_U8LE, 2, {2, 2}, 0, NULL, 0},
        {"stack", H5T_STD_U8LE, 3, {2, 2, 2}, 0, NULL, 0},
    };
    file_make("sets.h5", 0, sets, COUNT_OF(sets));
    file_make("bare.h5", 0, sets, 1);
    H5Tclose(text);
}

static void sets_that_are_no_images(void **state)
{
    (void)state;
    sets_make();
    assert_refused("sets.h5:/line", "data set '/line' of 'sets.h5' has rank 1: name one of rank 2, "
                                    "[y][x], or 3, [z][y][x]");
    assert_refused("sets.h5:/film", "data set '/film' of 'sets.h5' has rank 4: name one of rank 2, "
                                    "[y][x], or 3, [z][y][x]");
    assert_refused("sets.h5:/flat", "data set '/flat' of 'sets.h5' has no pixels (1 x 0 x 5): name "
                                    "another or fill it");
    assert_refused("sets.h5:/words",
                   "data set '/words' of 'sets.h5' has pixels of a type that cannot be used: store "
                   "them as 8- or 16-bit unsigned integers or 32-bit floats");
    assert_refused("sets.h5:/wide",
                   "data set '/wide' of 'sets.h5' has pixels of a type that cannot be used: store "
                   "them as 8- or 16-bit unsigned integers or 32-bit floats");
    assert_refused("sets.h5:/giant",
                   "data set '/giant' of 'sets.h5' claims 2147483648 x 2147483648 x 2147483648 "
                   "pixels, more than any machine can address: check the file");
}

static void sets_that_are_not_there(void **state)
{
    (void)state;
    sets_make();
    assert_refused("sets.h5", "'sets.h5' is an HDF5 file: name a data set of it as "
                              "'sets.h5:/PATH'; it has '/some/image', '/stack'");
    assert_refused("sets.h5:", "'sets.h5' is an HDF5 file: name a data set of it as "
                               "'sets.h5:/PATH'; it has '/some/image', '/stack'");
    assert_refused("bare.h5", "'bare.h5' is an HDF5 file: name a data set of it as "
                              "'bare.h5:/PATH'; it has none that could serve as an image");
    assert_refused("sets.h5:/some", "cannot open data set '/some' of 'sets.h5' (not a dataset): "
                                    "name one that it has; it has '/some/image', '/stack'");
    assert_refused("sets.h5:/none",
                   "cannot open data set '/none' of 'sets.h5' (object 'none' doesn't exist): name "
                   "one that it has; it has '/some/image', '/stack'");
}

static void cuts_are_refused(void **state)
{
    size_t length;
    (void)state;
    sets_make();
    unsigned char *bytes = picture_load("sets.h5", &length);
    for (size_t cut = length - 1; cut > 0; cut -= cut < 97 ? 1 : 97) {
        struct failure failure = FAILURE_INIT;
        picture_bytes("cut.h5", bytes, cut);
        assert_null(input_open(SCOW_INPUT_IMAGE, "cut.h5:/stack", &failure));
        assert_int_equal(failure.code, FAILURE_MISMATCH);
        assert_non_null(strstr(failure.text, "'cut.h5'"));
    }
    free(bytes);
}

/* A chunk that cannot be unpacked is found only when it is read. */
static void damaged_chunks_are_refused(void **state)
{
    double values[SIZE];
    size_t length, found = 0;
    struct failure failure = FAILURE_INIT;
    (void)state;
    values_make(values);
    const struct set set = {"packed", H5T_STD_U8LE,     2, {ROWS, COLUMNS}, 13,
                            values,   H5T_NATIVE_DOUBLE};
    file_make("bad.h5", 0, &set, 1);
    unsigned char *bytes = picture_load("bad.h5", &length);
    for (size_t i = 0; i + 1 < length; i++) /* the heads of zlib streams */
        if (bytes[i] == 0x78 && bytes[i + 1] == 0x01) {
            bytes[i] = 0;
            found++;
        }
    assert_int_equal(found, 2);
    picture_bytes("bad.h5", bytes, length);
    free(bytes);
    struct input *image = input_open(SCOW_INPUT_IMAGE, "bad.h5:/packed", &failure);
    assert_non_null(image);
    unsigned char pixel = 99;
    assert_false(input_read_image(image, 0, 0, 0, 1, 1, &pixel, &failure));
    assert_failure(failure, FAILURE_MISMATCH,
                   "cannot read pixels of 'bad.h5' (inflate() failed): it is damaged, or a filter "
                   "that it was written with is not installed");
    input_close(&image);
}

static int tests_run(const char *name)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_type),
        cmocka_unit_test(every_layout),
        cmocka_unit_test(sets_that_are_no_images),
        cmocka_unit_test(sets_that_are_not_there),
        cmocka_unit_test(cuts_are_refused),
        cmocka_unit_test(damaged_chunks_are_refused),
    };
    return cmocka_run_group_tests_name(name, tests, pictures_enter, pictures_leave);
}

int main(int argc, char **argv)
{
    int failed = tests_run("before MPI");
    MPI_Init(&argc, &argv);
    failed += tests_run("with MPI");
    MPI_Finalize();
    return failed;
}

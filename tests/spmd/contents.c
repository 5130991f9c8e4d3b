/* What is read from HDF5 files that are not ours: an array is never read where there is room for
 * one value. */
#include "spmd/layout/contents.h"

#include <unistd.h>

#include "tests/checks.h"

static const char name[] = "contents.h5";

static hid_t file_make(void **state)
{
    (void)state;
    const hid_t file = H5Fcreate(name, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    assert_true(file >= 0);
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    return file;
}

static void file_remove(hid_t file)
{
    assert_true(H5Fclose(file) >= 0);
    assert_int_equal(unlink(name), 0);
}

static hid_t text_type(size_t size)
{
    const hid_t type = H5Tcopy(H5T_C_S1);
    H5Tset_size(type, size);
    return type;
}

static void attribute_make(hid_t file, const char *called, hid_t type, hsize_t count,
                           const void *values)
{
    const hid_t space = H5Screate_simple(1, &count, NULL);
    const hid_t made = H5Acreate2(file, called, type, space, H5P_DEFAULT, H5P_DEFAULT);
    assert_true(made >= 0 && H5Awrite(made, type, values) >= 0);
    H5Aclose(made);
    H5Sclose(space);
}

static void dataset_make(hid_t file, const char *called, hid_t type, hsize_t count,
                         const void *values)
{
    const hid_t space = H5Screate_simple(1, &count, NULL);
    const hid_t made = H5Dcreate2(file, called, type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    assert_true(made >= 0);
    assert_true(!values || H5Dwrite(made, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) >= 0);
    H5Dclose(made);
    H5Sclose(space);
}

static void one_is_read(void **state)
{
    const hid_t file = file_make(state), type = text_type(5);
    const int32_t number = 77;
    int32_t found = 0;
    attribute_make(file, "word", type, 1, "first");
    attribute_make(file, "number", H5T_NATIVE_INT32, 1, &number);
    dataset_make(file, "/text", type, 1, "other");
    char *word = contents_attribute(file, "word"), *text = contents_text(file, "/text");
    assert_string_equal(word, "first");
    assert_string_equal(text, "other");
    assert_true(contents_number(file, "number", H5T_NATIVE_INT32, &found));
    assert_int_equal(found, 77);
    free(word);
    free(text);
    H5Tclose(type);
    file_remove(file);
}

static void many_are_another_thing(void **state)
{
    static const char words[4096] = "many";
    static const int32_t numbers[64];
    const hid_t file = file_make(state), type = text_type(4);
    int32_t found = 5;
    attribute_make(file, "words", type, sizeof words / 4, words);
    attribute_make(file, "numbers", H5T_NATIVE_INT32, COUNT_OF(numbers), numbers);
    dataset_make(file, "/texts", type, sizeof words / 4, words);
    assert_null(contents_attribute(file, "words"));
    assert_null(contents_text(file, "/texts"));
    assert_false(contents_number(file, "numbers", H5T_NATIVE_INT32, &found));
    assert_int_equal(found, 5);
    H5Tclose(type);
    file_remove(file);
}

/* A file that is small may say so: nothing of the data set is stored. */
static void more_rows_than_can_be_addressed(void **state)
{
    const hid_t file = file_make(state);
    const hsize_t count = (hsize_t)1 << 61, chunk = 16;
    const hid_t space = H5Screate_simple(1, &count, NULL), how = H5Pcreate(H5P_DATASET_CREATE);
    size_t found = 0;
    H5Pset_chunk(how, 1, &chunk);
    const hid_t made =
        H5Dcreate2(file, "/rows", H5T_NATIVE_UINT8, space, H5P_DEFAULT, how, H5P_DEFAULT);
    assert_true(made >= 0);
    H5Dclose(made);
    assert_null(contents_rows(file, "/rows", H5T_NATIVE_DOUBLE, sizeof(double), &found));
    H5Pclose(how);
    H5Sclose(space);
    file_remove(file);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_is_read),
        cmocka_unit_test(many_are_another_thing),
        cmocka_unit_test(more_rows_than_can_be_addressed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

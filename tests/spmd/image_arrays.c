/* .npy and NIfTI: files made by hand, as NumPy and nibabel write them. */
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "spmd/input/input.h"
#include "tests/spmd/pictures.h"

static void assert_pixels(const char *name, int type, const int64_t extent[3], const void *pixels)
{
    struct failure failure = FAILURE_INIT;
    struct input *image = input_open(SCOW_INPUT_IMAGE, name, &failure);
    assert_string_equal(failure.text, "");
    const struct scow_input *shape = input_shape(image);
    assert_int_equal(shape->type, type);
    assert_memory_equal(shape->extent, extent, sizeof shape->extent);
    const size_t slice = (size_t)extent[1] * (size_t)extent[2] * input_pixel_bytes(shape);
    unsigned char *read = malloc(slice);
    assert_non_null(read);
    for (int64_t z = 0; z < extent[0]; z++) {
        assert_true(input_read_image(image, z, 0, 0, extent[1], extent[2], read, &failure));
        assert_memory_equal(read, (const unsigned char *)pixels + (size_t)z * slice, slice);
    }
    free(read);
    input_close(&image);
}

static void assert_refused(const char *name, const char *sentence)
{
    struct failure failure = FAILURE_INIT;
    assert_null(input_open(SCOW_INPUT_IMAGE, name, &failure));
    assert_int_equal(failure.code, FAILURE_MISMATCH);
    if (strncmp(failure.text, sentence, strlen(sentence)) != 0)
        assert_string_equal(failure.text, sentence);
}

static void run(const char *command)
{
    assert_int_equal(system(command), 0); /* NOLINT(cert-env33-c) */
}

/* ---- bytes in a given order ---- */

struct bytes {
    unsigned char data[1024];
    size_t length;
};

static void number_put(struct bytes *bytes, size_t place, const void *value, size_t size, bool big)
{
    const union {
        uint16_t word;
        unsigned char first;
    } probe = {1};
    const bool swapped = big == (probe.first == 1);
    assert_true(place + size <= sizeof bytes->data);
    for (size_t i = 0; i < size; i++)
        bytes->data[place + i] = ((const unsigned char *)value)[swapped ? size - 1 - i : i];
    if (bytes->length < place + size)
        bytes->length = place + size;
}

static void numbers_put(struct bytes *bytes, const void *values, size_t size, size_t count,
                        bool big)
{
    for (size_t i = 0; i < count; i++)
        number_put(bytes, bytes->length, (const unsigned char *)values + i * size, size, big);
}

/* ---- .npy ---- */

static struct bytes npy_begin(int version, const char *dictionary)
{
    struct bytes bytes = {.length = 0};
    const size_t length = strlen(dictionary);
    const unsigned char head[] = {0x93,
                                  'N',
                                  'U',
                                  'M',
                                  'P',
                                  'Y',
                                  (unsigned char)version,
                                  0,
                                  (unsigned char)length,
                                  (unsigned char)(length >> 8),
                                  0,
                                  0};
    bytes.length = version == 1 ? 10 : 12;
    memcpy(bytes.data, head, bytes.length);
    memcpy(bytes.data + bytes.length, dictionary, length);
    bytes.length += length;
    return bytes;
}

static void npy_types(void **state)
{
    static const int64_t flat[3] = {1, 2, 3}, deep[3] = {3, 1, 2};
    const uint8_t small[] = {1, 2, 3, 200, 5, 255};
    const uint16_t words[] = {1, 2, 3, 4000, 5, 65535};
    const float reals[] = {1, -2, 0.5f, 4e9f, 5, 6};
    const double doubles[] = {1, -2, 0.5, (double)4e9f, 5, 6};
    const int16_t integers[] = {1, -2, 3, 4, 5, -600};
    const float wanted[] = {1, -2, 3, 4, 5, -600};
    (void)state;
    struct bytes b = npy_begin(1, "{'descr': '|u1', 'fortran_order': False, 'shape': (2, 3), }\n");
    numbers_put(&b, small, 1, 6, false);
    picture_bytes("a.npy", b.data, b.length);
    assert_pixels("a.npy", SCOW_U8, flat, small);
    b = npy_begin(2, "{'descr': '>u2', 'fortran_order': False, 'shape': (3, 1, 2), }\n");
    numbers_put(&b, words, 2, 6, true);
    picture_bytes("a.npy", b.data, b.length);
    assert_pixels("a.npy", SCOW_U16, deep, words);
    b = npy_begin(3, "{\"shape\":(2,3),\"fortran_order\":False,\"descr\":\"<f4\"}");
    numbers_put(&b, reals, 4, 6, false);
    picture_bytes("a.npy", b.data, b.length);
    assert_pixels("a.npy", SCOW_F32, flat, reals);
    b = npy_begin(1, "{'descr': '>f8', 'fortran_order': False, 'shape': (3, 1, 2), }\n");
    numbers_put(&b, doubles, 8, 6, true);
    picture_bytes("a.npy", b.data, b.length);
    assert_pixels("a.npy", SCOW_F32, deep, reals);
    b = npy_begin(1, "{'descr': '<i2', 'fortran_order': False, 'shape': (2L, 3L), }\n");
    numbers_put(&b, integers, 2, 6, false);
    picture_bytes("a.npy", b.data, b.length);
    assert_pixels("a.npy", SCOW_F32, flat, wanted);
}

static void npy_refused(void **state)
{
    static const struct {
        const char *dictionary, *sentence;
    } rows[] = {
        {"{'descr': '<f4', 'fortran_order': True, 'shape': (2, 3), }",
         "'b.npy' is in Fortran's order: save it with numpy.save('OUT.npy', "
         "numpy.ascontiguousarray(a))"},
        {"{'descr': '<f4', 'fortran_order': False, 'shape': (6,), }",
         "'b.npy' has 1 dimensions: save an array of two"},
        {"{'descr': '<f4', 'fortran_order': False, 'shape': (1, 1, 2, 3), }",
         "'b.npy' has 4 dimensions: save an array of two"},
        {"{'descr': '<f4', 'fortran_order': False, 'shape': (), }",
         "'b.npy' has 0 dimensions: save an array of two"},
        {"{'descr': '<i8', 'fortran_order': False, 'shape': (2, 3), }",
         "'b.npy' holds numbers of type '<i8' that cannot be used: save it with "
         "numpy.save('OUT.npy', a.astype('float32')), or as 'uint8' or 'uint16'"},
        {"{'descr': [('x', '<f4')], 'fortran_order': False, 'shape': (2, 3), }",
         "'b.npy' holds numbers of type '[' that cannot be used: save"},
        {"{'descr': '<f4', 'fortran_order': False, 'shape': (0, 3), }",
         "'b.npy' has no pixels (3 x 0): make the image again"},
        {"{'descr': '<f4', 'fortran_order': False, 'shape': (0, 2, 3), }",
         "'b.npy' has no pixels (3 x 2): make the image again"},
        {"{'descr': '<f4', 'fortran_order': False, 'shape': (9, 3), }",
         "'b.npy' is a cut or damaged .npy (numbers are missing): save or copy it again"},
        {"{'descr': '<f4', 'fortran_order': False, 'shape': (999999999999, 999999999999), }",
         "'b.npy' claims 999999999999 x 999999999999 pixels, more than this machine"},
        {"{'descr': '<f4', 'fortran_order': False, 'shape': (-2, 3), }",
         "'b.npy' is a cut or damaged .npy (descr, fortran_order or shape is missing or odd)"},
        {"{'descr': '<f4', 'fortran_order': False}",
         "'b.npy' is a cut or damaged .npy (descr, fortran_order or shape is missing or odd)"},
    };
    const float reals[] = {1, 2, 3, 4, 5, 6};
    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct bytes b = npy_begin(1, rows[i].dictionary);
        numbers_put(&b, reals, 4, 6, false);
        picture_bytes("b.npy", b.data, b.length);
        assert_refused("b.npy", rows[i].sentence);
    }
    struct bytes b = npy_begin(4, rows[0].dictionary);
    picture_bytes("b.npy", b.data, b.length);
    assert_refused("b.npy", "'b.npy' is a .npy of version 4, and those up to 3 are known");
}

static void cuts_refuse(const char *name, const struct bytes *whole)
{
    for (size_t cut = whole->length; cut-- > 1;) {
        struct failure failure = FAILURE_INIT;
        picture_bytes(name, whole->data, cut);
        struct input *image = input_open(SCOW_INPUT_IMAGE, name, &failure);
        assert_null(image);
        assert_int_equal(failure.code, FAILURE_MISMATCH);
        assert_non_null(strstr(failure.text, name));
    }
}

static void npy_cuts(void **state)
{
    const float reals[] = {1, 2, 3, 4, 5, 6};
    (void)state;
    struct bytes b = npy_begin(1, "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }\n");
    numbers_put(&b, reals, 4, 6, false);
    cuts_refuse("cut.npy", &b);
}

/* ---- NIfTI ---- */

struct volume {
    int version; /* 1 or 2 */
    bool big;
    int16_t code;
    int64_t dimensions[8];
    double slope, intercept;
};

static struct bytes nifti_first(const struct volume *volume)
{
    struct bytes bytes = {.length = 352};
    const int32_t size = 348;
    const float reals[] = {352, (float)volume->slope, (float)volume->intercept};
    number_put(&bytes, 0, &size, 4, volume->big);
    for (size_t i = 0; i < 8; i++) {
        const int16_t dimension = (int16_t)volume->dimensions[i];
        number_put(&bytes, 40 + 2 * i, &dimension, 2, volume->big);
    }
    number_put(&bytes, 70, &volume->code, 2, volume->big);
    for (size_t i = 0; i < 3; i++)
        number_put(&bytes, 108 + 4 * i, &reals[i], 4, volume->big);
    memcpy(bytes.data + 344, "n+1", 4);
    return bytes;
}

static struct bytes nifti_second(const struct volume *volume)
{
    struct bytes bytes = {.length = 544};
    const int32_t size = 540;
    const int64_t offset = 544;
    number_put(&bytes, 0, &size, 4, volume->big);
    memcpy(bytes.data + 4, "n+2\0\r\n\032\n", 8);
    number_put(&bytes, 12, &volume->code, 2, volume->big);
    for (size_t i = 0; i < 8; i++)
        number_put(&bytes, 16 + 8 * i, &volume->dimensions[i], 8, volume->big);
    number_put(&bytes, 168, &offset, 8, volume->big);
    number_put(&bytes, 176, &volume->slope, 8, volume->big);
    number_put(&bytes, 184, &volume->intercept, 8, volume->big);
    return bytes;
}

static struct bytes nifti_make(const char *name, const struct volume *volume, const void *values,
                               size_t size, size_t count)
{
    struct bytes bytes = volume->version == 1 ? nifti_first(volume) : nifti_second(volume);
    numbers_put(&bytes, values, size, count, volume->big);
    picture_bytes(name, bytes.data, bytes.length);
    return bytes;
}

static void nifti_volumes(void **state)
{
    static const int64_t deep[3] = {2, 3, 1}, flat[3] = {1, 2, 3};
    const uint8_t small[] = {1, 2, 3, 200, 5, 255};
    const uint16_t words[] = {1, 2, 3, 4000, 5, 65535};
    const int16_t integers[] = {10, -2, 3, 4, 5, -600};
    const float reals[] = {10, -2, 3, 4, 5, -600};
    float scaled[6];
    (void)state;
    for (int i = 0; i < 6; i++)
        scaled[i] = (float)integers[i] * 0.5f + 7;
    for (int version = 1; version <= 2; version++)
        for (int big = 0; big < 2; big++) {
            struct volume volume = {version, big, 2, {3, 1, 3, 2, 1, 1, 1, 1}, 0, 0};
            nifti_make("a.nii", &volume, small, 1, 6);
            assert_pixels("a.nii", SCOW_U8, deep, small);
            volume.code = 512;
            volume.slope = 1; /* as good as none */
            nifti_make("a.nii", &volume, words, 2, 6);
            assert_pixels("a.nii", SCOW_U16, deep, words);
            volume.code = 4;
            nifti_make("a.nii", &volume, integers, 2, 6);
            assert_pixels("a.nii", SCOW_F32, deep, reals);
            volume.slope = 0.5;
            volume.intercept = 7;
            nifti_make("a.nii", &volume, integers, 2, 6);
            assert_pixels("a.nii", SCOW_F32, deep, scaled);
            volume = (struct volume){version, big, 16, {2, 3, 2, 0, 0, 0, 0, 0}, 0, 0};
            nifti_make("a.nii", &volume, reals, 4, 6);
            assert_pixels("a.nii", SCOW_F32, flat, reals);
        }
}

static void nifti_refused(void **state)
{
    const uint8_t small[64] = {0};
    struct volume volume = {1, false, 2, {4, 1, 3, 2, 5, 1, 1, 1}, 0, 0};
    (void)state;
    nifti_make("b.nii", &volume, small, 1, 64);
    assert_refused("b.nii", "'b.nii' is a series of volumes: save one of them");
    volume.dimensions[0] = 9;
    nifti_make("b.nii", &volume, small, 1, 64);
    assert_refused("b.nii", "'b.nii' is a cut or damaged NIfTI file (no dimensions)");
    volume.dimensions[0] = 3;
    volume.dimensions[2] = 300;
    nifti_make("b.nii", &volume, small, 1, 64);
    assert_refused("b.nii", "'b.nii' is a cut or damaged NIfTI file (numbers are missing)");
    volume.dimensions[2] = 3;
    volume.code = 128; /* colours */
    nifti_make("b.nii", &volume, small, 1, 64);
    assert_refused("b.nii", "'b.nii' holds numbers of NIfTI's type 128 that cannot be used: save");
    volume.code = 2;
    struct bytes bytes = nifti_make("b.nii", &volume, small, 1, 6);
    cuts_refuse("cut.nii", &bytes);
    memcpy(bytes.data + 344, "ni1", 4);
    picture_bytes("b.nii", bytes.data, bytes.length);
    assert_refused("b.nii", "'b.nii' is the header of a pair of files (NIfTI or Analyze");
}

/* ---- compressed ones ---- */

static void compressed(void **state)
{
    static const int64_t deep[3] = {2, 3, 1};
    const uint8_t small[] = {1, 2, 3, 200, 5, 255};
    const struct volume volume = {1, false, 2, {3, 1, 3, 2, 1, 1, 1, 1}, 0, 0};
    (void)state;
    nifti_make("a.nii", &volume, small, 1, 6);
    run("gzip -c a.nii > a.nii.gz");
    assert_pixels("a.nii.gz", SCOW_U8, deep, small);
    run("gzip -c a.nii | head -c 60 > cut.nii.gz");
    assert_refused("cut.nii.gz", "cannot unpack 'cut.nii.gz': ");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(npy_types),     cmocka_unit_test(npy_refused),
        cmocka_unit_test(npy_cuts),      cmocka_unit_test(nifti_volumes),
        cmocka_unit_test(nifti_refused), cmocka_unit_test(compressed),
    };
    return cmocka_run_group_tests(tests, pictures_enter, pictures_leave);
}

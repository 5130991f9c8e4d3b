#include <stdio.h>
#include <sys/stat.h>
#include <tiffio.h>
#include <unistd.h>

#include "spmd/input/input.h"
#include "tests/spmd/pictures.h"

enum { COLUMNS = 37, ROWS = 23, MOST_PAGES = 3 };

enum { MOST = COLUMNS * ROWS * MOST_PAGES };

static const size_t page_pixels = (size_t)COLUMNS * ROWS;

/* ---- files, by the library ---- */

struct layout {
    const char *mode; /* "wl": little-endian, "wb": big-endian, "w8": its 64-bit form */
    int compression;
    int piece; /* rows of a strip, or edge of a tile */
    bool tiled;
};

static void tags_set(TIFF *tiff, const struct layout *layout, int bits, int format)
{
    TIFFSetField(tiff, TIFFTAG_IMAGEWIDTH, (uint32_t)COLUMNS);
    TIFFSetField(tiff, TIFFTAG_IMAGELENGTH, (uint32_t)ROWS);
    TIFFSetField(tiff, TIFFTAG_BITSPERSAMPLE, bits);
    TIFFSetField(tiff, TIFFTAG_SAMPLESPERPIXEL, 1);
    TIFFSetField(tiff, TIFFTAG_SAMPLEFORMAT, format);
    TIFFSetField(tiff, TIFFTAG_PHOTOMETRIC, PHOTOMETRIC_MINISBLACK);
    TIFFSetField(tiff, TIFFTAG_COMPRESSION, layout->compression);
    TIFFSetField(tiff, TIFFTAG_PLANARCONFIG, PLANARCONFIG_CONTIG);
    if (layout->tiled) {
        TIFFSetField(tiff, TIFFTAG_TILEWIDTH, (uint32_t)layout->piece);
        TIFFSetField(tiff, TIFFTAG_TILELENGTH, (uint32_t)layout->piece);
    } else {
        TIFFSetField(tiff, TIFFTAG_ROWSPERSTRIP, (uint32_t)layout->piece);
    }
}

/* The library swaps bytes in place where the file's order is not the machine's: a copy. */
static void row_write(TIFF *tiff, const unsigned char *pixels, size_t bytes, size_t row)
{
    unsigned char line[8 * COLUMNS];
    memcpy(line, pixels + row * COLUMNS * bytes, COLUMNS * bytes);
    assert_int_equal(TIFFWriteScanline(tiff, line, (uint32_t)row, 0), 1);
}

static void tiles_write(TIFF *tiff, const unsigned char *pixels, size_t bytes, size_t edge)
{
    unsigned char *tile = malloc(edge * edge * bytes);
    assert_non_null(tile);
    for (size_t y = 0; y < ROWS; y += edge)
        for (size_t x = 0; x < COLUMNS; x += edge) {
            const size_t columns = COLUMNS - x < edge ? COLUMNS - x : edge;
            memset(tile, 99, edge * edge * bytes);
            for (size_t k = 0; k < edge && y + k < ROWS; k++)
                memcpy(tile + k * edge * bytes, pixels + ((y + k) * COLUMNS + x) * bytes,
                       columns * bytes);
            assert_true(TIFFWriteTile(tiff, tile, (uint32_t)x, (uint32_t)y, 0, 0) > 0);
        }
    free(tile);
}

static void page_write(TIFF *tiff, const struct layout *layout, int bits, int format,
                       const void *pixels)
{
    const size_t bytes = (size_t)bits / 8;
    tags_set(tiff, layout, bits, format);
    if (layout->tiled)
        tiles_write(tiff, pixels, bytes, (size_t)layout->piece);
    for (size_t row = 0; row < ROWS && !layout->tiled; row++)
        row_write(tiff, pixels, bytes, row);
    assert_int_equal(TIFFWriteDirectory(tiff), 1);
}

static void tiff_make(const char *name, const struct layout *layout, int bits, int format,
                      int pages, const void *pixels)
{
    TIFF *tiff = TIFFOpen(name, layout->mode);
    assert_non_null(tiff);
    for (int page = 0; page < pages; page++)
        page_write(tiff, layout, bits, format,
                   (const unsigned char *)pixels + (size_t)page * page_pixels * (size_t)bits / 8);
    TIFFClose(tiff);
}

static const struct layout plain = {"wl", COMPRESSION_NONE, 5, false};

/* ---- what is read is what was written ---- */

static void assert_stack(const char *name, int type, int slices, const void *pixels)
{
    struct failure failure = FAILURE_INIT;
    unsigned char read[4 * COLUMNS * ROWS];
    struct input *image = input_open(SCOW_INPUT_IMAGE, name, &failure);
    assert_string_equal(failure.text, "");
    const struct scow_input *shape = input_shape(image);
    const size_t size = input_pixel_bytes(shape), slice_bytes = page_pixels * size;
    assert_int_equal(shape->type, type);
    assert_memory_equal(shape->extent, ((int64_t[]){slices, ROWS, COLUMNS}), sizeof shape->extent);
    for (int z = slices - 1; z >= 0; z--) {
        const unsigned char *slice = (const unsigned char *)pixels + (size_t)z * slice_bytes;
        assert_true(input_read_image(image, z, 0, 0, ROWS, COLUMNS, read, &failure));
        assert_memory_equal(read, slice, slice_bytes);
        assert_true(input_read_image(image, z, 20, 30, 2, 1, read, &failure));
        assert_memory_equal(read + size, slice + (size_t)(21 * COLUMNS + 30) * size, size);
    }
    input_close(&image);
}

static void every_layout(void **state)
{
    static const struct layout layouts[] = {
        {"wl", COMPRESSION_NONE, 5, false},          {"wb", COMPRESSION_NONE, ROWS, false},
        {"w8", COMPRESSION_LZW, 4, false},           {"wb", COMPRESSION_PACKBITS, 23, false},
        {"wl", COMPRESSION_ADOBE_DEFLATE, 7, false}, {"wb", COMPRESSION_ADOBE_DEFLATE, 16, true},
        {"wl", COMPRESSION_NONE, 16, true},          {"w8", COMPRESSION_NONE, 64, true},
    };
    unsigned char noise[4 * MOST];
    float values[MOST];
    (void)state;
    picture_noise(noise, sizeof noise, 1);
    for (int i = 0; i < MOST; i++)
        values[i] = (float)i / 7;
    for (size_t i = 0; i < COUNT_OF(layouts); i++)
        for (int pages = 1; pages <= MOST_PAGES; pages += 2) {
            tiff_make("a.tif", &layouts[i], 8, SAMPLEFORMAT_UINT, pages, noise);
            assert_stack("a.tif", SCOW_U8, pages, noise);
            tiff_make("a.tif", &layouts[i], 16, SAMPLEFORMAT_UINT, pages, noise);
            assert_stack("a.tif", SCOW_U16, pages, noise);
            tiff_make("a.tif", &layouts[i], 32, SAMPLEFORMAT_IEEEFP, pages, values);
            assert_stack("a.tif", SCOW_F32, pages, values);
        }
}

/* Numbers of types that core tasks do not have become floats. */
static void other_numbers_become_floats(void **state)
{
    int8_t bytes[MOST];
    int16_t words[MOST];
    int32_t longs[MOST];
    double doubles[MOST];
    float wanted[MOST];
    (void)state;
    for (int i = 0; i < MOST; i++) {
        bytes[i] = (int8_t)(i % 256 - 128);
        words[i] = (int16_t)(bytes[i] * 3);
        longs[i] = bytes[i] * 70000;
        doubles[i] = bytes[i] / 16.0;
    }
    for (int big = 0; big < 2; big++) {
        const struct layout layout = {big ? "wb" : "wl", COMPRESSION_NONE, 5, false};
        tiff_make("n.tif", &layout, 8, SAMPLEFORMAT_INT, 1, bytes);
        for (int i = 0; i < MOST; i++)
            wanted[i] = (float)bytes[i];
        assert_stack("n.tif", SCOW_F32, 1, wanted);
        tiff_make("n.tif", &layout, 16, SAMPLEFORMAT_INT, 1, words);
        for (int i = 0; i < MOST; i++)
            wanted[i] = (float)words[i];
        assert_stack("n.tif", SCOW_F32, 1, wanted);
        tiff_make("n.tif", &layout, 32, SAMPLEFORMAT_INT, 1, longs);
        for (int i = 0; i < MOST; i++)
            wanted[i] = (float)longs[i];
        assert_stack("n.tif", SCOW_F32, 1, wanted);
        tiff_make("n.tif", &layout, 64, SAMPLEFORMAT_IEEEFP, 1, doubles);
        for (int i = 0; i < MOST; i++)
            wanted[i] = (float)doubles[i];
        assert_stack("n.tif", SCOW_F32, 1, wanted);
    }
}

static void reduced_pages_are_left_out(void **state)
{
    unsigned char noise[MOST];
    (void)state;
    picture_noise(noise, sizeof noise, 2);
    TIFF *tiff = TIFFOpen("pyramid.tif", "w");
    page_write(tiff, &plain, 8, SAMPLEFORMAT_UINT, noise);
    TIFFSetField(tiff, TIFFTAG_SUBFILETYPE, FILETYPE_REDUCEDIMAGE);
    page_write(tiff, &plain, 16, SAMPLEFORMAT_UINT, noise);
    page_write(tiff, &plain, 8, SAMPLEFORMAT_UINT, noise + page_pixels);
    TIFFClose(tiff);
    assert_stack("pyramid.tif", SCOW_U8, 2, noise);
}

static void files_are_slices(void **state)
{
    unsigned char noise[MOST];
    struct failure failure = FAILURE_INIT;
    (void)state;
    picture_noise(noise, sizeof noise, 3);
    assert_int_equal(mkdir("d", 0777), 0);
    tiff_make("d/1.tif", &plain, 8, SAMPLEFORMAT_UINT, 1, noise);
    tiff_make("d/2.tif", &plain, 8, SAMPLEFORMAT_UINT, 1, noise + page_pixels);
    assert_stack("d", SCOW_U8, 2, noise);
    tiff_make("d/2.tif", &plain, 8, SAMPLEFORMAT_UINT, 2, noise);
    assert_null(input_open(SCOW_INPUT_IMAGE, "d", &failure));
    assert_failure(failure, FAILURE_MISMATCH,
                   "'d/2.tif' is a stack of 2 slices: name it itself, or a directory of files with "
                   "one slice each");
    unlink("d/1.tif");
    unlink("d/2.tif");
    rmdir("d");
}

/* ---- what is refused ---- */

static void assert_refused(const char *name, const char *sentence)
{
    struct failure failure = FAILURE_INIT;
    assert_null(input_open(SCOW_INPUT_IMAGE, name, &failure));
    assert_int_equal(failure.code, FAILURE_MISMATCH);
    assert_int_equal(strncmp(failure.text, sentence, strlen(sentence)), 0);
}

/* A page with one tag that is not as it should be. */
static void odd_make(uint32_t tag, int value)
{
    unsigned char noise[3 * MOST];
    picture_noise(noise, sizeof noise, 4);
    TIFF *tiff = TIFFOpen("odd.tif", "w");
    assert_non_null(tiff);
    tags_set(tiff, &plain, 8, SAMPLEFORMAT_UINT);
    TIFFSetField(tiff, tag, value);
    for (uint32_t row = 0; row < ROWS; row++)
        assert_int_equal(TIFFWriteScanline(tiff, noise, row, 0), 1);
    TIFFClose(tiff);
}

static void other_kinds_are_refused(void **state)
{
    unsigned char noise[2 * MOST] = {0};
    (void)state;
    odd_make(TIFFTAG_SAMPLESPERPIXEL, 3);
    assert_refused("odd.tif", "'odd.tif' is a TIFF with colours or channels: convert it");
    odd_make(TIFFTAG_PHOTOMETRIC, PHOTOMETRIC_MASK);
    assert_refused("odd.tif", "'odd.tif' is a TIFF with colours or channels: convert it");
    odd_make(TIFFTAG_PHOTOMETRIC, PHOTOMETRIC_MINISWHITE);
    assert_refused("odd.tif", "'odd.tif' is a TIFF in which 0 is white: convert it");
    odd_make(TIFFTAG_BITSPERSAMPLE, 4);
    assert_refused("odd.tif", "'odd.tif' has pixels of 4 bits that cannot be used: convert it");
    odd_make(TIFFTAG_SAMPLEFORMAT, SAMPLEFORMAT_COMPLEXINT);
    assert_refused("odd.tif", "'odd.tif' has pixels of 8 bits that cannot be used: convert it");
    TIFF *tiff = TIFFOpen("odd.tif", "w");
    page_write(tiff, &plain, 8, SAMPLEFORMAT_UINT, noise);
    page_write(tiff, &plain, 16, SAMPLEFORMAT_UINT, noise);
    TIFFClose(tiff);
    assert_refused("odd.tif", "'odd.tif' has pages of different sizes or types: the slices");
    tiff = TIFFOpen("odd.tif", "w");
    TIFFSetField(tiff, TIFFTAG_IMAGEDESCRIPTION, "ImageJ=1.53t\nimages=9\nslices=9\n");
    page_write(tiff, &plain, 8, SAMPLEFORMAT_UINT, noise);
    TIFFClose(tiff);
    assert_refused("odd.tif", "'odd.tif' is an ImageJ stack with a single page: save it as");
    picture_bytes("odd.tif", "II*\0\0\0\0\0", 8);
    assert_refused("odd.tif", "'odd.tif' is a cut or damaged TIFF (");
}

static bool wholly_read(const char *name, struct failure *failure)
{
    struct input *image = input_open(SCOW_INPUT_IMAGE, name, failure);
    const bool good = image && input_load(image, failure);
    input_close(&image);
    return good;
}

static void assert_said(const struct failure *failure, const char *name)
{
    assert_int_equal(failure->code, FAILURE_MISMATCH);
    assert_non_null(strstr(failure->text, name));
    assert_null(strchr(failure->text, '\n'));
}

static void cuts_are_refused(void **state)
{
    static const struct layout layouts[] = {{"wl", COMPRESSION_ADOBE_DEFLATE, 16, true},
                                            {"wb", COMPRESSION_LZW, 5, false}};
    unsigned char noise[2 * MOST];
    size_t length;
    (void)state;
    picture_noise(noise, sizeof noise, 5);
    for (size_t i = 0; i < COUNT_OF(layouts); i++) {
        tiff_make("whole.tif", &layouts[i], 16, SAMPLEFORMAT_UINT, 2, noise);
        unsigned char *bytes = picture_load("whole.tif", &length);
        for (size_t cut = length - 40; cut > 0; cut -= cut < 31 ? 1 : 31) {
            struct failure failure = FAILURE_INIT;
            picture_bytes("cut.tif", bytes, cut);
            assert_false(wholly_read("cut.tif", &failure));
            assert_said(&failure, "'cut.tif'");
        }
        free(bytes);
    }
}

/* Damage is refused in a sentence, or changes pixels alone: a TIFF has no checksums. */
static void flipped_bits_do_no_harm(void **state)
{
    static const struct layout layouts[] = {{"wl", COMPRESSION_ADOBE_DEFLATE, 16, true},
                                            {"wb", COMPRESSION_LZW, 5, false},
                                            {"w8", COMPRESSION_NONE, 5, false}};
    unsigned char noise[MOST] = {0};
    uint64_t seed = 6;
    size_t length;
    (void)state;
    for (size_t i = 0; i < COUNT_OF(layouts); i++) {
        tiff_make("whole.tif", &layouts[i], 8, SAMPLEFORMAT_UINT, 2, noise);
        unsigned char *bytes = picture_load("whole.tif", &length);
        for (int k = 0; k < 400; k++) {
            struct failure failure = FAILURE_INIT;
            const size_t bit = picture_random(&seed) % (8 * length);
            bytes[bit / 8] ^= (unsigned char)(1u << bit % 8);
            picture_bytes("flipped.tif", bytes, length);
            if (!wholly_read("flipped.tif", &failure))
                assert_said(&failure, "'flipped.tif'");
            bytes[bit / 8] ^= (unsigned char)(1u << bit % 8);
        }
        free(bytes);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_layout),
        cmocka_unit_test(other_numbers_become_floats),
        cmocka_unit_test(reduced_pages_are_left_out),
        cmocka_unit_test(files_are_slices),
        cmocka_unit_test(other_kinds_are_refused),
        cmocka_unit_test(cuts_are_refused),
        cmocka_unit_test(flipped_bits_do_no_harm),
    };
    return cmocka_run_group_tests(tests, pictures_enter, pictures_leave);
}

#include "spmd/input/input.h"

#include <png.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "planner/files/textfile.h"
#include "tests/spmd/pictures.h"

static void assert_shape(const struct scow_input *shape, const struct scow_input *wanted)
{
    assert_int_equal(shape->kind, SCOW_INPUT_IMAGE);
    assert_int_equal(shape->type, wanted->type);
    assert_memory_equal(shape->extent, wanted->extent, sizeof shape->extent);
}

/* ---- what is read is what was written ---- */

static void assert_window(struct input *image, const void *pixels, const int64_t window[4])
{
    const struct scow_input *shape = input_shape(image);
    struct failure failure = FAILURE_INIT;
    size_t size = input_pixel_bytes(shape), line = (size_t)window[3] * size;
    unsigned char *read = malloc((size_t)window[2] * line + 1);
    assert_non_null(read);
    assert_true(
        input_read_image(image, 0, window[0], window[1], window[2], window[3], read, &failure));
    for (int64_t y = 0; y < window[2]; y++) {
        size_t from = (size_t)((window[0] + y) * shape->extent[2] + window[1]) * size;
        assert_memory_equal(read + (size_t)y * line, (const unsigned char *)pixels + from, line);
    }
    free(read);
}

static void assert_windows(struct input *image, const void *pixels)
{
    const struct scow_input *shape = input_shape(image);
    uint64_t seed = 5;
    assert_window(image, pixels, (int64_t[]){0, 0, shape->extent[1], shape->extent[2]});
    for (int i = 0; i < 20; i++) {
        int64_t window[4] = {picture_random(&seed) % shape->extent[1],
                             picture_random(&seed) % shape->extent[2], 0, 0};
        window[2] = 1 + picture_random(&seed) % (shape->extent[1] - window[0]);
        window[3] = 1 + picture_random(&seed) % (shape->extent[2] - window[1]);
        assert_window(image, pixels, window);
    }
}

/* The file shows `pixels`, of that shape and type, whether loaded before or by reading. */
static void assert_image(const char *name, const struct scow_input *wanted, const void *pixels)
{
    for (int load = 0; load < 2; load++) {
        struct failure failure = FAILURE_INIT;
        struct input *image = input_open(SCOW_INPUT_IMAGE, name, &failure);
        assert_string_equal(failure.text, "");
        assert_non_null(image);
        assert_shape(input_shape(image), wanted);
        assert_string_equal(input_shape(image)->name, name);
        assert_true(!load || input_load(image, &failure));
        assert_true(!load || input_load(image, &failure)); /* again: nothing left to do */
        assert_windows(image, pixels);
        input_close(&image);
        assert_null(image);
    }
}

static struct scow_input shape_of(int64_t columns, int64_t rows, enum scow_type type)
{
    return (struct scow_input){.type = (int)type, .extent = {1, rows, columns}};
}

static void png_grey(void **state)
{
    unsigned char pixels[2 * 37 * 23];
    (void)state;
    picture_noise(pixels, sizeof pixels, 1);
    for (int depth = 8; depth <= 16; depth += 8)
        for (int interlace = PNG_INTERLACE_NONE; interlace <= PNG_INTERLACE_ADAM7; interlace++) {
            struct picture_png png = {37, 23, depth, PNG_COLOR_TYPE_GRAY, interlace};
            struct scow_input shape = shape_of(37, 23, depth == 8 ? SCOW_U8 : SCOW_U16);
            picture_png("grey.png", &png, pixels);
            assert_image("grey.png", &shape, pixels);
        }
}

static void png_alpha_is_dropped(void **state)
{
    const uint8_t bytes[] = {10, 255, 20, 0, 30, 7, 40, 9, 50, 1, 60, 2};
    const uint16_t words[] = {1000, 65535, 2000, 0, 3000, 5};
    (void)state;
    picture_png("alpha.png", &(struct picture_png){3, 2, 8, PNG_COLOR_TYPE_GRAY_ALPHA, 0}, bytes);
    struct scow_input shape = shape_of(3, 2, SCOW_U8);
    assert_image("alpha.png", &shape, (uint8_t[]){10, 20, 30, 40, 50, 60});
    picture_png("alpha.png", &(struct picture_png){1, 3, 16, PNG_COLOR_TYPE_GRAY_ALPHA, 0}, words);
    shape = shape_of(1, 3, SCOW_U16);
    assert_image("alpha.png", &shape, (uint16_t[]){1000, 2000, 3000});
}

static void pgm_raw(void **state)
{
    const char eight[] = "P5\n# made by hand\n3 #columns\n 2\n200\n\n\x20#\xc8\x01\x00";
    const char sixteen[] = "P5 2 2 4095 \x00\x0a\x0f\xff\x01\x00\x00\x00";
    (void)state;
    picture_bytes("raw.pgm", eight, sizeof eight - 1);
    struct scow_input shape = shape_of(3, 2, SCOW_U8);
    /* After the maximum comes one character; a comment sign or white space behind it is pixels. */
    assert_image("raw.pgm", &shape, "\n\x20#\xc8\x01");
    picture_bytes("raw.pgm", sixteen, sizeof sixteen - 1);
    shape = shape_of(2, 2, SCOW_U16);
    assert_image("raw.pgm", &shape, (uint16_t[]){10, 4095, 256, 0});
}

static void pgm_plain(void **state)
{
    (void)state;
    picture_text("plain.pgm",
                 "P2# plain\n# two lines\r3\t2 255\n0 1 2 # in between\n\n  3\r\n4 255");
    struct scow_input shape = shape_of(3, 2, SCOW_U8);
    assert_image("plain.pgm", &shape, (uint8_t[]){0, 1, 2, 3, 4, 255});
    picture_text("plain.pgm", "P2 1 2 256 256 0001\n");
    shape = shape_of(1, 2, SCOW_U16);
    assert_image("plain.pgm", &shape, (uint16_t[]){256, 1});
}

static void names_with_colons(void **state)
{
    struct scow_input shape = shape_of(1, 1, SCOW_U8);
    (void)state;
    picture_text("a:b.pgm", "P2 1 1 9 7");
    assert_image("a:b.pgm", &shape, "\x07");
    picture_text("a:", "P2 1 1 9 8");
    assert_image("a:", &shape, "\x08");
    assert_int_equal(mkdir("c:", 0700), 0);
    picture_text("c:/d.pgm", "P2 1 1 9 6");
    assert_image("c:/d.pgm", &shape, "\x06");
    assert_int_equal(unlink("c:/d.pgm"), 0);
}

static void digest_is_of_the_whole_file(void **state)
{
    enum { EDGE = 300, SIZE = EDGE * EDGE }; /* more than one read */
    struct failure failure = FAILURE_INIT;
    char digest[65], wanted[65];
    size_t length;
    unsigned char *pixels = malloc(SIZE);
    (void)state;
    assert_non_null(pixels);
    picture_noise(pixels, SIZE, 2);
    picture_png("digest.png", &(struct picture_png){EDGE, EDGE, 8, PNG_COLOR_TYPE_GRAY, 0}, pixels);
    unsigned char *bytes = picture_load("digest.png", &length);
    textfile_sha256((const char *)bytes, length, wanted);
    struct input *image = input_open(SCOW_INPUT_IMAGE, "digest.png", &failure);
    assert_non_null(image);
    assert_true(input_sha256(image, digest, &failure));
    assert_string_equal(digest, wanted);
    assert_int_equal(unlink("digest.png"), 0);
    assert_false(input_sha256(image, digest, &failure));
    assert_failure(failure, FAILURE_MISMATCH,
                   "cannot open 'digest.png': No such file or directory; check the name");
    input_close(&image);
    free(bytes);
    free(pixels);
}

/* ---- what is refused ---- */

/* Checks that the image is refused when it is opened, by its header. */
static void assert_refused_early(const char *name, const char *sentence)
{
    struct failure failure = FAILURE_INIT;
    assert_null(input_open(SCOW_INPUT_IMAGE, name, &failure));
    assert_failure(failure, FAILURE_MISMATCH, sentence);
}

/* When its pixels are wanted, as often as they are, and by input_load as by reading. */
static void assert_refused(const char *name, const char *sentence)
{
    struct failure none = FAILURE_INIT;
    struct input *image = input_open(SCOW_INPUT_IMAGE, name, &none);
    uint16_t pixel;
    assert_string_equal(none.text, "");
    for (int load = 0; load < 4; load++) {
        struct failure failure = FAILURE_INIT;
        assert_false(load % 2 ? input_load(image, &failure)
                              : input_read_image(image, 0, 0, 0, 1, 1, &pixel, &failure));
        assert_failure(failure, FAILURE_MISMATCH, sentence);
    }
    input_close(&image);
}

static void files_that_are_no_images(void **state)
{
    (void)state;
    assert_refused_early("none.png",
                         "cannot open 'none.png': No such file or directory; check the name");
    assert_refused_early("none.h5:/stack",
                         "cannot open 'none.h5': No such file or directory; check the name");
    assert_refused_early("", "cannot open '': No such file or directory; check the name");
    assert_refused_early("/dev/zero",
                         "'/dev/zero' is not a regular file: save the image to a file first");
    picture_text("empty.png", "");
    assert_refused_early("empty.png", "'empty.png' is empty: make or copy the image again");
    picture_text("notes.txt", "Portable grey");
    assert_refused_early(
        "notes.txt",
        "'notes.txt' is neither PNG, PGM, TIFF, .npy, NIfTI nor HDF5: convert it to 8- "
        "or 16-bit grey PNG");
    picture_text("one.pgm", "P2 1 1 9 7");
    assert_refused_early("one.pgm:/stack",
                         "'one.pgm' is a PGM file and has no data sets: leave ':/stack' away");
}

static void files_without_permission(void **state)
{
    uid_t user = geteuid();
    (void)state;
    picture_text("secret.pgm", "P2 1 1 9 7");
    assert_int_equal(chmod("secret.pgm", 0), 0);
    assert_int_equal(chmod(".", 0755), 0);
    if (user == 0) /* who may read everything */
        assert_int_equal(seteuid(65534), 0);
    struct failure failure = FAILURE_INIT;
    struct input *image = input_open(SCOW_INPUT_IMAGE, "secret.pgm", &failure);
    if (user == 0)
        assert_int_equal(seteuid(user), 0);
    assert_null(image);
    assert_failure(failure, FAILURE_MISMATCH,
                   "cannot open 'secret.pgm': Permission denied; check its permissions");
}

static void png_of_other_kinds(void **state)
{
    static const char way_out[] =
        "convert it to 8- or 16-bit grey, or extract one channel, for example with ImageMagick's "
        "`convert IN.png -define png:color-type=0 -define png:bit-depth=8 OUT.png`";
    static const struct {
        struct picture_png png;
        const char *what;
    } kinds[] = {
        {{2, 2, 8, PNG_COLOR_TYPE_RGB, 0}, "is a colour PNG"},
        {{2, 2, 16, PNG_COLOR_TYPE_RGB_ALPHA, 0}, "is a colour PNG"},
        {{2, 2, 1, PNG_COLOR_TYPE_PALETTE, 0}, "is a colour PNG"},
        {{2, 2, 1, PNG_COLOR_TYPE_GRAY, 0}, "has 1-bit pixels"},
        {{2, 2, 4, PNG_COLOR_TYPE_GRAY, 0}, "has 4-bit pixels"},
    };
    const unsigned char pixels[64] = {0};
    (void)state;
    for (size_t i = 0; i < COUNT_OF(kinds); i++) {
        char sentence[400];
        picture_png("kind.png", &kinds[i].png, pixels);
        snprintf(sentence, sizeof sentence, "'kind.png' %s: %s", kinds[i].what, way_out);
        assert_refused_early("kind.png", sentence);
    }
}

static void number_store(unsigned char bytes[4], uint32_t number)
{
    for (int i = 0; i < 4; i++)
        bytes[i] = (unsigned char)(number >> (24 - 8 * i));
}

/* A 2 x 2 PNG whose header names another size. */
static void png_claim(const char *name, uint32_t columns, uint32_t rows)
{
    size_t length;
    picture_png(name, &(struct picture_png){2, 2, 8, PNG_COLOR_TYPE_GRAY, 0}, "abcd");
    unsigned char *bytes = picture_load(name, &length);
    number_store(bytes + 16, columns);
    number_store(bytes + 20, rows);
    picture_bytes(name, bytes, length);
    free(bytes);
}

static void headers_that_claim_too_much(void **state)
{
    (void)state;
    png_claim("huge.png", 1000000000, 1000000000);
    assert_refused_early("huge.png",
                         "'huge.png' claims 1000000000 x 1000000000 pixels, more than this "
                         "machine's memory holds: store it as an HDF5 data set, which is read "
                         "piece by piece, or check the file");
    picture_text("huge.pgm", "P5 1000000000 1000000000 65535 ");
    assert_refused_early("huge.pgm",
                         "'huge.pgm' claims 1000000000 x 1000000000 pixels, more than this "
                         "machine's memory holds: store it as an HDF5 data set, which is read "
                         "piece by piece, or check the file");
    png_claim("large.png", 10000, 1000);
    assert_refused_early("large.png", "'large.png' claims 10000 x 1000 pixels, but its 71 bytes "
                                      "cannot hold them: it is cut or damaged, copy it again");
    picture_text("large.pgm", "P2 999 1 9 1 2 3");
    assert_refused_early("large.pgm", "'large.pgm' claims 999 x 1 pixels, but its 16 bytes cannot "
                                      "hold them: it is cut or damaged, copy it again");
}

static void headers_without_pixels(void **state)
{
    (void)state;
    png_claim("flat.png", 0, 5);
    assert_refused_early("flat.png", "'flat.png' has no pixels (0 x 5): make the image again");
    picture_text("flat.pgm", "P5 5 0 255 ");
    assert_refused_early("flat.pgm", "'flat.pgm' has no pixels (5 x 0): make the image again");
}

static void pgm_headers_refused(void **state)
{
    static const char *const damaged[] = {
        "P5\n",         "P5 1 1",       "P2 1",
        "P2 1 -1 9 7",  "P2 x 1 9 7",   "P2 1 1x9",
        "P2 1 1 9.5 7", "P2 # 1 1 9 7", "P2 1000000000000000000 1 9 7"};
    (void)state;
    for (size_t i = 0; i < COUNT_OF(damaged); i++) {
        picture_text("odd.pgm", damaged[i]);
        assert_refused_early("odd.pgm",
                             "'odd.pgm' is a cut or damaged PGM (width, height or maximum is "
                             "missing or no number): make or copy it again");
    }
    picture_text("odd.pgm", "P2 1 1 65536 7");
    assert_refused_early(
        "odd.pgm", "'odd.pgm' names 65536 as its maximum: convert it to 8 or 16 bits a pixel");
    picture_text("odd.pgm", "P6 1 1 255 abc");
    assert_refused_early("odd.pgm", "'odd.pgm' is a netpbm file of kind P6: convert it to PGM (P2 "
                                    "or P5), for example with `ppmtopgm` or `pamtopnm`");
}

static void pgm_pixels_refused(void **state)
{
    (void)state;
    picture_text("over.pgm", "P2 2 1 9 7 10");
    assert_refused("over.pgm",
                   "'over.pgm' has a pixel of 10, over the maximum of 9 that its header "
                   "names: make the image again");
    picture_text("over.pgm", "P5 2 1 65 AB");
    assert_refused("over.pgm", "'over.pgm' has a pixel of 66, over the maximum of 65 that its "
                               "header names: make the image again");
    picture_text("odd.pgm", "P5 1 1 255");
    assert_refused("odd.pgm", "'odd.pgm' is a cut or damaged PGM (pixels are missing): make or "
                              "copy it again");
    picture_text("odd.pgm", "P2 2 1 9 7 -1");
    assert_refused("odd.pgm", "'odd.pgm' is a cut or damaged PGM (a pixel is missing or no "
                              "number): make or copy it again");
}

static void pictures_that_change(void **state)
{
    static const char changed[] = "'new.pgm' has changed since it was opened: leave it alone while "
                                  "it is in use, and start again";
    struct failure failure = FAILURE_INIT, late = FAILURE_INIT;
    uint8_t pixel = 0;
    (void)state;
    picture_text("new.pgm", "P2 2 1 9 7 8");
    struct input *image = input_open(SCOW_INPUT_IMAGE, "new.pgm", &failure);
    picture_text("new.pgm", "P2 1 2 9 7 8");
    assert_false(input_load(image, &failure));
    assert_failure(failure, FAILURE_MISMATCH, changed);
    picture_text("new.pgm", "P2 2 1 300 7 8");
    assert_false(input_read_image(image, 0, 0, 1, 1, 1, &pixel, &late));
    assert_failure(late, FAILURE_MISMATCH, changed);
    picture_text("new.pgm", "P2 2 1 9 7 6");
    assert_true(input_read_image(image, 0, 0, 1, 1, 1, &pixel, &late));
    assert_int_equal(pixel, 6);
    assert_int_equal(unlink("new.pgm"), 0); /* it has been read */
    assert_true(input_read_image(image, 0, 0, 0, 1, 1, &pixel, &late));
    assert_int_equal(pixel, 7);
    input_close(&image);
}

/* ---- every way to cut or damage a file ---- */

static void assert_refused_somehow(const char *name)
{
    struct failure failure = FAILURE_INIT;
    struct input *image = input_open(SCOW_INPUT_IMAGE, name, &failure);
    assert_false(image && input_load(image, &failure));
    input_close(&image);
    assert_int_equal(failure.code, FAILURE_MISMATCH);
    assert_non_null(strstr(failure.text, name));
}

static void cuts_are_refused(void **state)
{
    unsigned char pixels[2 * 11 * 7];
    char header[16];
    size_t length;
    (void)state;
    picture_noise(pixels, sizeof pixels, 3);
    picture_png("cut.png", &(struct picture_png){11, 7, 16, PNG_COLOR_TYPE_GRAY, 0}, pixels);
    unsigned char *bytes = picture_load("cut.png", &length);
    while (length-- > 0) {
        picture_bytes("cut.png", bytes, length);
        assert_refused_somehow("cut.png");
    }
    free(bytes);
    size_t start = (size_t)snprintf(header, sizeof header, "P5 11 7 65535 ");
    bytes = malloc(start + sizeof pixels);
    assert_non_null(bytes);
    memcpy(bytes, header, start);
    memcpy(bytes + start, pixels, sizeof pixels);
    for (length = start + sizeof pixels; length-- > 0;) {
        picture_bytes("cut.pgm", bytes, length);
        assert_refused_somehow("cut.pgm");
    }
    free(bytes);
}

/* A PNG guards every byte by a checksum or a fixed value. */
static void flipped_bits_are_refused(void **state)
{
    size_t length;
    (void)state;
    picture_png("flip.png", &(struct picture_png){2, 2, 8, PNG_COLOR_TYPE_GRAY, 0}, "abcd");
    unsigned char *bytes = picture_load("flip.png", &length);
    for (size_t bit = 0; bit < 8 * length; bit++) {
        bytes[bit / 8] ^= (unsigned char)(1u << bit % 8);
        picture_bytes("flip.png", bytes, length);
        assert_refused_somehow("flip.png");
        bytes[bit / 8] ^= (unsigned char)(1u << bit % 8);
    }
    free(bytes);
}

/* ---- directories ---- */

static void directory_is_a_stack(void **state)
{
    (void)state;
    /* Out of order by their letters, in order by their numbers; what is hidden does not count. */
    static const char *const names[] = {"stack/s10.pgm", "stack/s9.pgm", "stack/s009.pgm",
                                        "stack/a.pgm"};
    static const unsigned char wanted[4][4] = {
        {3, 4, 4, 4}, {1, 2, 2, 2}, {2, 3, 3, 3}, {0, 1, 1, 1}};
    struct failure failure = FAILURE_INIT;
    char digest[65], again[65];
    unsigned char pixels[4];
    assert_int_equal(mkdir("stack", 0777), 0);
    picture_text("stack/.hidden", "no image");
    for (int k = 0; k < 4; k++) {
        char text[64];
        snprintf(text, sizeof text, "P2 2 2 9 %d %d %d %d", k, k + 1, k + 1, k + 1);
        picture_text(names[k], text);
    }
    struct input *image = input_open(SCOW_INPUT_IMAGE, "stack", &failure);
    assert_non_null(image);
    assert_shape(input_shape(image), &(struct scow_input){.type = SCOW_U8, .extent = {4, 2, 2}});
    for (int slice = 0; slice < 4; slice++) {
        assert_true(input_read_image(image, slice, 0, 0, 2, 2, pixels, &failure));
        assert_memory_equal(pixels, wanted[slice], sizeof pixels);
    }
    assert_true(input_read_image(image, 3, 0, 1, 2, 1, pixels, &failure));
    assert_true(pixels[0] == 1 && pixels[1] == 1);
    assert_true(input_sha256(image, digest, &failure));
    picture_text(names[0], "P2 2 2 9 5 5 5 5");
    assert_true(input_sha256(image, again, &failure));
    assert_string_not_equal(digest, again);
    input_close(&image);
    for (int k = 0; k < 4; k++)
        unlink(names[k]);
    unlink("stack/.hidden");
    rmdir("stack");
}

static void directories_are_refused(void **state)
{
    (void)state;
    assert_int_equal(mkdir("bare", 0777), 0);
    assert_refused_early("bare",
                         "'bare' is an empty directory: name one with images of equal size, "
                         "or an image");
    picture_text("bare/1.pgm", "P2 2 1 9 1 2");
    picture_text("bare/2.pgm", "P2 1 2 999 1 2");
    assert_refused_early("bare/",
                         "'bare/2.pgm' is 1 x 2 pixels of 16-bit, but 'bare/1.pgm' is 2 x 1 "
                         "of 8-bit: the slices of a stack must be alike");
    picture_text("bare/2.pgm", "notes");
    assert_refused_early(
        "bare", "'bare/2.pgm' is neither PNG, PGM, TIFF, .npy, NIfTI nor HDF5: convert it to 8- or "
                "16-bit grey PNG");
    assert_int_equal(unlink("bare/2.pgm"), 0);
    assert_int_equal(mkdir("bare/2", 0777), 0);
    assert_refused_early(
        "bare",
        "'bare/2' is a directory: name an image file (PNG, PGM, TIFF, .npy, NIfTI or HDF5)");
    rmdir("bare/2");
    unlink("bare/1.pgm");
    rmdir("bare");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(directory_is_a_stack),
        cmocka_unit_test(directories_are_refused),
        cmocka_unit_test(png_grey),
        cmocka_unit_test(png_alpha_is_dropped),
        cmocka_unit_test(pgm_raw),
        cmocka_unit_test(pgm_plain),
        cmocka_unit_test(names_with_colons),
        cmocka_unit_test(digest_is_of_the_whole_file),
        cmocka_unit_test(files_that_are_no_images),
        cmocka_unit_test(files_without_permission),
        cmocka_unit_test(png_of_other_kinds),
        cmocka_unit_test(headers_that_claim_too_much),
        cmocka_unit_test(headers_without_pixels),
        cmocka_unit_test(pgm_headers_refused),
        cmocka_unit_test(pgm_pixels_refused),
        cmocka_unit_test(pictures_that_change),
        cmocka_unit_test(cuts_are_refused),
        cmocka_unit_test(flipped_bits_are_refused),
    };
    return cmocka_run_group_tests(tests, pictures_enter, pictures_leave);
}

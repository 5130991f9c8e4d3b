#include <png.h>
#include <stdlib.h>
#include <string.h>

#include "spmd/input/image_format.h"
#include "spmd/input/input.h"

/* Deflate's best case: 258 bytes for two bits. */
enum { MOST_PER_BYTE = 1032 };

static bool image_png_recognize(const unsigned char *head, size_t length)
{
    return length >= 8 && png_sig_cmp(head, 0, 8) == 0;
}

static bool image_png_damaged(const struct image_file *file, const char *reason,
                              struct failure *failure)
{
    return failure_set(failure, FAILURE_MISMATCH,
                       "'%s' is a cut or damaged PNG (%s): make or copy it again", file->name,
                       reason);
}

static bool image_png_kind_check(const struct image_file *file, int depth, int colour,
                                 struct failure *failure)
{
    static const char way_out[] =
        "convert it to 8- or 16-bit grey, or extract one channel, for example with ImageMagick's "
        "`convert IN.png -define png:color-type=0 -define png:bit-depth=8 OUT.png`";
    if (colour != PNG_COLOR_TYPE_GRAY && colour != PNG_COLOR_TYPE_GRAY_ALPHA)
        return failure_set(failure, FAILURE_MISMATCH, "'%s' is a colour PNG: %s", file->name,
                           way_out);
    if (depth != 8 && depth != 16)
        return failure_set(failure, FAILURE_MISMATCH, "'%s' has %d-bit pixels: %s", file->name,
                           depth, way_out);
    return true;
}

/* Read without libpng, which would refuse an odd header with a sentence that names no way out. */
static bool image_png_header(struct image_file *file, struct scow_input *shape,
                             struct failure *failure)
{
    unsigned char head[29]; /* signature 8, length 4, "IHDR", width 4, height 4, five bytes */
    rewind(file->stream);
    if (fread(head, 1, sizeof head, file->stream) != sizeof head ||
        memcmp(head + 12, "IHDR", 4) != 0)
        return image_png_damaged(file, "no complete header", failure);
    int depth = head[24], colour = head[25];
    if (!image_png_kind_check(file, depth, colour, failure))
        return false;
    shape->extent[0] = 1;
    shape->extent[1] = png_get_uint_32(head + 20);
    shape->extent[2] = png_get_uint_32(head + 16);
    shape->type = depth == 8 ? SCOW_U8 : SCOW_U16;
    return image_plausible(file, shape, MOST_PER_BYTE, failure);
}

/* What libpng's call-backs need. */
struct image_png_complaint {
    const struct image_file *file;
    struct failure *failure;
};

static void image_png_complain(png_structp png, png_const_charp text)
{
    const struct image_png_complaint *complaint = png_get_error_ptr(png);
    image_png_damaged(complaint->file, text, complaint->failure);
    png_longjmp(png, 1);
}

static void image_png_keep_quiet(png_structp png, png_const_charp text)
{
    (void)png;
    (void)text; /* a warning about an odd but readable file */
}

static void image_png_prepare(png_structp png)
{
    const union {
        uint16_t word;
        unsigned char first;
    } probe = {1};
    png_set_strip_alpha(png);
    if (probe.first == 1)
        png_set_swap(png); /* PNG is big-endian; does nothing to 8-bit pixels */
    png_set_interlace_handling(png);
}

/* Jumps out through image_png_complain on any error. */
static void image_png_read(png_structp png, png_infop info, FILE *stream,
                           const struct scow_input *shape, png_bytep *rows)
{
    png_set_user_limits(png, PNG_UINT_31_MAX, PNG_UINT_31_MAX);
    /* Remarks, times and colour profiles: skipped, not unpacked or even allocated. */
    png_set_keep_unknown_chunks(png, PNG_HANDLE_CHUNK_NEVER, NULL, -1);
    png_init_io(png, stream);
    png_read_info(png, info);
    image_png_prepare(png);
    png_read_update_info(png, info);
    if (png_get_rowbytes(png, info) != (size_t)shape->extent[2] * input_pixel_bytes(shape) ||
        png_get_image_height(png, info) != (png_uint_32)shape->extent[1])
        png_error(png, "two headers");
    png_read_image(png, rows);
    png_read_end(png, NULL);
}

/* setjmp in a function of its own, in which no variable changes after it. */
static bool image_png_try(png_structp png, png_infop info, FILE *stream,
                          const struct scow_input *shape, png_bytep *rows)
{
    if (setjmp(png_jmpbuf(png)) != 0)
        return false;
    image_png_read(png, info, stream, shape, rows);
    return true;
}

static bool image_png_decode(struct image_file *file, const struct scow_input *shape, void *pixels,
                             struct failure *failure)
{
    struct image_png_complaint complaint = {file, failure};
    size_t line = (size_t)shape->extent[2] * input_pixel_bytes(shape);
    png_bytep *rows = malloc((size_t)shape->extent[1] * sizeof *rows);
    png_infop info = NULL;
    png_structp png = png_create_read_struct(PNG_LIBPNG_VER_STRING, &complaint, image_png_complain,
                                             image_png_keep_quiet);
    if (png)
        info = png_create_info_struct(png);
    bool good = false;
    if (!rows || !info) {
        failure_memory(failure, "reading a PNG");
        goto out;
    }
    for (int64_t y = 0; y < shape->extent[1]; y++)
        rows[y] = (png_bytep)pixels + (size_t)y * line;
    rewind(file->stream);
    good = image_png_try(png, info, file->stream, shape, rows);
out:
    png_destroy_read_struct(&png, &info, NULL);
    free(rows);
    return good;
}

const struct image_format image_png = {"PNG", image_png_recognize, image_png_header,
                                       image_png_decode};

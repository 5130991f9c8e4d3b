/*
 * TIFF by libtiff (optional): every page is a slice. Grey, one sample a pixel, in strips or tiles,
 * with whatever compression the library has. Pages of reduced resolution, as of pyramids, are left
 * out. Sources: TIFF 6.0; libtiff's TIFFClientOpen(3), TIFFReadEncodedStrip(3), TIFFReadTile(3).
 */
#include <string.h>

#include "spmd/input/image_format.h"

static bool image_tiff_recognize(const unsigned char *head, size_t length)
{
    /* Of either byte order; 42 is TIFF, 43 its 64-bit form. */
    static const char *const marks[] = {"II*", "II+", "MM\0*", "MM\0+"};
    for (size_t i = 0; i < sizeof marks / sizeof marks[0]; i++)
        if (length >= 4 && memcmp(head, marks[i], 4) == 0)
            return true;
    return false;
}

#ifndef SCOW_HAVE_TIFF

static bool image_tiff_header(struct image_file *file, struct scow_input *shape,
                              struct failure *failure)
{
    (void)shape;
    return failure_set(failure, FAILURE_MISMATCH,
                       "'%s' is a TIFF, but this scow was built without libtiff: build it where "
                       "libtiff (Debian libtiff-dev) is installed, or convert the image to PNG, or "
                       "the stack to an HDF5 data set",
                       file->name);
}

static bool image_tiff_decode(struct image_file *file, const struct scow_input *shape, void *pixels,
                              struct failure *failure)
{
    (void)pixels;
    struct scow_input unread = *shape;
    return image_tiff_header(file, &unread, failure);
}

#else

#include <stdarg.h>
#include <stdlib.h>

#include "spmd/input/image_number.h"
#include "spmd/input/input.h"
#include "spmd/input/libtiff.h"

/* What is left out of a long row of equal bytes by the best of TIFF's compressions, Zstandard. */
enum { MOST_PER_BYTE = 32768 };

/* What is read; libtiff's call-backs get it, too. */
struct tiff_source {
    struct image_file *file;
    const struct libtiff *by;
    TIFF *tiff;
    char reason[160]; /* of the first error; "" */
};

/* ---- reading bytes ---- */

static tmsize_t source_read(thandle_t handle, void *bytes, tmsize_t count)
{
    const struct tiff_source *source = handle;
    return (tmsize_t)fread(bytes, 1, (size_t)count, source->file->stream);
}

static tmsize_t source_write(thandle_t handle, void *bytes, tmsize_t count)
{
    (void)handle;
    (void)bytes;
    (void)count;
    return -1;
}

static toff_t source_seek(thandle_t handle, toff_t offset, int whence)
{
    const struct tiff_source *source = handle;
    FILE *stream = source->file->stream;
    if (offset > INT64_MAX || fseeko(stream, (off_t)offset, whence) != 0)
        return (toff_t)-1;
    return (toff_t)ftello(stream);
}

static int source_close(thandle_t handle)
{
    (void)handle; /* the stream is the caller's */
    return 0;
}

static toff_t source_size(thandle_t handle)
{
    const struct tiff_source *source = handle;
    return (toff_t)source->file->size_bytes;
}

/* ---- libtiff's errors, which it would print ---- */

static void tiff_complain(thandle_t handle, const char *module, const char *format, va_list words)
    __attribute__((format(printf, 3, 0)));
static void tiff_complain(thandle_t handle, const char *module, const char *format, va_list words)
{
    struct tiff_source *source = handle;
    (void)module;
    if (!source || source->reason[0])
        return;
    vsnprintf(source->reason, sizeof source->reason, format, words);
    for (char *c = source->reason; *c; c++)
        if ((unsigned char)*c < ' ')
            *c = ' ';
}

/* The program's handlers, put back by handlers_restore; those with a handle are the only ones that
 * all versions of the library have in common. */
struct tiff_handlers {
    TIFFErrorHandler error, warning;
    TIFFErrorHandlerExt error_with_handle, warning_with_handle;
};

static struct tiff_handlers handlers_take(const struct libtiff *by)
{
    return (struct tiff_handlers){by->TIFFSetErrorHandler(NULL), by->TIFFSetWarningHandler(NULL),
                                  by->TIFFSetErrorHandlerExt(tiff_complain),
                                  by->TIFFSetWarningHandlerExt(NULL)};
}

static void handlers_restore(const struct libtiff *by, const struct tiff_handlers *handlers)
{
    by->TIFFSetErrorHandler(handlers->error);
    by->TIFFSetWarningHandler(handlers->warning);
    by->TIFFSetErrorHandlerExt(handlers->error_with_handle);
    by->TIFFSetWarningHandlerExt(handlers->warning_with_handle);
}

static bool tiff_damaged(const struct tiff_source *source, const char *reason,
                         struct failure *failure)
{
    return failure_set(failure, FAILURE_MISMATCH,
                       "'%s' is a cut or damaged TIFF (%s): make or copy it again",
                       source->file->name, source->reason[0] ? source->reason : reason);
}

/* ---- what a page must be ---- */

static const char way_out[] = "convert it to one grey channel of 8 or 16 bits, for example with "
                              "ImageMagick's `convert IN.tif -colorspace Gray -depth 16 OUT.tif`";

static int tag_short(const struct tiff_source *source, uint32_t tag)
{
    uint16_t value = 0;
    return source->by->TIFFGetFieldDefaulted(source->tiff, tag, &value) ? value : -1;
}

static bool page_grey(const struct tiff_source *source, struct failure *failure)
{
    const char *name = source->file->name;
    const int meaning = tag_short(source, TIFFTAG_PHOTOMETRIC);
    if (tag_short(source, TIFFTAG_SAMPLESPERPIXEL) != 1 ||
        (meaning >= 0 && meaning != PHOTOMETRIC_MINISBLACK && meaning != PHOTOMETRIC_MINISWHITE))
        return failure_set(failure, FAILURE_MISMATCH, "'%s' is a TIFF with colours or channels: %s",
                           name, way_out);
    if (meaning == PHOTOMETRIC_MINISWHITE)
        return failure_set(failure, FAILURE_MISMATCH, "'%s' is a TIFF in which 0 is white: %s",
                           name, way_out);
    return true;
}

static bool page_number(const struct tiff_source *source, struct image_number *number, int *type,
                        struct failure *failure)
{
    const int bits = tag_short(source, TIFFTAG_BITSPERSAMPLE);
    const int format = tag_short(source, TIFFTAG_SAMPLEFORMAT);
    *number = (struct image_number){.bytes = bits / 8};
    number->kind = format == SAMPLEFORMAT_UINT || format == SAMPLEFORMAT_VOID ? 'u'
                   : format == SAMPLEFORMAT_INT                               ? 'i'
                   : format == SAMPLEFORMAT_IEEEFP                            ? 'f'
                                                                              : '?';
    if (number->kind != '?' && bits % 8 == 0 && image_number_type(number, type))
        return true;
    return failure_set(failure, FAILURE_MISMATCH,
                       "'%s' has pixels of %d bits that cannot be used: %s", source->file->name,
                       bits, way_out);
}

/* Of the current page, one slice. */
static bool page_describe(const struct tiff_source *source, struct scow_input *shape,
                          struct image_number *number, struct failure *failure)
{
    uint32_t columns = 0, rows = 0;
    if (!source->by->TIFFGetField(source->tiff, TIFFTAG_IMAGEWIDTH, &columns) ||
        !source->by->TIFFGetField(source->tiff, TIFFTAG_IMAGELENGTH, &rows))
        return tiff_damaged(source, "no width or height", failure);
    shape->extent[0] = 1;
    shape->extent[1] = rows;
    shape->extent[2] = columns;
    return page_grey(source, failure) && page_number(source, number, &shape->type, failure) &&
           image_plausible(source->file, shape, MOST_PER_BYTE, failure);
}

static bool page_counts(const struct tiff_source *source)
{
    uint32_t kind = 0;
    return !source->by->TIFFGetField(source->tiff, TIFFTAG_SUBFILETYPE, &kind) ||
           (kind & (FILETYPE_REDUCEDIMAGE | FILETYPE_MASK)) == 0;
}

/* ImageJ writes stacks over 4 GiB with a single page, behind whose pixels the others' stand. */
static bool page_hides_others(const struct tiff_source *source)
{
    char *words = NULL;
    if (!source->by->TIFFGetField(source->tiff, TIFFTAG_IMAGEDESCRIPTION, &words) ||
        strncmp(words, "ImageJ=", 7) != 0)
        return false;
    const char *images = strstr(words, "\nimages=");
    return images && strtol(images + 8, NULL, 10) > 1;
}

/* ---- a page's pixels ---- */

/* Numbers of a row to pixels of the image, at that place. */
static void row_place(const struct image_number *number, const unsigned char *stored, size_t count,
                      const struct scow_input *shape, int64_t row, int64_t column, void *pixels)
{
    const size_t place = (size_t)row * (size_t)shape->extent[2] + (size_t)column;
    image_number_convert(number, stored, count, shape->type,
                         (unsigned char *)pixels + place * input_pixel_bytes(shape));
}

/* Strips are tiles that are as wide as the image. */
struct tiff_pieces {
    bool tiled;
    int64_t rows, columns; /* of one */
    size_t bytes;
};

static bool pieces_describe(const struct tiff_source *source, const struct scow_input *shape,
                            const struct image_number *number, struct tiff_pieces *pieces,
                            struct failure *failure)
{
    uint32_t rows = 0, columns = (uint32_t)shape->extent[2];
    pieces->tiled = source->by->TIFFIsTiled(source->tiff) != 0;
    if (pieces->tiled) {
        source->by->TIFFGetField(source->tiff, TIFFTAG_TILELENGTH, &rows);
        source->by->TIFFGetField(source->tiff, TIFFTAG_TILEWIDTH, &columns);
    } else {
        source->by->TIFFGetFieldDefaulted(source->tiff, TIFFTAG_ROWSPERSTRIP, &rows);
        if (rows > shape->extent[1])
            rows = (uint32_t)shape->extent[1];
    }
    pieces->rows = rows;
    pieces->columns = columns;
    struct scow_input piece = *shape;
    piece.extent[1] = rows;
    piece.extent[2] = columns;
    if (!image_plausible(source->file, &piece, MOST_PER_BYTE, failure))
        return false;
    pieces->bytes = (size_t)rows * columns * (size_t)number->bytes;
    const tmsize_t wanted = pieces->tiled ? source->by->TIFFTileSize(source->tiff)
                                          : source->by->TIFFStripSize(source->tiff);
    return (wanted > 0 && wanted == (tmsize_t)pieces->bytes) ||
           tiff_damaged(source, "sizes differ", failure);
}

/* One strip or tile, whose first pixel is the image's at that place. */
static bool piece_read(const struct tiff_source *source, const struct tiff_pieces *pieces,
                       const struct scow_input *shape, const struct image_number *number,
                       int64_t row, int64_t column, unsigned char *room, void *pixels,
                       struct failure *failure)
{
    const int64_t below = shape->extent[1] - row, right = shape->extent[2] - column;
    const int64_t rows = below < pieces->rows ? below : pieces->rows;
    const int64_t columns = right < pieces->columns ? right : pieces->columns;
    const size_t line = (size_t)pieces->columns * (size_t)number->bytes;
    const size_t wanted = pieces->tiled ? pieces->bytes : (size_t)rows * line;
    const uint32_t x = (uint32_t)column, y = (uint32_t)row;
    const tmsize_t got =
        pieces->tiled
            ? source->by->TIFFReadEncodedTile(source->tiff,
                                              source->by->TIFFComputeTile(source->tiff, x, y, 0, 0),
                                              room, (tmsize_t)wanted)
            : source->by->TIFFReadEncodedStrip(source->tiff,
                                               source->by->TIFFComputeStrip(source->tiff, y, 0),
                                               room, (tmsize_t)wanted);
    if (got != (tmsize_t)wanted)
        return tiff_damaged(source, "pixels are missing", failure);
    for (int64_t k = 0; k < rows; k++)
        row_place(number, room + (size_t)k * line, (size_t)columns, shape, row + k, column, pixels);
    return true;
}

static bool page_decode(const struct tiff_source *source, const struct scow_input *shape,
                        const struct image_number *number, void *pixels, struct failure *failure)
{
    struct tiff_pieces pieces = {0};
    if (!pieces_describe(source, shape, number, &pieces, failure))
        return false;
    unsigned char *room = malloc(pieces.bytes + 1);
    bool good = room || failure_memory(failure, "reading a TIFF");
    for (int64_t row = 0; good && row < shape->extent[1]; row += pieces.rows)
        for (int64_t column = 0; good && column < shape->extent[2]; column += pieces.columns)
            good = piece_read(source, &pieces, shape, number, row, column, room, pixels, failure);
    free(room);
    return good;
}

/* ---- pages ---- */

static bool page_alike(const struct tiff_source *source, const struct scow_input *page,
                       const struct scow_input *first, struct failure *failure)
{
    if (page->type == first->type && page->extent[1] == first->extent[1] &&
        page->extent[2] == first->extent[2])
        return true;
    return failure_set(failure, FAILURE_MISMATCH,
                       "'%s' has pages of different sizes or types: the slices of a stack must be "
                       "alike; write them as files of their own",
                       source->file->name);
}

/* All that count, whose number is *count; with `pixels`, which have room for shape->extent[0] of
 * them, also these. Without, *shape is the first one's. */
static bool pages_read(struct tiff_source *source, struct scow_input *shape, unsigned char *pixels,
                       int64_t *count, struct failure *failure)
{
    const int64_t wanted = shape->extent[0];
    bool hidden = false;
    *count = 0;
    do {
        struct image_number number = {0};
        struct scow_input page = *shape;
        if (!page_counts(source))
            continue;
        if (!page_describe(source, &page, &number, failure))
            return false;
        hidden = *count == 0 && page_hides_others(source);
        if (!pixels && *count == 0)
            *shape = page;
        if (!page_alike(source, &page, shape, failure))
            return false;
        if (pixels && (*count >= wanted ||
                       !page_decode(source, &page, &number,
                                    pixels + (size_t)*count * image_bytes(&page), failure)))
            return false;
        ++*count;
    } while (source->by->TIFFReadDirectory(source->tiff));
    if (source->reason[0] || *count == 0)
        return tiff_damaged(source, "no page that is an image", failure);
    if (hidden && *count == 1)
        return failure_set(failure, FAILURE_MISMATCH,
                           "'%s' is an ImageJ stack with a single page: save it as BigTIFF or HDF5",
                           source->file->name);
    return true;
}

static bool tiff_read(struct image_file *file, struct scow_input *shape, void *pixels,
                      int64_t *count, struct failure *failure)
{
    const struct libtiff *by = libtiff_load();
    struct tiff_source source = {file, by, NULL, ""};
    *count = 0;
    if (!by)
        return failure_set(failure, FAILURE_MISMATCH,
                           "'%s' is a TIFF, and the libtiff that scow was built with is not on "
                           "this machine: install it, or convert the image to PNG, or the stack to "
                           "an HDF5 data set",
                           file->name);
    const struct tiff_handlers handlers = handlers_take(by);
    rewind(file->stream);
    /* m: by the call-backs, not by mapping the file. */
    source.tiff = by->TIFFClientOpen(file->name, "rm", &source, source_read, source_write,
                                     source_seek, source_close, source_size, NULL, NULL);
    const bool good = source.tiff ? pages_read(&source, shape, pixels, count, failure)
                                  : tiff_damaged(&source, "no header", failure);
    if (source.tiff)
        by->TIFFClose(source.tiff);
    handlers_restore(by, &handlers);
    return good;
}

static bool image_tiff_header(struct image_file *file, struct scow_input *shape,
                              struct failure *failure)
{
    int64_t count = 0;
    if (!tiff_read(file, shape, NULL, &count, failure))
        return false;
    shape->extent[0] = count;
    return image_plausible(file, shape, MOST_PER_BYTE, failure);
}

static bool image_tiff_decode(struct image_file *file, const struct scow_input *shape, void *pixels,
                              struct failure *failure)
{
    struct scow_input known = *shape;
    int64_t count = 0;
    return tiff_read(file, &known, pixels, &count, failure);
}

#endif

const struct image_format image_tiff = {"TIFF", image_tiff_recognize, image_tiff_header,
                                        image_tiff_decode};

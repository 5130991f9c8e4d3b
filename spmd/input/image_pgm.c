/* PGM, plain (P2) and raw (P5), as netpbm's manual pgm(5) defines it. Values are not scaled by the
 * header's maximum: a 12-bit image keeps its 12 bits. */
#include <ctype.h>
#include <inttypes.h>

#include "spmd/input/image_format.h"

struct pgm_header {
    bool plain;
    int64_t columns, rows, maximum;
};

static bool pgm_recognize(const unsigned char *head, size_t length)
{
    return length >= 3 && head[0] == 'P' && head[1] >= '1' && head[1] <= '7' &&
           (isspace(head[2]) || head[2] == '#');
}

static bool pgm_damaged(const struct image_file *file, const char *reason, struct failure *failure)
{
    return failure_set(failure, FAILURE_MISMATCH,
                       "'%s' is a cut or damaged PGM (%s): make or copy it again", file->name,
                       reason);
}

/* The next character that is neither white space nor part of a comment. */
static int pgm_skip(FILE *stream)
{
    int c = getc(stream);
    while (c == '#' || isspace(c)) {
        if (c == '#')
            while (c != '\n' && c != '\r' && c != EOF)
                c = getc(stream);
        else
            c = getc(stream);
    }
    return c;
}

/* A decimal number below 10^18 and the one character after it, which in P5 ends the header. */
static bool pgm_number(FILE *stream, int64_t *number)
{
    int c = pgm_skip(stream);
    int digits = 0;
    for (*number = 0; isdigit(c) && digits < 18; digits++) {
        *number = 10 * *number + (c - '0');
        c = getc(stream);
    }
    return digits > 0 && (c == EOF || isspace(c));
}

static bool pgm_header_parse(struct image_file *file, struct pgm_header *header,
                             struct failure *failure)
{
    rewind(file->stream);
    getc(file->stream);
    int kind = getc(file->stream);
    if (kind != '2' && kind != '5')
        return failure_set(failure, FAILURE_MISMATCH,
                           "'%s' is a netpbm file of kind P%c: convert it to PGM (P2 or P5), for "
                           "example with `ppmtopgm` or `pamtopnm`",
                           file->name, kind);
    header->plain = kind == '2';
    if (!pgm_number(file->stream, &header->columns) || !pgm_number(file->stream, &header->rows) ||
        !pgm_number(file->stream, &header->maximum))
        return pgm_damaged(file, "width, height or maximum is missing or no number", failure);
    if (header->maximum < 1 || header->maximum > 65535)
        return failure_set(failure, FAILURE_MISMATCH,
                           "'%s' names %" PRId64
                           " as its maximum: convert it to 8 or 16 bits a pixel",
                           file->name, header->maximum);
    return true;
}

static bool pgm_header(struct image_file *file, struct scow_input *shape, struct failure *failure)
{
    struct pgm_header header = {false, 0, 0, 0};
    if (!pgm_header_parse(file, &header, failure))
        return false;
    shape->extent[0] = 1;
    shape->extent[1] = header.rows;
    shape->extent[2] = header.columns;
    shape->type = header.maximum < 256 ? SCOW_U8 : SCOW_U16;
    /* Raw, a byte is a byte; plain, a pixel is a digit and a space at the least. */
    return image_plausible(file, shape, 1, failure);
}

static bool pgm_over_maximum(const struct image_file *file, const struct pgm_header *header,
                             int64_t value, struct failure *failure)
{
    return failure_set(failure, FAILURE_MISMATCH,
                       "'%s' has a pixel of %" PRId64 ", over the maximum of %" PRId64
                       " that its header names: "
                       "make the image again",
                       file->name, value, header->maximum);
}

/* Store pixel `i`; the value is at most 65535. */
static void pgm_store(void *pixels, size_t i, int type, int64_t value)
{
    if (type == SCOW_U8)
        ((uint8_t *)pixels)[i] = (uint8_t)value;
    else
        ((uint16_t *)pixels)[i] = (uint16_t)value;
}

static bool pgm_decode_plain(struct image_file *file, const struct pgm_header *header, int type,
                             size_t count, void *pixels, struct failure *failure)
{
    for (size_t i = 0; i < count; i++) {
        int64_t value = 0;
        if (!pgm_number(file->stream, &value))
            return pgm_damaged(file, "a pixel is missing or no number", failure);
        if (value > header->maximum)
            return pgm_over_maximum(file, header, value, failure);
        pgm_store(pixels, i, type, value);
    }
    return true;
}

static bool pgm_decode_raw(struct image_file *file, const struct pgm_header *header, int type,
                           size_t count, void *pixels, struct failure *failure)
{
    const unsigned char *bytes = pixels;
    if (fread(pixels, type == SCOW_U8 ? 1 : 2, count, file->stream) != count)
        return pgm_damaged(file, "pixels are missing", failure);
    for (size_t i = 0; i < count; i++) {
        /* Most significant byte first, whatever the host. */
        int64_t value = type == SCOW_U8 ? bytes[i] : bytes[2 * i] << 8 | bytes[2 * i + 1];
        if (value > header->maximum)
            return pgm_over_maximum(file, header, value, failure);
        pgm_store(pixels, i, type, value);
    }
    return true;
}

static bool pgm_decode(struct image_file *file, const struct scow_input *shape, void *pixels,
                       struct failure *failure)
{
    struct pgm_header header = {false, 0, 0, 0};
    size_t count = (size_t)shape->extent[1] * (size_t)shape->extent[2];
    if (!pgm_header_parse(file, &header, failure))
        return false;
    return (header.plain ? pgm_decode_plain : pgm_decode_raw)(file, &header, shape->type, count,
                                                              pixels, failure);
}

const struct image_format image_pgm = {"PGM", pgm_recognize, pgm_header, pgm_decode};

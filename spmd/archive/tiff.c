#include "spmd/archive/tiff.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "planner/files/replace.h"
#include "spmd/archive/panel.h"
#include "spmd/input/input.h"

/* TIFF, revision 6.0 (Adobe, 1992): a head, one directory of fields in ascending order, the two
 * resolutions, and the numbers in one strip. Fields are SHORT, LONG or RATIONAL. */
enum { SHORT = 3, LONG = 4, RATIONAL = 5 };
enum { HEAD_SIZE = 8, FIELD_SIZE = 12, FIELD_COUNT = 13 };
enum { DIRECTORY_SIZE = 2 + FIELD_COUNT * FIELD_SIZE + 4, RATIONALS_SIZE = 16, DATA_PLACE = 192 };
_Static_assert(HEAD_SIZE + DIRECTORY_SIZE + RATIONALS_SIZE <= DATA_PLACE, "data after the header");

struct writer {
    unsigned char *at;
};

static void short_put(struct writer *writer, unsigned value)
{
    const uint16_t word = (uint16_t)value;
    memcpy(writer->at, &word, sizeof word);
    writer->at += sizeof word;
}

static void long_put(struct writer *writer, uint32_t value)
{
    memcpy(writer->at, &value, sizeof value);
    writer->at += sizeof value;
}

/* Puts one number, or the place of several. A SHORT is in the first half of its field. */
static void field_put(struct writer *writer, unsigned tag, unsigned type, uint32_t value)
{
    short_put(writer, tag);
    short_put(writer, type);
    long_put(writer, 1);
    if (type == SHORT) {
        short_put(writer, value);
        short_put(writer, 0);
    } else {
        long_put(writer, value);
    }
}

/* In the machine's byte order, which the first two bytes say. */
static void head_put(unsigned char *file, const struct scow_input *shape, size_t size)
{
    const uint16_t one = 1;
    const bool little = *(const unsigned char *)&one == 1;
    const uint32_t columns = (uint32_t)shape->extent[2], rows = (uint32_t)shape->extent[1];
    const uint32_t rationals = HEAD_SIZE + DIRECTORY_SIZE;
    const unsigned bits = 8 * (unsigned)input_pixel_bytes(shape);
    struct writer writer = {file};
    memcpy(writer.at, little ? "II" : "MM", 2);
    writer.at += 2;
    short_put(&writer, 42);
    long_put(&writer, HEAD_SIZE);
    short_put(&writer, FIELD_COUNT);
    field_put(&writer, 256, LONG, columns);
    field_put(&writer, 257, LONG, rows);
    field_put(&writer, 258, SHORT, bits);
    field_put(&writer, 259, SHORT, 1); /* not compressed */
    field_put(&writer, 262, SHORT, 1); /* the least number is black */
    field_put(&writer, 273, LONG, DATA_PLACE);
    field_put(&writer, 277, SHORT, 1); /* numbers of a pixel */
    field_put(&writer, 278, LONG, rows);
    field_put(&writer, 279, LONG, (uint32_t)size);
    field_put(&writer, 282, RATIONAL, rationals);
    field_put(&writer, 283, RATIONAL, rationals + RATIONALS_SIZE / 2);
    field_put(&writer, 296, SHORT, 1);                                 /* pixels have no size */
    field_put(&writer, 339, SHORT, shape->type == SCOW_F32 ? 3U : 1U); /* float, or unsigned */
    long_put(&writer, 0);                                              /* no more pictures */
    for (size_t i = 0; i < RATIONALS_SIZE / sizeof(uint32_t); i++)
        long_put(&writer, 1); /* twice 1 / 1 */
}

static bool slice_write(struct input *image, int64_t slice, const char *tiff,
                        struct failure *failure)
{
    const struct scow_input *shape = input_shape(image);
    const double bytes =
        (double)shape->extent[1] * (double)shape->extent[2] * (double)input_pixel_bytes(shape);
    if (slice >= shape->extent[0])
        return failure_set(failure, FAILURE_USAGE,
                           "%s: has no slice %" PRId64 ": choose one from 1 to %" PRId64,
                           shape->name, slice + 1, shape->extent[0]);
    if (bytes > (double)UINT32_MAX - DATA_PLACE)
        return failure_set(failure, FAILURE_MISMATCH,
                           "%s: a slice has %.1f GB, more than a TIFF can hold: read it from the "
                           "HDF5 file",
                           shape->name, bytes / 1e9);
    const size_t size = (size_t)bytes;
    unsigned char *file = calloc(1, DATA_PLACE + size);
    if (!file)
        return failure_memory(failure, "drawing a slice");
    head_put(file, shape, size);
    const bool good = input_read_image(image, slice, 0, 0, shape->extent[1], shape->extent[2],
                                       file + DATA_PLACE, failure) &&
                      replace_write(tiff, file, DATA_PLACE + size, failure);
    free(file);
    return good;
}

bool tiff_write(const char *output, int64_t slice, const char *tiff, struct failure *failure)
{
    struct input *image = panel_grid_open(output, "/response", failure);
    const bool good = image && slice_write(image, slice, tiff, failure);
    input_close(&image);
    return good;
}

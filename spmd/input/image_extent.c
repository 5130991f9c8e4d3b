#include "spmd/input/image.h"

#include <stdlib.h>

#include "spmd/input/input.h"

struct image {
    struct input *input;
    struct extent extent;
};

static struct extent extent_of(const struct scow_input *shape)
{
    return (struct extent){.slices = shape->extent[0],
                           .rows = shape->extent[1],
                           .columns = shape->extent[2],
                           .pixel = shape->type == SCOW_U8    ? PIXEL_U8
                                    : shape->type == SCOW_U16 ? PIXEL_U16
                                                              : PIXEL_F32};
}

struct image *image_open(const char *name, struct failure *failure)
{
    struct image *image = calloc(1, sizeof *image);
    if (!image) {
        failure_memory(failure, "opening the image");
        return NULL;
    }
    image->input = input_open(SCOW_INPUT_IMAGE, name, failure);
    if (image->input && input_load(image->input, failure))
        image->extent = extent_of(input_shape(image->input));
    else
        image_close(&image);
    return image;
}

bool image_extent(const char *name, struct extent *extent, struct failure *failure)
{
    struct input *input = input_open(SCOW_INPUT_IMAGE, name, failure);
    if (!input)
        return false;
    *extent = extent_of(input_shape(input));
    input_close(&input);
    return true;
}

const struct extent *image_shape(const struct image *image)
{
    return &image->extent;
}

bool image_read(struct image *image, int64_t slice, int64_t row, int64_t column, int64_t rows,
                int64_t columns, void *pixels, struct failure *failure)
{
    return input_read_image(image->input, slice, row, column, rows, columns, pixels, failure);
}

bool image_sha256(const struct image *image, char digest[65], struct failure *failure)
{
    return input_sha256(image->input, digest, failure);
}

void image_close(struct image **image)
{
    if (!*image)
        return;
    input_close(&(*image)->input);
    free(*image);
    *image = NULL;
}

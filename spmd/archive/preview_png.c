#include "spmd/archive/preview_png.h"

#include <png.h>
#include <stdlib.h>
#include <string.h>

#include "planner/files/replace.h"

bool preview_canvas_encode(const struct preview_canvas *canvas, struct preview_encoded *encoded,
                           struct failure *failure)
{
    png_image image;
    memset(&image, 0, sizeof image);
    image.version = PNG_IMAGE_VERSION;
    image.width = (png_uint_32)canvas->columns;
    image.height = (png_uint_32)canvas->rows;
    image.format = PNG_FORMAT_GRAY;
    encoded->length = PNG_IMAGE_PNG_SIZE_MAX(image);
    encoded->data = malloc(encoded->length);
    /* In memory, only lack of memory can make it fail. */
    return (encoded->data && png_image_write_to_memory(&image, encoded->data, &encoded->length, 0,
                                                       canvas->grey, 0, NULL)) ||
           failure_memory(failure, "drawing the preview");
}

bool preview_canvas_write(const struct preview_canvas *canvas, const char *png,
                          struct failure *failure)
{
    struct preview_encoded encoded = {NULL, 0};
    bool ok = preview_canvas_encode(canvas, &encoded, failure) &&
              replace_write(png, encoded.data, encoded.length, failure);
    free(encoded.data);
    return ok;
}

#include "tests/fuzz/image_format.h"

#include <stdlib.h>
#include <string.h>

/* TIFF's, the greatest of all formats. */
enum { MOST_PER_BYTE = 32768 };

static void require(bool kept)
{
    if (!kept)
        abort();
}

/* A refusal is the user's to mend, and says how. */
static void refusal_check(const struct failure *failure)
{
    require(failure->code == FAILURE_MISMATCH);
    require(strncmp(failure->text, "'fuzzed' ", 9) == 0);
    require(strchr(failure->text, '\n') == NULL);
}

static void file_read(const struct image_format *format, struct image_file *file)
{
    struct failure failure = FAILURE_INIT;
    struct scow_input shape = {.kind = SCOW_INPUT_IMAGE};
    if (!format->header(file, &shape, &failure)) {
        refusal_check(&failure);
        return;
    }
    require(shape.extent[0] > 0 && shape.extent[1] > 0 && shape.extent[2] > 0);
    require(image_bytes(&shape) <= (size_t)file->size_bytes * MOST_PER_BYTE);
    void *pixels = malloc(image_bytes(&shape));
    require(pixels != NULL);
    if (format->decode(file, &shape, pixels, &failure))
        require(failure.code == FAILURE_NONE);
    else
        refusal_check(&failure);
    free(pixels);
}

void image_format_try(const struct image_format *format, const uint8_t *data, size_t size)
{
    /* fmemopen wants what it may write to, and at least a byte. */
    uint8_t *copy = malloc(size + 1);
    require(copy != NULL);
    memcpy(copy, data, size);
    if (size > 0 && format->recognize(copy, size < IMAGE_HEAD_BYTES ? size : IMAGE_HEAD_BYTES)) {
        struct image_file file = {"fuzzed", fmemopen(copy, size, "rb"), (int64_t)size};
        require(file.stream != NULL);
        file_read(format, &file);
        fclose(file.stream);
    }
    free(copy);
}

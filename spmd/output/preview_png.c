#include "spmd/output/preview_png.h"

#include <errno.h>
#include <png.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* The file's bytes; data is owned. */
struct encoded {
    unsigned char *data;
    size_t length;
};

static bool canvas_encode(const struct preview_canvas *canvas, struct encoded *encoded,
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
    /* In memory, nothing else can go wrong. */
    return (encoded->data && png_image_write_to_memory(&image, encoded->data, &encoded->length, 0,
                                                       canvas->grey, 0, NULL)) ||
           failure_memory(failure, "drawing the preview");
}

/* Closes the stream; false with errno set. */
static bool stream_finish(FILE *stream, const struct encoded *encoded)
{
    bool ok = fwrite(encoded->data, 1, encoded->length, stream) == encoded->length;
    int reason = errno;
    if (fclose(stream) != 0 && ok) {
        reason = errno;
        ok = false;
    }
    errno = reason;
    return ok;
}

/* A device or a pipe is written as it is: there is nothing to replace. */
static bool special_write(const char *path, const struct encoded *encoded)
{
    FILE *stream = fopen(path, "wb");
    return stream && stream_finish(stream, encoded);
}

/* A new file with the permissions of any other of the user's, at `path` only when complete. */
static bool beside_write(const char *path, const char *beside, const struct encoded *encoded)
{
    FILE *stream = fopen(beside, "wbx");
    if (!stream)
        return false;
    if (stream_finish(stream, encoded) && rename(beside, path) == 0)
        return true;
    int reason = errno;
    unlink(beside);
    errno = reason;
    return false;
}

static bool encoded_write(const struct encoded *encoded, const char *path, struct failure *failure)
{
    struct stat status;
    size_t size = strlen(path) + sizeof ".2147483647.part";
    char *beside = malloc(size);
    if (!beside)
        return failure_memory(failure, "writing the preview");
    snprintf(beside, size, "%s.%ld.part", path, (long)getpid());
    bool ok = stat(path, &status) == 0 && !S_ISREG(status.st_mode)
                  ? special_write(path, encoded)
                  : beside_write(path, beside, encoded);
    if (!ok)
        failure_set(failure, FAILURE_FAILED,
                    "cannot write '%s': %s; choose a place that exists, is yours and has room",
                    path, strerror(errno));
    free(beside);
    return ok;
}

bool preview_canvas_write(const struct preview_canvas *canvas, const char *png,
                          struct failure *failure)
{
    struct encoded encoded = {NULL, 0};
    bool ok = canvas_encode(canvas, &encoded, failure) && encoded_write(&encoded, png, failure);
    free(encoded.data);
    return ok;
}

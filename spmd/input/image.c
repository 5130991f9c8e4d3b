#include "spmd/input/image.h"

#include <assert.h>
#include <errno.h>
#include <inttypes.h>
#include <openssl/evp.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "spmd/input/image_format.h"

struct image {
    char *file; /* without the data set's path */
    struct extent extent;
    unsigned char *pixels;     /* all of them, where the format is decoded as a whole */
    struct image_stack *stack; /* where it is not */
};

/* ---- names ---- */

/* The file that `name` names, owned, and the data set within it (borrowed from `name`; NULL when
 * none is named). The whole name is tried first, so that a colon in a file's name does no harm. */
static char *name_split(const char *name, const char **dataset)
{
    struct stat status;
    *dataset = NULL;
    if (stat(name, &status) == 0)
        return strdup(name);
    for (size_t colon = strlen(name); colon-- > 0;) {
        if (name[colon] != ':')
            continue;
        char *file = strndup(name, colon);
        if (!file || stat(file, &status) == 0) {
            *dataset = name + colon + 1;
            return file;
        }
        free(file);
    }
    /* Nothing is there: blame the part that looks like a file's name. */
    const char *path = strstr(name, ":/");
    return path ? strndup(name, (size_t)(path - name)) : strdup(name);
}

/* ---- files ---- */

static bool file_check(const char *name, int64_t *size_bytes, struct failure *failure)
{
    struct stat status;
    if (stat(name, &status) != 0)
        return failure_set(failure, FAILURE_MISMATCH, "cannot open '%s': %s; check the name", name,
                           strerror(errno));
    if (S_ISDIR(status.st_mode))
        return failure_set(failure, FAILURE_MISMATCH,
                           "'%s' is a directory: name an image file (PNG, PGM or HDF5)", name);
    /* Opening a pipe could wait for ever. */
    if (!S_ISREG(status.st_mode))
        return failure_set(failure, FAILURE_MISMATCH,
                           "'%s' is not a regular file: save the image to a file first", name);
    if (status.st_size == 0)
        return failure_set(failure, FAILURE_MISMATCH, "'%s' is empty: make or copy the image again",
                           name);
    *size_bytes = status.st_size;
    return true;
}

static bool file_open(struct image_file *file, const char *name, struct failure *failure)
{
    file->name = name;
    file->stream = NULL;
    if (!file_check(name, &file->size_bytes, failure))
        return false;
    file->stream = fopen(name, "rb");
    if (!file->stream)
        return failure_set(failure, FAILURE_MISMATCH, "cannot open '%s': %s; check its permissions",
                           name, strerror(errno));
    return true;
}

static void file_close(struct image_file *file)
{
    if (file->stream)
        fclose(file->stream);
    file->stream = NULL;
}

/* ---- what a header may claim ---- */

static double memory_bytes(void)
{
    return (double)sysconf(_SC_PHYS_PAGES) * (double)sysconf(_SC_PAGESIZE);
}

bool image_plausible(const struct image_file *file, const struct extent *extent,
                     int64_t most_per_byte, struct failure *failure)
{
    if (extent->rows <= 0 || extent->columns <= 0)
        return failure_set(failure, FAILURE_MISMATCH,
                           "'%s' has no pixels (%" PRId64 " x %" PRId64 "): make the image again",
                           file->name, extent->columns, extent->rows);
    /* In floating point, where no claim overflows. */
    double bytes =
        (double)extent->rows * (double)extent->columns * (double)pixel_bytes(extent->pixel);
    if (bytes > memory_bytes())
        return failure_set(failure, FAILURE_MISMATCH,
                           "'%s' claims %" PRId64 " x %" PRId64
                           " pixels, more than this machine's memory holds: store it as an HDF5 "
                           "data set, which is read piece by piece, or check the file",
                           file->name, extent->columns, extent->rows);
    if (bytes > (double)most_per_byte * (double)file->size_bytes)
        return failure_set(failure, FAILURE_MISMATCH,
                           "'%s' claims %" PRId64 " x %" PRId64 " pixels, but its %" PRId64
                           " bytes cannot hold them: it is cut or damaged, copy it again",
                           file->name, extent->columns, extent->rows, file->size_bytes);
    return true;
}

size_t image_bytes(const struct extent *extent)
{
    return (size_t)extent->slices * (size_t)extent->rows * (size_t)extent->columns *
           pixel_bytes(extent->pixel);
}

/* ---- formats that are decoded as a whole ---- */

static const struct image_format *format_find(struct image_file *file)
{
    static const struct image_format *const formats[] = {&image_png, &image_pgm};
    unsigned char head[IMAGE_HEAD_BYTES];
    size_t length = fread(head, 1, sizeof head, file->stream);
    for (size_t i = 0; i < sizeof formats / sizeof formats[0]; i++)
        if (formats[i]->recognize(head, length))
            return formats[i];
    return NULL;
}

static const struct image_format *format_require(struct image_file *file, const char *dataset,
                                                 struct failure *failure)
{
    const struct image_format *format = format_find(file);
    if (!format && ferror(file->stream))
        failure_set(failure, FAILURE_MISMATCH, "cannot read '%s': %s; copy it again", file->name,
                    strerror(errno));
    else if (!format)
        failure_set(failure, FAILURE_MISMATCH,
                    "'%s' is neither PNG, PGM nor HDF5: convert it to 8- or 16-bit grey PNG",
                    file->name);
    else if (dataset)
        failure_set(failure, FAILURE_MISMATCH,
                    "'%s' is a %s file and has no data sets: leave ':%s' away", file->name,
                    format->name, dataset);
    else
        return format;
    return NULL;
}

/* The shape; and the pixels, owned, unless `pixels` is NULL. */
static bool picture_load(const char *name, const char *dataset, struct extent *extent,
                         unsigned char **pixels, struct failure *failure)
{
    struct image_file file;
    struct extent found;
    unsigned char *decoded = NULL;
    const struct image_format *format = NULL;
    bool ok = file_open(&file, name, failure);
    if (!ok || !(ok = (format = format_require(&file, dataset, failure)) != NULL))
        goto out;
    if (!(ok = format->header(&file, &found, failure)) || !pixels)
        goto out;
    decoded = malloc(image_bytes(&found));
    if (decoded)
        ok = format->decode(&file, &found, decoded, failure);
    else
        ok = failure_memory(failure, "reading the image");
out:
    file_close(&file);
    if (ok)
        *extent = found;
    if (ok && pixels)
        *pixels = decoded;
    else
        free(decoded);
    return ok;
}

/* ---- the public face ---- */

static bool image_load(struct image *image, const char *dataset, struct failure *failure)
{
    int64_t size_bytes;
    if (!file_check(image->file, &size_bytes, failure))
        return false;
    if (!image_stack_recognize(image->file))
        return picture_load(image->file, dataset, &image->extent, &image->pixels, failure);
    image->stack = image_stack_open(image->file, dataset, &image->extent, failure);
    return image->stack != NULL;
}

struct image *image_open(const char *name, struct failure *failure)
{
    const char *dataset = NULL;
    struct image *image = calloc(1, sizeof *image);
    if (image)
        image->file = name_split(name, &dataset);
    if (!image || !image->file)
        failure_memory(failure, "opening the image");
    else if (image_load(image, dataset, failure))
        return image;
    image_close(&image);
    return NULL;
}

bool image_extent(const char *name, struct extent *extent, struct failure *failure)
{
    const char *dataset = NULL;
    int64_t size_bytes;
    char *file = name_split(name, &dataset);
    if (!file)
        return failure_memory(failure, "opening the image");
    bool ok = file_check(file, &size_bytes, failure);
    if (ok && image_stack_recognize(file)) {
        struct image_stack *stack = image_stack_open(file, dataset, extent, failure);
        ok = stack != NULL;
        image_stack_close(&stack);
    } else if (ok) {
        ok = picture_load(file, dataset, extent, NULL, failure);
    }
    free(file);
    return ok;
}

const struct extent *image_shape(const struct image *image)
{
    return &image->extent;
}

bool image_read(struct image *image, int64_t slice, int64_t row, int64_t column, int64_t rows,
                int64_t columns, void *pixels, struct failure *failure)
{
    const struct extent *extent = &image->extent;
    assert(slice >= 0 && slice < extent->slices);
    assert(row >= 0 && rows >= 0 && rows <= extent->rows - row);
    assert(column >= 0 && columns >= 0 && columns <= extent->columns - column);
    if (image->stack) {
        const int64_t start[3] = {slice, row, column}, count[3] = {1, rows, columns};
        return image_stack_read(image->stack, image->file, start, count, pixels, failure);
    }
    size_t size = pixel_bytes(extent->pixel);
    size_t line = (size_t)columns * size;
    for (int64_t y = 0; y < rows; y++) {
        size_t from = (size_t)(row + y) * (size_t)extent->columns + (size_t)column;
        memcpy((unsigned char *)pixels + (size_t)y * line, image->pixels + from * size, line);
    }
    return true;
}

/* All bytes of `stream` into the digest; false on any error. */
static bool stream_digest(FILE *stream, EVP_MD_CTX *context, unsigned char digest[32])
{
    unsigned char buffer[1 << 16];
    size_t length;
    if (EVP_DigestInit_ex(context, EVP_sha256(), NULL) != 1)
        return false;
    while ((length = fread(buffer, 1, sizeof buffer, stream)) > 0)
        if (EVP_DigestUpdate(context, buffer, length) != 1)
            return false;
    return !ferror(stream) && EVP_DigestFinal_ex(context, digest, NULL) == 1;
}

bool image_sha256(const struct image *image, char digest[65], struct failure *failure)
{
    struct image_file file;
    unsigned char bytes[32];
    EVP_MD_CTX *context = NULL;
    bool ok = file_open(&file, image->file, failure);
    if (!ok)
        goto out;
    context = EVP_MD_CTX_new();
    if (!context || !stream_digest(file.stream, context, bytes)) {
        ok = failure_set(failure, FAILURE_MISMATCH,
                         "cannot read '%s' to its end for its SHA-256: check the disk it is on",
                         image->file);
        goto out;
    }
    for (size_t i = 0; i < sizeof bytes; i++)
        snprintf(digest + 2 * i, 3, "%02x", bytes[i]);
out:
    EVP_MD_CTX_free(context);
    file_close(&file);
    return ok;
}

void image_close(struct image **image)
{
    if (!*image)
        return;
    image_stack_close(&(*image)->stack);
    free((*image)->pixels);
    free((*image)->file);
    free(*image);
    *image = NULL;
}

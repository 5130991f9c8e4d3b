#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "planner/base/array.h"
#include "planner/base/failure.h"
#include "spmd/input/image_format.h"
#include "spmd/input/input.h"
#include "spmd/input/reader.h"
#include "spmd/input/regular.h"
#include "spmd/input/unpack.h"

/* ---- series -------------------------------------------------------------------------------- */

/* The files of a directory, as the slices of a stack. */

struct series {
    char **files; /* owned; with the directory's name before theirs */
    int64_t count;
};

static bool series_recognize(const char *name)
{
    struct stat status;
    return stat(name, &status) == 0 && S_ISDIR(status.st_mode);
}

/* Compares two runs of digits by value, and equal ones by length. Moves behind both. */
static int compare_numbers(const char **a, const char **b)
{
    const size_t whole_a = strspn(*a, "0123456789"), whole_b = strspn(*b, "0123456789");
    const size_t zeros_a = strspn(*a, "0"), zeros_b = strspn(*b, "0");
    const char *p = *a + zeros_a, *q = *b + zeros_b;
    const size_t length_a = whole_a - zeros_a, length_b = whole_b - zeros_b;
    *a += whole_a;
    *b += whole_b;
    if (length_a != length_b)
        return length_a < length_b ? -1 : 1;
    const int sign = strncmp(p, q, length_a);
    if (sign != 0)
        return sign;
    return (whole_a > whole_b) - (whole_a < whole_b);
}

static int by_name(const void *a, const void *b)
{
    const char *p = *(char *const *)a, *q = *(char *const *)b;
    while (*p && *q) {
        if (isdigit((unsigned char)*p) && isdigit((unsigned char)*q)) {
            const int sign = compare_numbers(&p, &q);
            if (sign != 0)
                return sign;
        } else if (*p != *q) {
            break;
        } else {
            p++;
            q++;
        }
    }
    return (unsigned char)*p - (unsigned char)*q;
}

static bool series_add(struct series *series, size_t *capacity, const char *directory,
                       const char *name)
{
    const size_t size = strlen(directory) + strlen(name) + sizeof "/";
    char **room = array_reserve(series->files, capacity, (size_t)series->count + 1, sizeof *room);
    char *file = malloc(size);
    if (room)
        series->files = room;
    if (!room || !file) {
        free(file);
        return false;
    }
    const bool slashed = directory[strlen(directory) - 1] == '/';
    snprintf(file, size, "%s%s%s", directory, slashed ? "" : "/", name);
    series->files[series->count++] = file;
    return true;
}

static bool stream_list(DIR *stream, const char *directory, struct series *series,
                        struct failure *failure)
{
    size_t capacity = 0;
    const struct dirent *entry;
    for (errno = 0; (entry = readdir(stream)); errno = 0)
        if (entry->d_name[0] != '.' && !series_add(series, &capacity, directory, entry->d_name))
            return failure_memory(failure, "listing a directory of images");
    if (errno != 0)
        return regular_unreadable(directory, failure);
    if (series->count == 0)
        return failure_set(failure, FAILURE_MISMATCH,
                           "'%s' is an empty directory: name one with images of equal size, or an "
                           "image",
                           directory);
    qsort(series->files, (size_t)series->count, sizeof *series->files, by_name);
    return true;
}

static void series_release(struct series *series)
{
    for (int64_t i = 0; i < series->count; i++)
        free(series->files[i]);
    free(series->files);
    *series = (struct series){NULL, 0};
}

/* Lists all files of the directory whose names do not begin with a dot, sorted by name, with
 * numbers by value: slice9 before slice10. An empty list is refused. To be released only after
 * success. */
static bool series_list(const char *directory, struct series *series, struct failure *failure)
{
    *series = (struct series){NULL, 0};
    DIR *stream = opendir(directory);
    if (!stream)
        return regular_unreadable(directory, failure);
    const bool good = stream_list(stream, directory, series, failure);
    closedir(stream);
    if (!good)
        series_release(series);
    return good;
}

/* ---- image --------------------------------------------------------------------------------- */

/*
 * Images and stacks from files: PNG, PGM (P2, P5; 8 and 16 bits), TIFF, .npy, NIfTI, HDF5 data sets
 * ("file.h5:/path", 2 or 3 dimensions, [y][x] or [z][y][x], 8- or 16-bit unsigned integers or
 * floats), and directories of files of equal size and type, each of which is a slice.
 *
 * All but HDF5 may be compressed by gzip or zstd, and are unpacked whenever they are opened.
 * An HDF5 stack is read by hyperslabs, never as a whole; of other files the header is believed
 * until its pixels are wanted, and then it is decoded once, as a whole, with all others of its
 * directory.
 */

struct image {
    char *file;           /* without the data set's path; or the directory */
    struct series slices; /* the files that are decoded as a whole; none of an HDF5 file */
    struct scow_input shape;
    unsigned char *pixels;     /* all of them, where the format is decoded as a whole; else NULL */
    struct image_stack *stack; /* where it is not; else NULL */
};

static const struct regular_rule rule = {
    "the image", "an image file (PNG, PGM, TIFF, .npy, NIfTI or HDF5)", .may_be_empty = false};

/* ---- names ---- */

/* The file that `name` names, owned, and the data set within it (borrowed from `name`; NULL: none
 * is named). The whole name is tried first, so that a file's name may contain a colon. */
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
    /* Neither exists: the failure is about the part that looks like a file's name. */
    const char *path = strstr(name, ":/");
    return path ? strndup(name, (size_t)(path - name)) : strdup(name);
}

/* ---- what a header may claim ---- */

static double memory_bytes(void)
{
    return (double)sysconf(_SC_PHYS_PAGES) * (double)sysconf(_SC_PAGESIZE);
}

bool image_plausible(const struct image_file *file, const struct scow_input *shape,
                     int64_t most_per_byte, struct failure *failure)
{
    const int64_t slices = shape->extent[0], rows = shape->extent[1], columns = shape->extent[2];
    if (slices <= 0 || rows <= 0 || columns <= 0)
        return failure_set(failure, FAILURE_MISMATCH,
                           "'%s' has no pixels (%" PRId64 " x %" PRId64 "): make the image again",
                           file->name, columns, rows);
    /* In floating point, where large numbers do not overflow. */
    double bytes = (double)slices * (double)rows * (double)columns;
    bytes *= (double)input_pixel_bytes(shape);
    char size[80]; /* "COLUMNS x ROWS", " x SLICES" */
    int length = snprintf(size, sizeof size, "%" PRId64 " x %" PRId64, columns, rows);
    if (slices > 1)
        snprintf(size + length, sizeof size - (size_t)length, " x %" PRId64, slices);
    if (bytes > memory_bytes())
        return failure_set(
            failure, FAILURE_MISMATCH,
            "'%s' claims %s pixels, more than this machine's memory holds: store it as an HDF5 "
            "data set, which is read piece by piece, or check the file",
            file->name, size);
    if (bytes > (double)most_per_byte * (double)file->size_bytes)
        return failure_set(failure, FAILURE_MISMATCH,
                           "'%s' claims %s pixels, but its %" PRId64
                           " bytes cannot hold them: it is cut or damaged, copy it again",
                           file->name, size, file->size_bytes);
    return true;
}

size_t image_bytes(const struct scow_input *shape)
{
    return (size_t)shape->extent[0] * (size_t)shape->extent[1] * (size_t)shape->extent[2] *
           input_pixel_bytes(shape);
}

/* ---- formats that are decoded as a whole ---- */

static const struct image_format *format_find(struct image_file *file)
{
    static const struct image_format *const formats[] = {&image_png, &image_pgm, &image_tiff,
                                                         &image_npy, &image_nifti};
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
        regular_unreadable(file->name, failure);
    else if (!format)
        failure_set(failure, FAILURE_MISMATCH,
                    "'%s' is neither PNG, PGM, TIFF, .npy, NIfTI nor HDF5: convert it to 8- or "
                    "16-bit grey PNG",
                    file->name);
    else if (dataset)
        failure_set(failure, FAILURE_MISMATCH,
                    "'%s' is a %s file and has no data sets: leave ':%s' away", file->name,
                    format->name, dataset);
    else
        return format;
    return NULL;
}

/* Slices, rows, columns and type. */
static bool shape_equal(const struct scow_input *a, const struct scow_input *b)
{
    return a->type == b->type && a->extent[0] == b->extent[0] && a->extent[1] == b->extent[1] &&
           a->extent[2] == b->extent[2];
}

/* Opens for reading; a compressed file is unpacked. */
static bool picture_open(struct image_file *file, struct failure *failure)
{
    file->stream = regular_open(file->name, &rule, &file->size_bytes, failure);
    if (!file->stream || !unpack(&file->stream, file->name, failure))
        return false;
    struct stat status;
    if (fstat(fileno(file->stream), &status) != 0)
        return regular_unreadable(file->name, failure);
    file->size_bytes = status.st_size;
    return true;
}

/* Reads the shape from the header of a file into *shape. With `pixels`, which have room for them,
 * also these, if the shape still is *shape. */
static bool picture_read(const char *name, const char *dataset, struct scow_input *shape,
                         unsigned char *pixels, struct failure *failure)
{
    struct image_file file = {.name = name};
    struct scow_input found = *shape;
    const struct image_format *format = NULL;
    found.extent[0] = 1; /* unless the header says more */
    bool good = picture_open(&file, failure) &&
                (format = format_require(&file, dataset, failure)) != NULL &&
                format->header(&file, &found, failure);
    if (good && pixels && !shape_equal(&found, shape))
        good = regular_changed(name, failure);
    else if (good && pixels)
        good = format->decode(&file, &found, pixels, failure);
    else if (good)
        *shape = found;
    if (file.stream)
        fclose(file.stream);
    return good;
}

/* ---- series of them ---- */

static const char *type_name(int type)
{
    return type == SCOW_U8 ? "8-bit" : type == SCOW_U16 ? "16-bit" : "float";
}

/* All slices must be like the first. */
static bool slices_check(struct image *image, struct failure *failure)
{
    for (int64_t i = 0; i < image->slices.count; i++) {
        struct scow_input slice = image->shape;
        if (!picture_read(image->slices.files[i], NULL, &slice, NULL, failure))
            return false;
        if (slice.extent[0] != 1)
            return failure_set(failure, FAILURE_MISMATCH,
                               "'%s' is a stack of %" PRId64 " slices: name it itself, or a "
                               "directory of files with one slice each",
                               image->slices.files[i], slice.extent[0]);
        if (i == 0)
            image->shape = slice;
        else if (!shape_equal(&slice, &image->shape))
            return failure_set(
                failure, FAILURE_MISMATCH,
                "'%s' is %" PRId64 " x %" PRId64 " pixels of %s, but '%s' is %" PRId64 " x %" PRId64
                " of %s: the slices of a stack must be alike",
                image->slices.files[i], slice.extent[2], slice.extent[1], type_name(slice.type),
                image->slices.files[0], image->shape.extent[2], image->shape.extent[1],
                type_name(image->shape.type));
    }
    image->shape.extent[0] = image->slices.count;
    if ((double)image->shape.extent[0] * (double)image->shape.extent[1] *
            (double)image->shape.extent[2] * (double)input_pixel_bytes(&image->shape) <=
        memory_bytes())
        return true;
    return failure_set(failure, FAILURE_MISMATCH,
                       "'%s' has more pixels than this machine's memory holds: store the stack as "
                       "an HDF5 data set, which is read piece by piece",
                       image->file);
}

/* Takes one file as a series. */
static bool slices_single(struct image *image, struct failure *failure)
{
    image->slices.files = calloc(1, sizeof *image->slices.files);
    char *file = strdup(image->file);
    if (!image->slices.files || !file) {
        free(file);
        return failure_memory(failure, "opening the image");
    }
    image->slices.files[image->slices.count++] = file;
    return true;
}

static bool slices_read(const struct image *image, unsigned char *pixels, struct failure *failure)
{
    const size_t slice_bytes = image_bytes(&image->shape) / (size_t)image->slices.count;
    struct scow_input shape = image->shape;
    shape.extent[0] = image->shape.extent[0] / image->slices.count;
    for (int64_t i = 0; i < image->slices.count; i++)
        if (!picture_read(image->slices.files[i], NULL, &shape, pixels + (size_t)i * slice_bytes,
                          failure))
            return false;
    return true;
}

/* ---- the reader ---- */

static void image_close(void *self)
{
    struct image *image = self;
    if (!image)
        return;
    image_stack_close(&image->stack);
    series_release(&image->slices);
    free(image->pixels);
    free(image->file);
    free(image);
}

static bool image_begin(struct image *image, const char *dataset, struct failure *failure)
{
    int64_t size_bytes;
    if (series_recognize(image->file) && !dataset)
        return series_list(image->file, &image->slices, failure) && slices_check(image, failure);
    if (!regular_check(image->file, &rule, &size_bytes, failure))
        return false;
    if (!image_stack_recognize(image->file))
        return slices_single(image, failure) &&
               picture_read(image->file, dataset, &image->shape, NULL, failure);
    image->stack = image_stack_open(image->file, dataset, &image->shape, failure);
    return image->stack != NULL;
}

static bool image_open(const char *name, struct scow_input *shape, void **self,
                       struct failure *failure)
{
    const char *dataset = NULL;
    struct image *image = calloc(1, sizeof *image);
    bool good = image && (image->file = name_split(name, &dataset)) != NULL;
    if (!good) {
        failure_memory(failure, "opening the image");
        goto out;
    }
    image->shape = *shape;
    good = image_begin(image, dataset, failure);
    if (good) {
        *shape = image->shape;
        *self = image;
    }
out:
    if (!good)
        image_close(image);
    return good;
}

static bool image_load(void *self, struct failure *failure)
{
    struct image *image = self;
    if (image->stack || image->pixels)
        return true;
    unsigned char *pixels = malloc(image_bytes(&image->shape));
    if (!pixels)
        return failure_memory(failure, "reading the image");
    if (slices_read(image, pixels, failure))
        image->pixels = pixels;
    else
        free(pixels);
    return image->pixels != NULL;
}

static bool image_read(void *self, int64_t slice, int64_t row, int64_t column, int64_t rows,
                       int64_t columns, void *pixels, struct failure *failure)
{
    struct image *image = self;
    if (image->stack) {
        const int64_t start[3] = {slice, row, column}, count[3] = {1, rows, columns};
        return image_stack_read(image->stack, image->file, start, count, pixels, failure);
    }
    if (!image_load(image, failure))
        return false;
    size_t size = input_pixel_bytes(&image->shape);
    size_t line = (size_t)columns * size;
    for (int64_t y = 0; y < rows; y++) {
        const size_t whole = (size_t)slice * (size_t)image->shape.extent[1] + (size_t)(row + y);
        const size_t from = whole * (size_t)image->shape.extent[2] + (size_t)column;
        memcpy((unsigned char *)pixels + (size_t)y * line, image->pixels + from * size, line);
    }
    return true;
}

static const char *const *image_files(const void *self, int64_t *count)
{
    const struct image *image = self;
    *count = image->stack ? 1 : image->slices.count;
    return image->stack ? (const char *const *)&image->file
                        : (const char *const *)image->slices.files;
}

const struct input_reader input_image = {.kind = SCOW_INPUT_IMAGE,
                                         .open = image_open,
                                         .load = image_load,
                                         .read_image = image_read,
                                         .files = image_files,
                                         .close = image_close};

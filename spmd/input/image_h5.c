/* HDF5 data sets as stacks of images, read by hyperslabs. Serial access, with or without MPI. */
#include <hdf5.h>
#include <stdlib.h>
#include <string.h>

#include "spmd/input/image_format.h"

struct image_stack {
    hid_t file, set;
    int rank; /* 2: [y][x]; 3: [z][y][x] */
    int type; /* of pixels in memory: enum scow_type */
};

/* ---- HDF5's errors ---- */

/* HDF5 prints its error stack unless told not to; the previous setting is restored. */
struct silence {
    H5E_auto2_t print;
    void *data;
};

static void silence_begin(struct silence *silence)
{
    H5Eget_auto2(H5E_DEFAULT, &silence->print, &silence->data);
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
}

static void silence_end(const struct silence *silence)
{
    H5Eset_auto2(H5E_DEFAULT, silence->print, silence->data);
}

struct reason {
    char text[160];
};

/* HDF5 describes a failed system call in several lines, with addresses: "file read failed: time =
 * ..., error message = 'Input/output error', ...". Only its beginning and the message are kept. */
static void reason_fill(struct reason *reason, const char *words)
{
    static const char mark[] = "error message = '";
    const char *details = strstr(words, ": time = ");
    const char *message = details ? strstr(details, mark) : NULL;
    int beginning = (int)(details ? (size_t)(details - words) : strcspn(words, "\n"));
    if (message)
        message += strlen(mark);
    snprintf(reason->text, sizeof reason->text, "%.*s%s%.*s", beginning, words, message ? ": " : "",
             message ? (int)strcspn(message, "'\n") : 0, message ? message : "");
}

static herr_t reason_take(unsigned depth, const H5E_error2_t *error, void *data)
{
    if (depth == 0 && error->desc)
        reason_fill(data, error->desc);
    return 0;
}

/* Why the last call failed, by the innermost entry of HDF5's error stack. */
static struct reason reason_last(void)
{
    struct reason reason = {"no reason given"};
    H5Ewalk2(H5E_DEFAULT, H5E_WALK_UPWARD, reason_take, &reason);
    return reason;
}

/* ---- what a data set must be ---- */

static bool type_choose(hid_t set, int *type)
{
    hid_t stored = H5Dget_type(set);
    H5T_class_t kind = H5Tget_class(stored);
    size_t size = H5Tget_size(stored);
    bool natural = kind == H5T_INTEGER && H5Tget_sign(stored) == H5T_SGN_NONE;
    H5Tclose(stored);
    if (natural && size == 1)
        *type = SCOW_U8;
    else if (natural && size == 2)
        *type = SCOW_U16;
    else if ((kind == H5T_INTEGER && size <= 4) || (kind == H5T_FLOAT && size <= 8))
        *type = SCOW_F32; /* HDF5 converts while reading */
    else
        return false;
    return true;
}

/* Returns the rank, or -1; dimensions beyond it are 1, the slowest one first. */
static int extent_find(hid_t set, hsize_t extent[3])
{
    hid_t space = H5Dget_space(set);
    int rank = H5Sget_simple_extent_ndims(space);
    extent[0] = extent[1] = extent[2] = 1;
    if (rank == 2 || rank == 3)
        H5Sget_simple_extent_dims(space, extent + (3 - rank), NULL);
    H5Sclose(space);
    return rank;
}

static bool extent_check(const char *file, const char *dataset, const hsize_t extent[3],
                         struct failure *failure)
{
    double bytes = (double)sizeof(float);
    for (int i = 0; i < 3; i++)
        bytes *= (double)extent[i];
    if (bytes <= 0)
        return failure_set(failure, FAILURE_MISMATCH,
                           "data set '%s' of '%s' has no pixels (%llu x %llu x %llu): name another "
                           "or fill it",
                           dataset, file, (unsigned long long)extent[0],
                           (unsigned long long)extent[1], (unsigned long long)extent[2]);
    if (bytes >= 0x1p62)
        return failure_set(failure, FAILURE_MISMATCH,
                           "data set '%s' of '%s' claims %llu x %llu x %llu pixels, more than any "
                           "machine can address: check the file",
                           dataset, file, (unsigned long long)extent[0],
                           (unsigned long long)extent[1], (unsigned long long)extent[2]);
    return true;
}

static bool set_describe(hid_t set, const char *file, const char *dataset, int *rank,
                         struct scow_input *shape, struct failure *failure)
{
    hsize_t extent[3];
    *rank = extent_find(set, extent);
    if (*rank != 2 && *rank != 3)
        return failure_set(failure, FAILURE_MISMATCH,
                           "data set '%s' of '%s' has rank %d: name one of rank 2, [y][x], "
                           "or 3, [z][y][x]",
                           dataset, file, *rank);
    if (!extent_check(file, dataset, extent, failure))
        return false;
    if (!type_choose(set, &shape->type))
        return failure_set(failure, FAILURE_MISMATCH,
                           "data set '%s' of '%s' has pixels of a type that cannot be used: store "
                           "them as 8- or 16-bit unsigned integers or 32-bit floats",
                           dataset, file);
    for (int i = 0; i < 3; i++)
        shape->extent[i] = (int64_t)extent[i];
    return true;
}

/* ---- which data sets there are ---- */

struct listing {
    char text[240]; /* "'/a', '/b'" */
    size_t length;
};

/* Adds the object if it can serve as an image; a value other than 0 ends the visit. */
static herr_t listing_add(hid_t root, const char *name, const H5O_info_t *info, void *data)
{
    struct listing *listing = data;
    struct failure unheard = FAILURE_INIT;
    struct scow_input shape;
    int rank;
    if (info->type != H5O_TYPE_DATASET)
        return 0;
    hid_t set = H5Dopen2(root, name, H5P_DEFAULT);
    if (set < 0)
        return 0;
    bool fits = set_describe(set, "", name, &rank, &shape, &unheard);
    H5Dclose(set);
    if (!fits)
        return 0;
    size_t room = sizeof listing->text - listing->length;
    int needed = snprintf(listing->text + listing->length, room, "%s'/%s'",
                          listing->length ? ", " : "", name);
    if (needed < 0 || (size_t)needed >= room) {
        listing->text[listing->length] = '\0';
        return 1;
    }
    listing->length += (size_t)needed;
    return 0;
}

static struct listing listing_make(hid_t file)
{
    struct listing listing = {"", 0};
    H5Ovisit(file, H5_INDEX_NAME, H5_ITER_INC, listing_add, &listing);
    if (listing.length == 0)
        snprintf(listing.text, sizeof listing.text, "none that could serve as an image");
    return listing;
}

/* ---- opening ---- */

/*
 * A package needs a row of blocks with a halo. A chunk that is compressed is unpacked as a whole
 * whenever it is not in the cache, so the cache is made to hold two bands of chunks across the
 * image where 256 MiB allow it; HDF5's own 1 MiB would often hold not a single chunk.
 */
static size_t cache_bytes(hid_t set, int rank, const struct scow_input *shape)
{
    const double least = 1 << 20, most = 1 << 28;
    hsize_t chunk[3];
    hid_t creation = H5Dget_create_plist(set);
    bool chunked =
        H5Pget_layout(creation) == H5D_CHUNKED && H5Pget_chunk(creation, rank, chunk) > 0;
    H5Pclose(creation);
    if (!chunked)
        return (size_t)least;
    double wide = (double)chunk[rank - 1];
    double bytes = 2 * 8 * ((double)shape->extent[2] + wide); /* no pixel takes more than 8 bytes */
    for (int i = 0; i < rank - 1; i++)
        bytes *= (double)chunk[i];
    return (size_t)(bytes < least ? least : bytes > most ? most : bytes);
}

/* The data set again, now with a cache that suits it; `set` is closed. */
static hid_t set_reopen(hid_t file, const char *dataset, hid_t set, size_t bytes)
{
    enum { SLOTS = 10007 }; /* prime, and far more than the chunks that fit, as HDF5 advises */
    hid_t access = H5Pcreate(H5P_DATASET_ACCESS);
    H5Pset_chunk_cache(access, SLOTS, bytes, H5D_CHUNK_CACHE_W0_DEFAULT);
    H5Dclose(set);
    set = H5Dopen2(file, dataset, access);
    H5Pclose(access);
    return set;
}

static bool set_open(struct image_stack *stack, const char *file, const char *dataset,
                     struct failure *failure)
{
    if (!dataset || !*dataset)
        return failure_set(failure, FAILURE_MISMATCH,
                           "'%s' is an HDF5 file: name a data set of it as '%s:/PATH'; it has %s",
                           file, file, listing_make(stack->file).text);
    stack->set = H5Dopen2(stack->file, dataset, H5P_DEFAULT);
    if (stack->set >= 0)
        return true;
    struct reason reason = reason_last();
    return failure_set(failure, FAILURE_MISMATCH,
                       "cannot open data set '%s' of '%s' (%s): name one that it has; it has %s",
                       dataset, file, reason.text, listing_make(stack->file).text);
}

static bool stack_open(struct image_stack *stack, const char *file, const char *dataset,
                       struct scow_input *shape, struct failure *failure)
{
    struct scow_input found = *shape;
    stack->file = H5Fopen(file, H5F_ACC_RDONLY, H5P_DEFAULT);
    if (stack->file < 0)
        return failure_set(failure, FAILURE_MISMATCH,
                           "cannot open '%s' as HDF5 (%s): it is cut, damaged or being written; "
                           "make or copy it again",
                           file, reason_last().text);
    if (!set_open(stack, file, dataset, failure) ||
        !set_describe(stack->set, file, dataset, &stack->rank, &found, failure))
        return false;
    stack->type = found.type;
    stack->set =
        set_reopen(stack->file, dataset, stack->set, cache_bytes(stack->set, stack->rank, &found));
    if (stack->set < 0)
        return failure_set(failure, FAILURE_MISMATCH,
                           "cannot open data set '%s' of '%s' again (%s): copy the file again",
                           dataset, file, reason_last().text);
    *shape = found;
    return true;
}

/* ---- the face ---- */

bool image_stack_recognize(const char *file)
{
    struct silence silence;
    silence_begin(&silence);
    bool yes = H5Fis_hdf5(file) > 0;
    silence_end(&silence);
    return yes;
}

struct image_stack *image_stack_open(const char *file, const char *dataset,
                                     struct scow_input *shape, struct failure *failure)
{
    struct silence silence;
    struct image_stack *stack = malloc(sizeof *stack);
    if (!stack) {
        failure_memory(failure, "opening the image");
        return NULL;
    }
    stack->file = stack->set = H5I_INVALID_HID;
    silence_begin(&silence);
    bool good = stack_open(stack, file, dataset, shape, failure);
    silence_end(&silence);
    if (!good)
        image_stack_close(&stack);
    return stack;
}

static hid_t memory_type(int type)
{
    return type == SCOW_U8    ? H5T_NATIVE_UINT8
           : type == SCOW_U16 ? H5T_NATIVE_UINT16
                              : H5T_NATIVE_FLOAT;
}

static bool hyperslab_read(const struct image_stack *stack, const char *file,
                           const int64_t start[3], const int64_t count[3], void *pixels,
                           struct failure *failure)
{
    hsize_t from[3], size[3];
    for (int i = 0; i < 3; i++) {
        from[i] = (hsize_t)start[i];
        size[i] = (hsize_t)count[i];
    }
    int skip = 3 - stack->rank; /* a single image has no z */
    hid_t disk = H5Dget_space(stack->set);
    hid_t memory = H5Screate_simple(stack->rank, size + skip, NULL);
    H5Sselect_hyperslab(disk, H5S_SELECT_SET, from + skip, NULL, size + skip, NULL);
    bool good =
        H5Dread(stack->set, memory_type(stack->type), memory, disk, H5P_DEFAULT, pixels) >= 0;
    if (!good)
        failure_set(failure, FAILURE_MISMATCH,
                    "cannot read pixels of '%s' (%s): it is damaged, or a filter that it was "
                    "written with is not installed",
                    file, reason_last().text);
    H5Sclose(memory);
    H5Sclose(disk);
    return good;
}

bool image_stack_read(struct image_stack *stack, const char *file, const int64_t start[3],
                      const int64_t count[3], void *pixels, struct failure *failure)
{
    struct silence silence;
    silence_begin(&silence);
    bool good = hyperslab_read(stack, file, start, count, pixels, failure);
    silence_end(&silence);
    return good;
}

void image_stack_close(struct image_stack **stack)
{
    if (!*stack)
        return;
    if ((*stack)->set >= 0)
        H5Dclose((*stack)->set);
    if ((*stack)->file >= 0)
        H5Fclose((*stack)->file);
    free(*stack);
    *stack = NULL;
}

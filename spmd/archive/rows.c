#include "spmd/archive/rows.h"

#include <stdlib.h>

#include "spmd/layout/contents.h"

enum { BATCH_BYTES = 1 << 18, BATCH_MOST = 8192 };

static int64_t batch_most(const struct rows *rows)
{
    const size_t fit = BATCH_BYTES / rows->size;
    return fit < 1 ? 1 : fit > BATCH_MOST ? BATCH_MOST : (int64_t)fit;
}

/* The type as stored, without gaps, in memory. Negative: memory has no such type. */
static hid_t type_native(hid_t dataset)
{
    const hid_t stored = H5Dget_type(dataset);
    const hid_t native = H5Tget_native_type(stored, H5T_DIR_ASCEND);
    if (native >= 0 && H5Tget_class(native) == H5T_COMPOUND)
        H5Tpack(native);
    H5Tclose(stored);
    return native;
}

static int64_t rows_count(hid_t dataset)
{
    const hid_t space = H5Dget_space(dataset);
    const hssize_t count =
        H5Sget_simple_extent_ndims(space) == 1 ? H5Sget_simple_extent_npoints(space) : -1;
    H5Sclose(space);
    return (int64_t)count;
}

bool rows_open(struct rows *rows, hid_t file, const char *name, hid_t type)
{
    *rows = (struct rows){.dataset = contents_open(file, name), .type = type};
    if (rows->dataset < 0)
        return false;
    if (type < 0)
        rows->type = type_native(rows->dataset);
    rows->count = rows_count(rows->dataset);
    rows->size = rows->type >= 0 ? H5Tget_size(rows->type) : 0;
    rows->bytes = rows->size > 0 ? malloc((size_t)batch_most(rows) * rows->size) : NULL;
    rows->failed = !rows->bytes || rows->count < 0;
    return !rows->failed;
}

/* A type with only that field of the records. Negative: no record has it. */
static hid_t type_of_field(hid_t file, const char *name, const char *field, hid_t number)
{
    const hid_t dataset = contents_open(file, name);
    if (dataset < 0)
        return -1;
    const hid_t stored = H5Dget_type(dataset);
    const int index =
        H5Tget_class(stored) == H5T_COMPOUND ? H5Tget_member_index(stored, field) : -1;
    const hid_t member = index < 0     ? -1
                         : number >= 0 ? H5Tcopy(number)
                                       : H5Tget_member_type(stored, (unsigned)index);
    const hid_t type = member >= 0 ? H5Tcreate(H5T_COMPOUND, H5Tget_size(member)) : -1;
    if (type >= 0)
        H5Tinsert(type, field, 0, member);
    if (member >= 0)
        H5Tclose(member);
    H5Tclose(stored);
    H5Dclose(dataset);
    return type;
}

bool rows_open_field(struct rows *rows, hid_t file, const char *name, const char *field,
                     hid_t number)
{
    const hid_t type = type_of_field(file, name, field, number);
    *rows = (struct rows){.dataset = -1, .type = -1};
    return type >= 0 && rows_open(rows, file, name, type);
}

static bool batch_read(struct rows *rows, int64_t index)
{
    const int64_t most = batch_most(rows), first = index / most * most;
    const hsize_t start = (hsize_t)first;
    const hsize_t count = (hsize_t)(rows->count - first < most ? rows->count - first : most);
    const hid_t space = H5Dget_space(rows->dataset), memory = H5Screate_simple(1, &count, NULL);
    const bool good =
        H5Sselect_hyperslab(space, H5S_SELECT_SET, &start, NULL, &count, NULL) >= 0 &&
        H5Dread(rows->dataset, rows->type, memory, space, H5P_DEFAULT, rows->bytes) >= 0;
    H5Sclose(memory);
    H5Sclose(space);
    rows->first = first;
    rows->have = good ? (int64_t)count : 0;
    return good;
}

const void *rows_at(struct rows *rows, int64_t index)
{
    if (rows->dataset < 0 || rows->failed || index < 0 || index >= rows->count)
        return NULL;
    if ((index < rows->first || index - rows->first >= rows->have) && !batch_read(rows, index)) {
        rows->failed = true;
        return NULL;
    }
    return rows->bytes + (size_t)(index - rows->first) * rows->size;
}

void rows_close(struct rows *rows)
{
    if (rows->dataset >= 0)
        H5Dclose(rows->dataset);
    if (rows->type >= 0)
        H5Tclose(rows->type);
    free(rows->bytes);
    *rows = (struct rows){.dataset = -1, .type = -1};
}

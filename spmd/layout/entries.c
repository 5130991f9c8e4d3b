#include "spmd/layout/entries.h"

#include <stdlib.h>
#include <string.h>
#include <sys/statvfs.h>

#include "spmd/layout/layout.h"

bool entry_number(hid_t object, const char *name, hid_t type, const void *value)
{
    hid_t space = H5Screate(H5S_SCALAR);
    hid_t attribute = H5Aexists(object, name) > 0
                          ? H5Aopen(object, name, H5P_DEFAULT)
                          : H5Acreate2(object, name, type, space, H5P_DEFAULT, H5P_DEFAULT);
    bool good = attribute >= 0 && H5Awrite(attribute, type, value) >= 0;
    if (attribute >= 0)
        H5Aclose(attribute);
    H5Sclose(space);
    return good;
}

bool entry_words(hid_t object, const char *name, const char *text)
{
    hid_t type = layout_text_type(strlen(text));
    bool good = entry_number(object, name, type, text);
    H5Tclose(type);
    return good;
}

hid_t entry_rows(hid_t file, const char *name, hid_t type, int rank, const hsize_t *shape,
                 bool filled)
{
    hid_t space = rank > 0 ? H5Screate_simple(rank, shape, NULL) : H5Screate(H5S_SCALAR);
    hid_t creation = H5Pcreate(H5P_DATASET_CREATE);
    H5Pset_alloc_time(creation, H5D_ALLOC_TIME_EARLY);
    H5Pset_fill_time(creation, filled ? H5D_FILL_TIME_ALLOC : H5D_FILL_TIME_NEVER);
    hid_t dataset = H5Dcreate2(file, name, type, space, H5P_DEFAULT, creation, H5P_DEFAULT);
    H5Pclose(creation);
    H5Sclose(space);
    return dataset;
}

bool entry_text(hid_t file, const char *name, const char *text)
{
    hid_t type = layout_text_type(strlen(text));
    hid_t space = H5Screate(H5S_SCALAR);
    hid_t dataset = H5Dcreate2(file, name, type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    bool good = dataset >= 0 && H5Dwrite(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, text) >= 0;
    if (dataset >= 0)
        H5Dclose(dataset);
    H5Sclose(space);
    H5Tclose(type);
    return good;
}

bool entry_text_replace(hid_t file, const char *name, const char *text)
{
    if (H5Lexists(file, name, H5P_DEFAULT) > 0 && H5Ldelete(file, name, H5P_DEFAULT) < 0)
        return false;
    return !text || entry_text(file, name, text);
}

/* ---- traces -------------------------------------------------------------------------------- */

/* A trace with more rows than one piece is compressed, and gets its space in the file when it is
 * written. */
enum { PIECE_ROWS = 8192 };
/* Bytes of a compressed event, which mostly needs 9: the space is reserved before HDF5 writes,
 * because HDF5 crashes if a disk fills while it closes a file. */
static const double compressed_bytes = 24;

static bool is_compressed(int64_t events)
{
    return events > PIECE_ROWS && H5Zfilter_avail(H5Z_FILTER_DEFLATE) > 0;
}

/* To be closed. */
static hid_t compressed_rows(hid_t file, const char *name, hid_t type, hsize_t rows)
{
    const hsize_t piece = PIECE_ROWS;
    hid_t space = H5Screate_simple(1, &rows, NULL);
    hid_t creation = H5Pcreate(H5P_DATASET_CREATE);
    H5Pset_chunk(creation, 1, &piece);
    H5Pset_shuffle(creation);
    H5Pset_deflate(creation, 1);
    hid_t dataset = H5Dcreate2(file, name, type, space, H5P_DEFAULT, creation, H5P_DEFAULT);
    H5Pclose(creation);
    H5Sclose(space);
    return dataset;
}

bool entry_trace_fits(hid_t file, int64_t events)
{
    struct statvfs disk;
    char path[4096];
    return !is_compressed(events) || H5Fget_name(file, path, sizeof path) <= 0 ||
           statvfs(path, &disk) != 0 ||
           (double)disk.f_bavail * (double)disk.f_frsize > compressed_bytes * (double)events;
}

bool entry_trace(hid_t file, const char *name, int64_t events)
{
    hid_t type = layout_trace_type();
    hid_t packed = H5Tcopy(type);
    H5Tpack(packed);
    hsize_t rows = (hsize_t)events;
    hid_t dataset = is_compressed(events) ? compressed_rows(file, name, packed, rows)
                                          : entry_rows(file, name, packed, 1, &rows, true);
    bool good = dataset >= 0 && H5Dclose(dataset) >= 0;
    H5Tclose(packed);
    H5Tclose(type);
    return good;
}

/* The number of rows as the data set was made. Negative: there is none. */
static int64_t trace_rows(hid_t file, const char *name)
{
    hid_t dataset = H5Dopen2(file, name, H5P_DEFAULT);
    if (dataset < 0)
        return -1;
    hid_t space = H5Dget_space(dataset);
    const int64_t rows = (int64_t)H5Sget_simple_extent_npoints(space);
    H5Sclose(space);
    H5Dclose(dataset);
    return rows;
}

/* A rule's trace is longer than was announced: a new data set replaces the first one. */
static bool trace_extend(hid_t file, const char *name, int64_t wanted)
{
    const int64_t rows = trace_rows(file, name);
    return rows >= 0 && (rows >= wanted || (H5Ldelete(file, name, H5P_DEFAULT) >= 0 &&
                                            entry_trace(file, name, wanted)));
}

bool entry_trace_clear(hid_t file, const char *name)
{
    const int64_t rows = trace_rows(file, name);
    return rows >= 0 && H5Ldelete(file, name, H5P_DEFAULT) >= 0 && entry_trace(file, name, rows);
}

/* Copies piece by piece, so that each is compressed only once. */
static bool rows_copy(hid_t dataset, struct trace_reader *reader)
{
    struct trace_event *events = malloc(PIECE_ROWS * sizeof *events);
    hid_t type = layout_trace_type();
    bool good = events != NULL;
    for (int64_t first = 0, count; good; first += count) {
        count = trace_reader_next(reader, events, PIECE_ROWS);
        if (count == 0)
            break;
        good = layout_rows_write(dataset, type, first, count, events);
    }
    H5Tclose(type);
    free(events);
    return good;
}

bool entry_trace_write(hid_t file, const char *name, struct trace_reader *reader)
{
    if (!trace_extend(file, name, reader->count))
        return false;
    hid_t dataset = H5Dopen2(file, name, H5P_DEFAULT);
    if (dataset < 0)
        return false;
    const bool good = rows_copy(dataset, reader);
    return H5Dclose(dataset) >= 0 && good;
}

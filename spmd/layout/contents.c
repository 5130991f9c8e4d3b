#include "spmd/layout/contents.h"

#include <stdlib.h>
#include <string.h>

#include "spmd/layout/layout.h"

/* A file that is not ours may have an array here. The space is closed. */
static bool is_single(hid_t space)
{
    const bool single = H5Sget_simple_extent_npoints(space) == 1;
    H5Sclose(space);
    return single;
}

/* Owned, zero-terminated; NULL: absent, or not a string of fixed length. */
static char *text_of(hid_t type, herr_t (*read)(hid_t, hid_t, void *), hid_t object)
{
    if (H5Tget_class(type) != H5T_STRING || H5Tis_variable_str(type) > 0)
        return NULL;
    size_t size = H5Tget_size(type);
    char *text = calloc(size + 1, 1);
    if (text && read(object, type, text) < 0) {
        free(text);
        text = NULL;
    }
    return text;
}

static herr_t whole_dataset(hid_t dataset, hid_t type, void *value)
{
    return H5Dread(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, value);
}

hid_t contents_open(hid_t file, const char *name)
{
    return H5Lexists(file, name, H5P_DEFAULT) > 0 ? H5Dopen2(file, name, H5P_DEFAULT) : -1;
}

char *contents_text(hid_t file, const char *name)
{
    const hid_t dataset = contents_open(file, name);
    if (dataset < 0)
        return NULL;
    hid_t type = H5Dget_type(dataset);
    const bool single = is_single(H5Dget_space(dataset));
    char *text = single ? text_of(type, whole_dataset, dataset) : NULL;
    H5Tclose(type);
    H5Dclose(dataset);
    return text;
}

/* Negative: absent or not readable. */
static hid_t attribute_open(hid_t object, const char *name)
{
    return H5Aexists(object, name) > 0 ? H5Aopen(object, name, H5P_DEFAULT) : -1;
}

char *contents_attribute(hid_t object, const char *name)
{
    const hid_t attribute = attribute_open(object, name);
    if (attribute < 0)
        return NULL;
    hid_t type = H5Aget_type(attribute);
    const bool single = is_single(H5Aget_space(attribute));
    char *text = single ? text_of(type, H5Aread, attribute) : NULL;
    H5Tclose(type);
    H5Aclose(attribute);
    return text;
}

bool contents_number(hid_t object, const char *name, hid_t type, void *value)
{
    const hid_t attribute = attribute_open(object, name);
    if (attribute < 0)
        return false;
    const bool good = is_single(H5Aget_space(attribute)) && H5Aread(attribute, type, value) >= 0;
    H5Aclose(attribute);
    return good;
}

void *contents_rows(hid_t file, const char *name, hid_t type, size_t size, size_t *count)
{
    const hid_t dataset = contents_open(file, name);
    if (dataset < 0)
        return NULL;
    hid_t space = H5Dget_space(dataset);
    hssize_t rows = H5Sget_simple_extent_npoints(space);
    const bool fits = rows >= 0 && (size_t)rows < SIZE_MAX / size;
    void *values = fits ? malloc((size_t)rows * size + 1) : NULL;
    if (values && whole_dataset(dataset, type, values) < 0) {
        free(values);
        values = NULL;
    }
    *count = rows > 0 ? (size_t)rows : 0;
    H5Sclose(space);
    H5Dclose(dataset);
    return values;
}

static bool has_rows(hid_t dataset, size_t count)
{
    hid_t space = H5Dget_space(dataset);
    const hssize_t rows = H5Sget_simple_extent_npoints(space);
    H5Sclose(space);
    return rows >= 0 && (size_t)rows == count;
}

double *contents_column(hid_t file, const char *name, const char *field, size_t count)
{
    const hid_t dataset = contents_open(file, name);
    if (dataset < 0)
        return NULL;
    hid_t type = H5Tcreate(H5T_COMPOUND, sizeof(double)), stored = H5Dget_type(dataset);
    double *values = NULL;
    if (has_rows(dataset, count) && H5Tget_member_index(stored, field) >= 0 &&
        H5Tinsert(type, field, 0, H5T_NATIVE_DOUBLE) >= 0)
        values = malloc((count + 1) * sizeof *values);
    if (values && H5Dread(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) < 0) {
        free(values);
        values = NULL;
    }
    H5Tclose(stored);
    H5Tclose(type);
    H5Dclose(dataset);
    return values;
}

static bool shape_get(hid_t dataset, int rank, int64_t *shape)
{
    hsize_t extent[H5S_MAX_RANK] = {0};
    const hid_t space = H5Dget_space(dataset);
    const bool good = H5Sget_simple_extent_ndims(space) == rank;
    if (good)
        H5Sget_simple_extent_dims(space, extent, NULL);
    for (int i = 0; good && i < rank; i++)
        shape[i] = (int64_t)extent[i];
    H5Sclose(space);
    return good;
}

bool contents_shape(hid_t file, const char *name, int rank, int64_t *shape)
{
    const hid_t dataset = contents_open(file, name);
    if (dataset < 0)
        return false;
    const bool good = shape_get(dataset, rank, shape);
    H5Dclose(dataset);
    return good;
}

int64_t contents_place(hid_t file, const char *name, int rank, int64_t *shape)
{
    const hid_t dataset = contents_open(file, name);
    if (dataset < 0)
        return -1;
    const haddr_t place = H5Dget_offset(dataset);
    const bool good = place != HADDR_UNDEF && shape_get(dataset, rank, shape);
    H5Dclose(dataset);
    return good ? (int64_t)place : -1;
}

bool contents_outcome_holds(hid_t file)
{
    const bool wanted = H5Aexists(file, LAYOUT_OUTCOME_DIGEST) != 0 &&
                        H5Lexists(file, LAYOUT_OUTCOME, H5P_DEFAULT) != 0;
    char now[17], *then = wanted ? contents_attribute(file, LAYOUT_OUTCOME_DIGEST) : NULL;
    char *text = then ? contents_text(file, LAYOUT_OUTCOME) : NULL;
    bool same = !wanted;
    if (text) {
        const hid_t dataset = contents_open(file, LAYOUT_OUTCOME), type = H5Dget_type(dataset);
        layout_outcome_digest(text, H5Tget_size(type), now);
        same = strcmp(then, now) == 0;
        H5Tclose(type);
        H5Dclose(dataset);
    }
    free(then);
    free(text);
    return same;
}

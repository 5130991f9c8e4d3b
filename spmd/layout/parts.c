#include "spmd/layout/parts.h"

#include <stdlib.h>
#include <time.h>

#include "spmd/layout/contents.h"
#include "spmd/layout/layout.h"

static int64_t row_of(int64_t times)
{
    return times < LAYOUT_PARTS_MOST ? times : LAYOUT_PARTS_MOST - 1;
}

bool parts_create(hid_t file)
{
    const hsize_t rows = LAYOUT_PARTS_MOST;
    hid_t type = layout_part_type(), packed = H5Tcopy(type);
    H5Tpack(packed);
    hid_t space = H5Screate_simple(1, &rows, NULL), creation = H5Pcreate(H5P_DATASET_CREATE);
    H5Pset_alloc_time(creation, H5D_ALLOC_TIME_EARLY);
    H5Pset_fill_time(creation, H5D_FILL_TIME_ALLOC);
    hid_t dataset =
        H5Dcreate2(file, LAYOUT_PARTS, packed, space, H5P_DEFAULT, creation, H5P_DEFAULT);
    H5Pclose(creation);
    H5Sclose(space);
    H5Tclose(packed);
    H5Tclose(type);
    return dataset >= 0 && H5Dclose(dataset) >= 0;
}

bool parts_put(hid_t file, int64_t times, const struct run_part *part)
{
    if (H5Lexists(file, LAYOUT_PARTS, H5P_DEFAULT) <= 0)
        return true;
    hid_t dataset = H5Dopen2(file, LAYOUT_PARTS, H5P_DEFAULT);
    if (dataset < 0)
        return false;
    hid_t type = layout_part_type();
    const bool good = layout_rows_write(dataset, type, row_of(times), 1, part);
    H5Tclose(type);
    return H5Dclose(dataset) >= 0 && good;
}

struct run_part *parts_list(hid_t file, int64_t times, int64_t *count)
{
    size_t rows = 0;
    hid_t type = layout_part_type();
    struct run_part *parts =
        contents_rows(file, LAYOUT_PARTS, type, sizeof(struct run_part), &rows);
    H5Tclose(type);
    *count = 0;
    while (parts && *count < (int64_t)rows && *count <= times && parts[*count].began_s > 0)
        ++*count;
    return parts;
}

bool parts_get(hid_t file, int64_t times, struct run_part *part)
{
    int64_t count = 0;
    struct run_part *parts = parts_list(file, times, &count);
    const bool there = row_of(times) < count;
    *part = there ? parts[row_of(times)] : (struct run_part){.began_s = 0};
    free(parts);
    return there;
}

double parts_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

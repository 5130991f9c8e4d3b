#include "spmd/output/losses_file.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "spmd/layout/contents.h"
#include "spmd/layout/layout.h"

/* A run may be resumed with more workers than it began with: there is room for so many more, and
 * for twice as many. */
enum { WORKERS_MORE = 64 };

static hid_t in_flight_type(void)
{
    hid_t type = H5Tcreate(H5T_COMPOUND, sizeof(struct losses_in_flight));
    H5Tinsert(type, "first", offsetof(struct losses_in_flight, first), H5T_NATIVE_INT64);
    H5Tinsert(type, "tasks", offsetof(struct losses_in_flight, count), H5T_NATIVE_INT64);
    H5Tinsert(type, "signal", offsetof(struct losses_in_flight, signal), H5T_NATIVE_INT32);
    H5Tinsert(type, "asked", offsetof(struct losses_in_flight, asked), H5T_NATIVE_INT32);
    return type;
}

static hid_t row_type(void)
{
    hid_t type = H5Tcreate(H5T_COMPOUND, sizeof(struct losses_row));
    H5Tinsert(type, "first", offsetof(struct losses_row, first), H5T_NATIVE_INT64);
    H5Tinsert(type, "tasks", offsetof(struct losses_row, count), H5T_NATIVE_INT64);
    H5Tinsert(type, "losses", offsetof(struct losses_row, losses), H5T_NATIVE_INT32);
    H5Tinsert(type, "signal", offsetof(struct losses_row, signal), H5T_NATIVE_INT32);
    H5Tinsert(type, "given_up", offsetof(struct losses_row, given_up), H5T_NATIVE_INT32);
    return type;
}

/* Fills the table with zeros and allocates it now; returns its address, or negative. Closes the
 * type. */
static int64_t table_create(hid_t file, const char *name, hid_t type, hsize_t rows)
{
    hid_t space = H5Screate_simple(1, &rows, NULL), creation = H5Pcreate(H5P_DATASET_CREATE);
    H5Pset_alloc_time(creation, H5D_ALLOC_TIME_EARLY);
    H5Pset_fill_time(creation, H5D_FILL_TIME_ALLOC);
    hid_t dataset = H5Dcreate2(file, name, type, space, H5P_DEFAULT, creation, H5P_DEFAULT);
    const haddr_t place = dataset >= 0 ? H5Dget_offset(dataset) : HADDR_UNDEF;
    if (dataset >= 0)
        H5Dclose(dataset);
    H5Pclose(creation);
    H5Sclose(space);
    H5Tclose(type);
    return place != HADDR_UNDEF ? (int64_t)place : -1;
}

bool losses_create(hid_t file, int workers, struct output_places *places)
{
    places->in_flight_rows = 1 + 2 * (int64_t)workers + WORKERS_MORE;
    places->in_flight =
        table_create(file, LAYOUT_IN_FLIGHT, in_flight_type(), (hsize_t)places->in_flight_rows);
    places->lost = table_create(file, LAYOUT_LOST_TASKS, row_type(), LOSSES_MOST);
    return places->in_flight > 0 && places->lost > 0;
}

void losses_find(hid_t file, struct output_places *places)
{
    int64_t rows = 0, most = 0;
    places->in_flight = contents_place(file, LAYOUT_IN_FLIGHT, 1, &rows);
    places->lost = contents_place(file, LAYOUT_LOST_TASKS, 1, &most);
    places->in_flight_rows = rows;
    if (places->in_flight <= 0 || places->lost <= 0 || most != LOSSES_MOST)
        places->in_flight = places->in_flight_rows = places->lost = 0;
}

struct losses_row *losses_list(hid_t file, int64_t more, int64_t *count)
{
    size_t there = 0;
    hid_t type = row_type();
    struct losses_row *all = contents_rows(file, LAYOUT_LOST_TASKS, type, sizeof *all, &there);
    struct losses_row *rows = all ? calloc(there + (size_t)more + 1, sizeof *rows) : NULL;
    H5Tclose(type);
    *count = 0;
    for (size_t k = 0; rows && k < there; k++)
        if (all[k].count > 0) /* with several masters there are gaps */
            rows[(*count)++] = all[k];
    free(all);
    return rows;
}

struct losses_in_flight *losses_in_flight_list(hid_t file, int64_t *count)
{
    size_t there = 0;
    hid_t type = in_flight_type();
    struct losses_in_flight *rows =
        contents_rows(file, LAYOUT_IN_FLIGHT, type, sizeof *rows, &there);
    H5Tclose(type);
    *count = rows ? (int64_t)there : 0;
    return rows;
}

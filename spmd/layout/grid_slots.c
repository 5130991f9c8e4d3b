#include "spmd/layout/grid_slots.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "spmd/layout/contents.h"
#include "spmd/layout/entries.h"
#include "spmd/layout/layout.h"
#include "spmd/layout/task_digest.h"

/* A row as it is in the file. */
struct row {
    int64_t iterations;
    double change;
    uint64_t digest, check; /* check: digest of the other members, as a write may be cut off */
};

enum { NAME_SIZE = 64 };

/* Shape of the parts of a grid that HDF5 stores together. */
enum { CHUNK_ROWS = 512, CHUNK_COLUMNS = 128 };

static hid_t row_type(void)
{
    const hid_t type = H5Tcreate(H5T_COMPOUND, sizeof(struct row));
    H5Tinsert(type, "iterations", offsetof(struct row, iterations), H5T_NATIVE_INT64);
    H5Tinsert(type, "change", offsetof(struct row, change), H5T_NATIVE_DOUBLE);
    H5Tinsert(type, "digest", offsetof(struct row, digest), H5T_NATIVE_UINT64);
    H5Tinsert(type, "check", offsetof(struct row, check), H5T_NATIVE_UINT64);
    return type;
}

static uint64_t row_check(const struct row *row)
{
    uint64_t check = task_digest_begin(row->iterations, 1);
    check = task_digest_add(check, &row->change, sizeof row->change);
    return task_digest_add(check, &row->digest, sizeof row->digest);
}

static void slot_name(char name[NAME_SIZE], int slot, const char *what)
{
    snprintf(name, NAME_SIZE, "%s%d%s%s", LAYOUT_SLOT, slot, what ? "/" : "", what ? what : "");
}

/* ---- making -------------------------------------------------------------------------------- */

static bool grid_create(hid_t file, const char *name, int64_t rows, int64_t columns)
{
    const hsize_t shape[] = {(hsize_t)rows, (hsize_t)columns};
    const hsize_t chunk[] = {shape[0] < CHUNK_ROWS ? shape[0] : CHUNK_ROWS,
                             shape[1] < CHUNK_COLUMNS ? shape[1] : CHUNK_COLUMNS};
    const hid_t space = H5Screate_simple(2, shape, NULL), creation = H5Pcreate(H5P_DATASET_CREATE);
    H5Pset_chunk(creation, 2, chunk);
    H5Pset_alloc_time(creation, H5D_ALLOC_TIME_EARLY);
    H5Pset_fill_time(creation, H5D_FILL_TIME_NEVER);
    H5Pset_obj_track_times(creation, false);
    const hid_t grid =
        H5Dcreate2(file, name, H5T_IEEE_F64LE, space, H5P_DEFAULT, creation, H5P_DEFAULT);
    H5Pclose(creation);
    H5Sclose(space);
    return grid >= 0 && H5Dclose(grid) >= 0;
}

static bool text_create(hid_t file, const char *name, size_t most)
{
    const hid_t type = layout_text_type(most);
    const hid_t text = entry_rows(file, name, type, 0, NULL, true);
    H5Tclose(type);
    return text >= 0 && H5Dclose(text) >= 0;
}

static bool slot_create(hid_t file, int slot, int64_t rows, int64_t columns, size_t text_most)
{
    char group[NAME_SIZE], grid[NAME_SIZE], measured[NAME_SIZE];
    slot_name(group, slot, NULL);
    slot_name(grid, slot, LAYOUT_SLOT_GRID);
    slot_name(measured, slot, LAYOUT_SLOT_MEASURED);
    const hid_t made = H5Gcreate2(file, group, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    return made >= 0 && H5Gclose(made) >= 0 && grid_create(file, grid, rows, columns) &&
           text_create(file, measured, text_most);
}

bool grid_slots_create(hid_t file, int64_t rows, int64_t columns, size_t text_most)
{
    static const struct kept_grid none = {.iterations = 0};
    const hsize_t places = GRID_SLOTS;
    const hid_t type = row_type(), kept = entry_rows(file, LAYOUT_KEPT, type, 1, &places, true);
    bool good = kept >= 0 && H5Dclose(kept) >= 0;
    H5Tclose(type);
    for (int slot = 0; good && slot < GRID_SLOTS; slot++)
        good = slot_create(file, slot, rows, columns, text_most);
    return good && grid_slot_show(file, 0, &none);
}

/* ---- what is there ------------------------------------------------------------------------- */

/* Reads a file of an older version: one slot, without a row. */
static bool old_read(hid_t file, struct grid_slots *slots)
{
    struct kept_grid *kept = &slots->kept[0];
    slots->old = true;
    return H5Lexists(file, LAYOUT_GRID, H5P_DEFAULT) > 0 &&
           contents_number(file, LAYOUT_ITERATIONS, H5T_NATIVE_INT64, &kept->iterations) &&
           contents_number(file, LAYOUT_CHANGE, H5T_NATIVE_DOUBLE, &kept->change);
}

bool grid_slots_read(hid_t file, struct grid_slots *slots)
{
    *slots = (struct grid_slots){.old = false};
    if (H5Lexists(file, LAYOUT_RUN, H5P_DEFAULT) <= 0 ||
        H5Lexists(file, LAYOUT_KEPT, H5P_DEFAULT) <= 0)
        return old_read(file, slots);
    size_t count = 0;
    const hid_t type = row_type();
    struct row *rows = contents_rows(file, LAYOUT_KEPT, type, sizeof *rows, &count);
    for (size_t k = 0; rows && count == GRID_SLOTS && k < count; k++)
        if (rows[k].iterations > 0 && row_check(&rows[k]) == rows[k].check)
            slots->kept[k] = (struct kept_grid){rows[k].iterations, rows[k].change, rows[k].digest};
    H5Tclose(type);
    free(rows);
    return rows && count == GRID_SLOTS;
}

int grid_slots_newest(const struct grid_slots *slots)
{
    int newest = -1;
    for (int slot = 0; slot < GRID_SLOTS; slot++)
        if (slots->kept[slot].iterations > (newest < 0 ? 0 : slots->kept[newest].iterations))
            newest = slot;
    return newest;
}

hid_t grid_slot_open(hid_t file, const struct grid_slots *slots, int slot)
{
    char name[NAME_SIZE];
    slot_name(name, slot, LAYOUT_SLOT_GRID);
    return H5Dopen2(file, slots->old ? LAYOUT_GRID : name, H5P_DEFAULT);
}

char *grid_slot_measured(hid_t file, const struct grid_slots *slots, int slot)
{
    char name[NAME_SIZE];
    slot_name(name, slot, LAYOUT_SLOT_MEASURED);
    return contents_text(file, slots->old ? LAYOUT_MEASURED : name);
}

/* ---- keeping ------------------------------------------------------------------------------- */

bool grid_slot_measure(hid_t file, int slot, const char *measured)
{
    char name[NAME_SIZE];
    slot_name(name, slot, LAYOUT_SLOT_MEASURED);
    const hid_t text = H5Dopen2(file, name, H5P_DEFAULT);
    if (text < 0)
        return false;
    const hid_t type = H5Dget_type(text);
    const size_t room = H5Tget_size(type), length = strlen(measured);
    char *padded = length <= room ? calloc(room, 1) : NULL;
    if (padded)
        memcpy(padded, measured, length);
    const bool good = padded && H5Dwrite(text, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, padded) >= 0;
    free(padded);
    H5Tclose(type);
    return H5Dclose(text) >= 0 && good;
}

bool grid_slot_keep(hid_t file, int slot, const struct kept_grid *kept)
{
    struct row row = {kept->iterations, kept->change, kept->digest, 0};
    row.check = row_check(&row);
    const hid_t rows = H5Dopen2(file, LAYOUT_KEPT, H5P_DEFAULT);
    if (rows < 0)
        return false;
    const hid_t type = row_type();
    const bool good = layout_rows_write(rows, type, slot, 1, &row);
    H5Tclose(type);
    return H5Dclose(rows) >= 0 && good;
}

/* Gives the same data set another name. */
static bool name_give(hid_t file, const char *other, int slot, const char *what)
{
    char name[NAME_SIZE];
    slot_name(name, slot, what);
    return (H5Lexists(file, other, H5P_DEFAULT) <= 0 || H5Ldelete(file, other, H5P_DEFAULT) >= 0) &&
           H5Lcreate_hard(file, name, file, other, H5P_DEFAULT, H5P_DEFAULT) >= 0;
}

bool grid_slot_show(hid_t file, int slot, const struct kept_grid *kept)
{
    return name_give(file, LAYOUT_GRID, slot, LAYOUT_SLOT_GRID) &&
           name_give(file, LAYOUT_MEASURED, slot, LAYOUT_SLOT_MEASURED) &&
           entry_number(file, LAYOUT_ITERATIONS, H5T_NATIVE_INT64, &kept->iterations) &&
           entry_number(file, LAYOUT_CHANGE, H5T_NATIVE_DOUBLE, &kept->change);
}

/* ---- columns ------------------------------------------------------------------------------- */

static bool turned_room(struct grid_turned *turned, int64_t count)
{
    if (count <= turned->count)
        return true;
    double *room = realloc(turned->cells, (size_t)count * sizeof *room);
    if (room)
        *turned = (struct grid_turned){room, count};
    return room != NULL;
}

/* Writes rows in memory to the columns' place in the data set, or reads them from there. */
static bool rows_pass(hid_t grid, const struct grid_columns *columns, double *cells, bool out)
{
    const hsize_t start[] = {0, (hsize_t)columns->first};
    const hsize_t shape[] = {(hsize_t)columns->rows, (hsize_t)columns->count};
    const hid_t space = H5Dget_space(grid), memory = H5Screate_simple(2, shape, NULL);
    bool good = H5Sselect_hyperslab(space, H5S_SELECT_SET, start, NULL, shape, NULL) >= 0;
    if (good && out)
        good = H5Dwrite(grid, H5T_NATIVE_DOUBLE, memory, space, H5P_DEFAULT, cells) >= 0;
    else if (good)
        good = H5Dread(grid, H5T_NATIVE_DOUBLE, memory, space, H5P_DEFAULT, cells) >= 0;
    H5Sclose(memory);
    H5Sclose(space);
    return good;
}

bool grid_columns_write(hid_t grid, const struct grid_columns *columns, const double *cells,
                        struct grid_turned *turned, bool *memory)
{
    *memory = !turned_room(turned, columns->rows * columns->count);
    if (*memory)
        return false;
    for (int64_t row = 0; row < columns->rows; row++)
        for (int64_t column = 0; column < columns->count; column++)
            turned->cells[row * columns->count + column] = cells[column * columns->stride + row];
    return rows_pass(grid, columns, turned->cells, true);
}

bool grid_columns_read(hid_t grid, const struct grid_columns *columns, double *cells,
                       struct grid_turned *turned, bool *memory)
{
    *memory = !turned_room(turned, columns->rows * columns->count);
    if (*memory || !rows_pass(grid, columns, turned->cells, false))
        return false;
    for (int64_t row = 0; row < columns->rows; row++)
        for (int64_t column = 0; column < columns->count; column++)
            cells[column * columns->stride + row] = turned->cells[row * columns->count + column];
    return true;
}

uint64_t grid_columns_digest(const struct grid_columns *columns, const double *cells)
{
    uint64_t sum = 0;
    for (int64_t k = 0; k < columns->count; k++)
        sum += task_digest_add(task_digest_begin(columns->first + k, 1),
                               cells + k * columns->stride, (size_t)columns->rows * sizeof(double));
    return sum;
}

int64_t grid_piece(int64_t rows)
{
    static const int64_t numbers = 1 << 21;
    return rows < numbers ? numbers / rows : 1;
}

/* ---- comparing ----------------------------------------------------------------------------- */

static bool shape_fits(hid_t grid, const int64_t shape[2])
{
    hsize_t found[2] = {0, 0};
    const hid_t space = H5Dget_space(grid);
    const bool fits = H5Sget_simple_extent_ndims(space) == 2 &&
                      H5Sget_simple_extent_dims(space, found, NULL) == 2 &&
                      found[0] == (hsize_t)shape[0] && found[1] == (hsize_t)shape[1];
    H5Sclose(space);
    return fits;
}

/* False: it cannot be read. */
static bool digest_find(hid_t grid, const int64_t shape[2], double *piece, struct grid_look look,
                        uint64_t *digest, bool *memory)
{
    struct grid_turned turned = {NULL, 0};
    const int64_t most = grid_piece(shape[0]);
    bool good = true;
    *digest = 0;
    for (int64_t at = 0; good && at < shape[1]; at += most) {
        const int64_t left = shape[1] - at;
        const struct grid_columns part = {shape[0], at, left < most ? left : most, shape[0]};
        if (look.call)
            look.call(look.self);
        good = grid_columns_read(grid, &part, piece, &turned, memory);
        if (good)
            *digest += grid_columns_digest(&part, piece);
    }
    free(turned.cells);
    return good;
}

bool grid_slot_holds(hid_t file, const struct grid_slots *slots, int slot, const int64_t shape[2],
                     struct grid_look look, bool *memory)
{
    const hid_t grid = grid_slot_open(file, slots, slot);
    uint64_t digest = 0;
    *memory = false;
    if (grid < 0)
        return false;
    bool good = shape_fits(grid, shape);
    double *piece = good ? malloc((size_t)(grid_piece(shape[0]) * shape[0]) * sizeof *piece) : NULL;
    *memory = good && !piece;
    good = piece && digest_find(grid, shape, piece, look, &digest, memory);
    free(piece);
    H5Dclose(grid);
    return good && (slots->old || digest == slots->kept[slot].digest);
}

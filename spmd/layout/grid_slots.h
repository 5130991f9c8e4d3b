/*
 * The grids that a run of strips keeps. The file has two places for a grid, which are written in
 * turn, each with what had been measured until then, and a row that says which grid is there. The
 * row is written when all else is on the disk: whenever a run is killed, one of the places has a
 * whole grid, if any was kept. Everything has its place from the start, so that nothing but data is
 * written while the run goes on. /grid and /run/measured are other names of what is in one of the
 * places: the last one, where the run has ended.
 *
 * A grid's digest is the sum of those of its columns, so that it does not depend on the pieces in
 * which it is written. Against accidents, as task_digest.h. Serial.
 */
#ifndef SPMD_LAYOUT_GRID_SLOTS_H
#define SPMD_LAYOUT_GRID_SLOTS_H

#include <hdf5.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { GRID_SLOTS = 2 };

struct kept_grid {
    int64_t iterations; /* that it is of; 0: there is none */
    double change;      /* the greatest of a cell in the last one */
    uint64_t digest;
};

struct grid_slots {
    bool old; /* of an older version: one place, and no digest */
    struct kept_grid kept[GRID_SLOTS];
};

/* Two empty places, for grids of that shape and texts of so many bytes at most. */
bool grid_slots_create(hid_t file, int64_t rows, int64_t columns, size_t text_most);
/* What is there, as far as it is written whole. False: it is no such file. */
bool grid_slots_read(hid_t file, struct grid_slots *slots);
/* The place of the grid of most iterations; negative: none is kept. */
int grid_slots_newest(const struct grid_slots *slots);

/* The data set of a place, to be closed; negative: it cannot be opened. */
hid_t grid_slot_open(hid_t file, const struct grid_slots *slots, int slot);
/* Owned; NULL: there is none. */
char *grid_slot_measured(hid_t file, const struct grid_slots *slots, int slot);
/* The text of a place. False: it is too long, or cannot be written. */
bool grid_slot_measure(hid_t file, int slot, const char *measured);
/* What is in that place from now on; to be called when that is on the disk. */
bool grid_slot_keep(hid_t file, int slot, const struct kept_grid *kept);
/* Let /grid and /run/measured be those of that place, and say of which iterations they are. */
bool grid_slot_show(hid_t file, int slot, const struct kept_grid *kept);

/* Columns [first, first + count) of a grid of so many rows, `stride` numbers behind each other. */
struct grid_columns {
    int64_t rows, first, count, stride;
};

/* Room for turning columns into rows. All zero: none yet; to be freed. */
struct grid_turned {
    double *cells; /* owned */
    int64_t count;
};

/* To the data set, or from it. False with *memory set: out of memory; otherwise HDF5 could not. */
bool grid_columns_write(hid_t grid, const struct grid_columns *columns, const double *cells,
                        struct grid_turned *turned, bool *memory);
bool grid_columns_read(hid_t grid, const struct grid_columns *columns, double *cells,
                       struct grid_turned *turned, bool *memory);
/* Their part of a grid's digest. */
uint64_t grid_columns_digest(const struct grid_columns *columns, const double *cells);
/* Columns of one piece of a grid of so many rows: what there is room for in memory. */
int64_t grid_piece(int64_t rows);

/* Called now and then; NULL: nothing is. */
struct grid_look {
    void (*call)(const void *self);
    const void *self;
};

/* Is that place's grid of this shape, and what was written? Without a digest: is it of this shape
 * and readable? False with *memory set: out of memory. */
bool grid_slot_holds(hid_t file, const struct grid_slots *slots, int slot, const int64_t shape[2],
                     struct grid_look look, bool *memory);

#endif

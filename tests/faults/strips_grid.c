#include "tests/faults/strips_grid.h"

#include <fcntl.h>
#include <hdf5.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "planner/files/strips_json.h"
#include "spmd/layout/grid_slots.h"
#include "spmd/strips/grid_file.h"
#include "tests/faults/world.h"

struct grid_kept grid_kept;

static struct {
    const struct strips_plan *plan;
    double draft[COLUMNS_MOST][ROWS_MOST], memory[COLUMNS_MOST][ROWS_MOST];
    bool filled[COLUMNS_MOST];
    bool in_file;
    char folder[64], path[96], left[96]; /* left: the file as a killed master leaves it */
    struct comm comm;
    struct grid_file *file; /* owned; NULL: no file is open */
    int64_t before;         /* iterations of the grid kept besides the last one; 0: none */
    bool killed;
} self;

/* ---- outside of ranks ------------------------------------------------------------------------ */

/* The file's memory belongs to no rank, because ranks may be killed. */
static struct rank *outside_enter(void)
{
    struct rank *rank = world.current;
    world.current = NULL;
    return rank;
}

static bool outside_leave(struct rank *rank, bool good)
{
    world.current = rank;
    return good;
}

/* Between two steps of the master it may be killed. */
static void moment(void)
{
    world_sleep(1e-5 * dice_between(&world.dice, 0, 1), false);
}

/* ---- what the master calls ------------------------------------------------------------------- */

static bool grid_begin(void *none, struct failure *failure)
{
    (void)none;
    memset(self.filled, 0, sizeof self.filled);
    self.before = 0; /* its slot is written next */
    if (!self.in_file)
        return true;
    struct rank *rank = outside_enter();
    const struct strips_grid grid = grid_file_grid(self.file);
    return outside_leave(rank, grid.begin(grid.self, failure));
}

static bool columns_keep(int64_t first, int64_t count, const double *columns, int64_t stride,
                         struct failure *failure)
{
    if (self.in_file) {
        struct rank *rank = outside_enter();
        const struct strips_grid grid = grid_file_grid(self.file);
        return outside_leave(rank, grid.put(grid.self, first, count, columns, stride, failure));
    }
    for (int64_t k = 0; k < count; k++)
        memcpy(self.draft[first + k], columns + k * stride,
               (size_t)self.plan->job.rows * sizeof(double));
    return true;
}

static bool grid_put(void *none, int64_t first, int64_t count, const double *columns,
                     int64_t stride, struct failure *failure)
{
    (void)none;
    if (dice_hit(&world.dice, grid_kept.failing)) {
        grid_kept.failures++;
        return failure_set(failure, FAILURE_FAILED, "the disk is full");
    }
    for (int64_t k = first; k < first + count; k++) {
        if (self.filled[k])
            world_wrong("column %" PRId64 " comes twice", k);
        self.filled[k] = true;
    }
    moment();
    return columns_keep(first, count, columns, stride, failure);
}

static bool draft_keep(const struct strips_outcome *outcome, struct failure *failure)
{
    if (self.in_file) {
        struct rank *rank = outside_enter();
        const struct strips_grid grid = grid_file_grid(self.file);
        return outside_leave(rank, grid.end(grid.self, outcome, failure));
    }
    memcpy(self.memory, self.draft, sizeof self.memory);
    return true;
}

static bool grid_end(void *none, const struct strips_outcome *outcome, struct failure *failure)
{
    (void)none;
    for (int64_t k = 0; k < self.plan->job.columns; k++)
        if (!self.filled[k])
            world_wrong("column %" PRId64 " is missing", k);
    moment();
    if (!draft_keep(outcome, failure))
        return false;
    self.before = grid_kept.iterations;
    grid_kept.iterations = outcome->iterations;
    grid_kept.complete = outcome->complete;
    return true;
}

static bool columns_get(int64_t first, int64_t count, double *columns, int64_t stride,
                        struct failure *failure)
{
    if (self.in_file) {
        struct rank *rank = outside_enter();
        const struct strips_grid grid = grid_file_grid(self.file);
        return outside_leave(rank, grid.get(grid.self, first, count, columns, stride, failure));
    }
    for (int64_t k = 0; k < count; k++)
        memcpy(columns + k * stride, self.memory[first + k],
               (size_t)self.plan->job.rows * sizeof(double));
    return true;
}

static bool grid_get(void *none, int64_t first, int64_t count, double *columns, int64_t stride,
                     struct failure *failure)
{
    (void)none;
    return columns_get(first, count, columns, stride, failure);
}

const struct strips_grid simulated_grid = {grid_begin, grid_put, grid_end, grid_get, NULL};

/* ---- the file -------------------------------------------------------------------------------- */

/* Does not wait for a disk: power is never lost here. */
int __wrap_fsync(int file);
int __wrap_fsync(int file)
{
    (void)file;
    return 0;
}

static void bytes_copy(const char *from, const char *to)
{
    char bytes[4096];
    const int in = open(from, O_RDONLY | O_CLOEXEC);
    const int out = open(to, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    ssize_t got;
    while ((got = read(in, bytes, sizeof bytes)) > 0)
        if (write(out, bytes, (size_t)got) != got)
            world_wrong("%s cannot be written", to);
    if (got < 0)
        world_wrong("%s cannot be read", from);
    close(in);
    close(out);
}

/* The master is killed: what it has written is there, and what HDF5 still holds is not. */
void disk_rank_gone(int rank)
{
    if (rank != 0 || !self.file || world.rank[0].state != RANK_KILLED || self.killed)
        return;
    self.killed = true;
    bytes_copy(self.path, self.left);
}

void disk_piece_write(int rank, void *piece)
{
    (void)rank, (void)piece;
}

/* Damages a cell of the grid with so many iterations. */
static void grid_damage(int64_t iterations)
{
    const hsize_t at[] = {0, 0}, one[] = {1, 1};
    const double other = 0.375;
    struct grid_slots slots;
    const hid_t file = H5Fopen(self.path, H5F_ACC_RDWR, H5P_DEFAULT);
    if (file < 0 || !grid_slots_read(file, &slots)) {
        world_wrong("the file that is left cannot be read");
        return;
    }
    for (int slot = 0; slot < GRID_SLOTS; slot++) {
        if (slots.kept[slot].iterations != iterations)
            continue;
        const hid_t grid = grid_slot_open(file, &slots, slot);
        const hid_t space = H5Dget_space(grid), memory = H5Screate_simple(2, one, NULL);
        H5Sselect_hyperslab(space, H5S_SELECT_SET, at, NULL, one, NULL);
        H5Dwrite(grid, H5T_NATIVE_DOUBLE, memory, space, H5P_DEFAULT, &other);
        H5Sclose(memory);
        H5Sclose(space);
        H5Dclose(grid);
    }
    H5Fclose(file);
    world_say("the grid after %" PRId64 " iterations is damaged", iterations);
}

static void file_open(const struct strips_plan *plan, bool damaged)
{
    struct failure failure = FAILURE_INIT;
    struct grid_there there;
    char *text = strips_print(plan);
    const struct grid_file_setup setup = {
        .comm = &self.comm, .path = self.path, .plan = plan, .plan_text = text, .resume = true};
    const bool opened = grid_file_open(&setup, &self.file, &there, &failure);
    if (!opened)
        world_wrong("going on: %s", failure.text);
    else if (there.iterations != grid_kept.iterations || (there.damaged > 0) != damaged)
        world_wrong("there is the grid after %" PRId64 " iterations%s, and %" PRId64 " are kept%s",
                    there.iterations, there.damaged > 0 ? ", another is damaged" : "",
                    grid_kept.iterations, damaged ? ", behind them a damaged one" : "");
    free(text);
}

/* A resumed run then takes the grid before it. */
static bool damage_draw(void)
{
    if (self.before == 0 || !dice_hit(&world.dice, 0.8))
        return false;
    grid_damage(grid_kept.iterations);
    grid_kept.iterations = self.before;
    grid_kept.damaged++;
    return true;
}

/* ---- parts ----------------------------------------------------------------------------------- */

void grid_new(bool in_file)
{
    memset(&self, 0, sizeof self);
    memset(&grid_kept, 0, sizeof grid_kept);
    self.in_file = in_file;
    if (!in_file)
        return;
    strcpy(self.folder, "/tmp/scow-strips-XXXXXX");
    if (!mkdtemp(self.folder))
        world_wrong("no folder can be made in /tmp");
    snprintf(self.path, sizeof self.path, "%s/out.h5", self.folder);
    snprintf(self.left, sizeof self.left, "%s/left.h5", self.folder);
}

void grid_begin_part(const struct strips_plan *plan)
{
    self.plan = plan;
    self.killed = false;
    if (!self.in_file)
        return;
    const bool damaged = damage_draw();
    file_open(plan, damaged);
    self.before = 0; /* the file was made again, with only the grid to go on from */
}

static void cells_take(void)
{
    struct failure failure = FAILURE_INIT;
    if (!columns_get(0, self.plan->job.columns, grid_kept.cells[0], ROWS_MOST, &failure))
        world_wrong("the grid cannot be read: %s", failure.text);
}

void grid_end_part(bool sealed)
{
    struct failure failure = FAILURE_INIT;
    if (grid_kept.complete)
        cells_take();
    if (!self.file)
        return;
    if (sealed && !grid_file_seal(self.file, grid_kept.complete, &failure))
        world_wrong("%s", failure.text);
    grid_file_close(&self.file);
    if (self.killed && rename(self.left, self.path) != 0)
        world_wrong("%s cannot be renamed", self.left);
}

void grid_release(void)
{
    if (!self.in_file)
        return;
    unlink(self.path);
    unlink(self.left);
    if (rmdir(self.folder) != 0)
        world_wrong("files are left in %s", self.folder);
}

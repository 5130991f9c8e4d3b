#include "spmd/strips/grid_file.h"

#include <errno.h>
#include <fcntl.h>
#include <hdf5.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "planner/files/replace.h"
#include "planner/files/strips_json.h"
#include "spmd/layout/contents.h"
#include "spmd/layout/entries.h"
#include "spmd/layout/layout.h"

struct grid_file {
    struct grid_file_setup setup;
    char *draft;    /* owned; what is being written */
    hid_t file;     /* of the draft, or of what is read; negative: none */
    hid_t grid;     /* its data set; likewise */
    bool writing;   /* there is a draft */
    double *turned; /* owned; columns as rows */
    int64_t room;   /* numbers of it */
};

/* Parts of the grid that HDF5 stores together: cells of neighbouring rows and columns. */
enum { CHUNK_ROWS = 512, CHUNK_COLUMNS = 128 };

/* ---- HDF5 ---------------------------------------------------------------------------------- */

static void closed(struct grid_file *file)
{
    if (file->grid >= 0)
        H5Dclose(file->grid);
    if (file->file >= 0)
        H5Fclose(file->file);
    file->grid = file->file = -1;
}

static hid_t grid_create(hid_t file, const struct strips_job *job)
{
    const hsize_t shape[] = {(hsize_t)job->rows, (hsize_t)job->columns};
    const hsize_t chunk[] = {shape[0] < CHUNK_ROWS ? shape[0] : CHUNK_ROWS,
                             shape[1] < CHUNK_COLUMNS ? shape[1] : CHUNK_COLUMNS};
    const hid_t space = H5Screate_simple(2, shape, NULL), creation = H5Pcreate(H5P_DATASET_CREATE);
    H5Pset_chunk(creation, 2, chunk);
    const hid_t grid =
        H5Dcreate2(file, LAYOUT_GRID, H5T_IEEE_F64LE, space, H5P_DEFAULT, creation, H5P_DEFAULT);
    H5Pclose(creation);
    H5Sclose(space);
    return grid;
}

/* HDF5 does not survive a disk that fills while it closes a file. */
static bool disk_has_room(const struct grid_file *file)
{
    static const double beside = 1e6;
    struct statvfs disk;
    const struct strips_job *job = &file->setup.plan->job;
    const double wanted = (double)job->rows * (double)job->columns * (double)sizeof(double);
    const int there = open(file->draft, O_CREAT | O_WRONLY, 0666);
    const bool known = there >= 0 && fstatvfs(there, &disk) == 0;
    if (there >= 0)
        close(there);
    return !known || (double)disk.f_bavail * (double)disk.f_frsize > 1.01 * wanted + beside;
}

static bool write_refuse(const struct grid_file *file, struct failure *failure)
{
    return failure_set(failure, FAILURE_FAILED,
                       "%s: cannot be written in full: free some space or write to another disk; "
                       "what was there is kept",
                       file->setup.path);
}

static bool grid_begin(void *self, struct failure *failure)
{
    struct grid_file *file = self;
    closed(file);
    if (!disk_has_room(file)) {
        unlink(file->draft);
        return write_refuse(file, failure);
    }
    file->writing = true;
    file->file = H5Fcreate(file->draft, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    file->grid = file->file >= 0 ? grid_create(file->file, &file->setup.plan->job) : -1;
    return file->grid >= 0 || write_refuse(file, failure);
}

/* Room for so many numbers; NULL with *failure set. */
static double *turned_room(struct grid_file *file, int64_t count, struct failure *failure)
{
    if (count > file->room) {
        double *room = realloc(file->turned, (size_t)count * sizeof *room);
        if (!room) {
            failure_memory(failure, "writing the grid");
            return NULL;
        }
        file->turned = room;
        file->room = count;
    }
    return file->turned;
}

/* Columns [first, first + count) of all rows: from or to rows in memory. */
static bool columns_pass(const struct grid_file *file, int64_t first, int64_t count, bool out)
{
    const hsize_t start[] = {0, (hsize_t)first};
    const hsize_t shape[] = {(hsize_t)file->setup.plan->job.rows, (hsize_t)count};
    const hid_t space = H5Dget_space(file->grid), memory = H5Screate_simple(2, shape, NULL);
    bool good = H5Sselect_hyperslab(space, H5S_SELECT_SET, start, NULL, shape, NULL) >= 0;
    if (good && out)
        good =
            H5Dwrite(file->grid, H5T_NATIVE_DOUBLE, memory, space, H5P_DEFAULT, file->turned) >= 0;
    else if (good)
        good =
            H5Dread(file->grid, H5T_NATIVE_DOUBLE, memory, space, H5P_DEFAULT, file->turned) >= 0;
    H5Sclose(memory);
    H5Sclose(space);
    return good;
}

static bool grid_put(void *self, int64_t first, int64_t count, const double *columns,
                     int64_t stride, struct failure *failure)
{
    struct grid_file *file = self;
    const int64_t rows = file->setup.plan->job.rows;
    double *turned = turned_room(file, rows * count, failure);
    if (!turned)
        return false;
    for (int64_t row = 0; row < rows; row++)
        for (int64_t column = 0; column < count; column++)
            turned[row * count + column] = columns[column * stride + row];
    return columns_pass(file, first, count, true) || write_refuse(file, failure);
}

static bool grid_get(void *self, int64_t first, int64_t count, double *columns, int64_t stride,
                     struct failure *failure)
{
    struct grid_file *file = self;
    const int64_t rows = file->setup.plan->job.rows;
    const double *turned = turned_room(file, rows * count, failure);
    if (!turned)
        return false;
    if (!columns_pass(file, first, count, false))
        return failure_set(failure, FAILURE_FAILED,
                           "%s: its grid cannot be read: remove it, and the run begins anew",
                           file->setup.path);
    for (int64_t row = 0; row < rows; row++)
        for (int64_t column = 0; column < count; column++)
            columns[column * stride + row] = turned[row * count + column];
    return true;
}

static bool run_describe(const struct grid_file *file, const struct strips_outcome *outcome)
{
    const struct grid_file_setup *setup = &file->setup;
    const int32_t complete = outcome->complete;
    char *measured = strips_outcome_print(outcome);
    const hid_t run = H5Gcreate2(file->file, LAYOUT_RUN, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    const bool good =
        measured && run >= 0 && entry_words(file->file, LAYOUT_VERSION, SCOW_VERSION) &&
        entry_words(file->file, LAYOUT_KERNEL, setup->plan->kernel) &&
        (!setup->isa || entry_words(file->file, LAYOUT_ISA, setup->isa)) &&
        entry_number(file->file, LAYOUT_COMPLETE, H5T_NATIVE_INT32, &complete) &&
        entry_number(file->file, LAYOUT_ITERATIONS, H5T_NATIVE_INT64, &outcome->iterations) &&
        entry_number(file->file, LAYOUT_CHANGE, H5T_NATIVE_DOUBLE, &outcome->change) &&
        (!setup->command_line || entry_words(run, LAYOUT_COMMAND_LINE, setup->command_line)) &&
        entry_text(file->file, LAYOUT_PLAN, setup->plan_text) &&
        (!setup->profile_text || entry_text(file->file, LAYOUT_PROFILE, setup->profile_text)) &&
        entry_text(file->file, LAYOUT_MEASURED, measured);
    if (run >= 0)
        H5Gclose(run);
    free(measured);
    return good;
}

/* Its bytes are on the disk before the name is. */
static bool draft_publish(const struct grid_file *file, struct failure *failure)
{
    const int there = open(file->draft, O_RDONLY);
    bool good = there >= 0 && fsync(there) == 0;
    if (there >= 0)
        close(there);
    if (good && rename(file->draft, file->setup.path) == 0)
        return true;
    return failure_set(failure, FAILURE_FAILED, "%s: cannot be replaced: %s", file->setup.path,
                       strerror(errno));
}

static bool grid_end(void *self, const struct strips_outcome *outcome, struct failure *failure)
{
    struct grid_file *file = self;
    bool good = run_describe(file, outcome);
    good = H5Dclose(file->grid) >= 0 && good;
    good = H5Fclose(file->file) >= 0 && good;
    file->grid = file->file = -1;
    if (!good)
        return write_refuse(file, failure);
    good = draft_publish(file, failure);
    file->writing = !good;
    return good;
}

/* ---- going on ------------------------------------------------------------------------------ */

/* Is the grid that of this plan: as large, with the same values around it? */
static bool plan_check(const struct grid_file *file, const struct strips_plan *there,
                       struct failure *failure)
{
    const struct strips_plan *plan = file->setup.plan;
    if (there->job.rows == plan->job.rows && there->job.columns == plan->job.columns &&
        strcmp(there->kernel, plan->kernel) == 0 &&
        parameter_list_has(&there->parameters, &plan->parameters) &&
        parameter_list_has(&plan->parameters, &there->parameters))
        return true;
    return failure_set(failure, FAILURE_MISMATCH,
                       "%s: holds another grid, of %" PRId64 " rows and %" PRId64
                       " columns or with other values around it, than the plan's: name another "
                       "output",
                       file->setup.path, there->job.rows, there->job.columns);
}

static bool run_read(struct grid_file *file, struct grid_there *found, struct failure *failure)
{
    const char *path = file->setup.path;
    struct strips_plan there = {.kernel = NULL};
    int64_t shape[2] = {0, 0};
    char *text = contents_text(file->file, LAYOUT_PLAN);
    if (!text || !strips_is(text, strlen(text)) ||
        !contents_number(file->file, LAYOUT_ITERATIONS, H5T_NATIVE_INT64, &found->iterations) ||
        !contents_number(file->file, LAYOUT_CHANGE, H5T_NATIVE_DOUBLE, &found->change)) {
        free(text);
        return failure_set(failure, FAILURE_MISMATCH,
                           "%s: is no output of strips: name another output", path);
    }
    bool good = strips_parse(&there, text, strlen(text), path, failure);
    free(text);
    good = good && plan_check(file, &there, failure);
    if (good && (!contents_shape(file->file, LAYOUT_GRID, 2, shape) || shape[0] != there.job.rows ||
                 shape[1] != there.job.columns || found->iterations < 1))
        good = failure_set(failure, FAILURE_MISMATCH, "%s: its grid is not whole: remove it", path);
    strips_plan_release(&there);
    return good;
}

static bool there_open(struct grid_file *file, struct grid_there *there, struct failure *failure)
{
    file->file = H5Fopen(file->setup.path, H5F_ACC_RDONLY, H5P_DEFAULT);
    if (file->file < 0)
        return failure_set(failure, FAILURE_MISMATCH,
                           "%s: is no readable HDF5 file: name another output", file->setup.path);
    if (!run_read(file, there, failure))
        return false;
    file->grid = H5Dopen2(file->file, LAYOUT_GRID, H5P_DEFAULT);
    return file->grid >= 0 ||
           failure_set(failure, FAILURE_MISMATCH, "%s: its grid cannot be read: remove it",
                       file->setup.path);
}

bool grid_file_open(const struct grid_file_setup *setup, bool resume, struct grid_file **file,
                    struct grid_there *there, struct failure *failure)
{
    const size_t room = strlen(setup->path) + 8;
    struct grid_file *made = calloc(1, sizeof *made);
    char *draft = malloc(room);
    *there = (struct grid_there){0, 0};
    *file = NULL;
    if (!made || !draft) {
        free(made);
        free(draft);
        return failure_memory(failure, "preparing the output");
    }
    layout_quiet();
    snprintf(draft, room, "%s.new", setup->path);
    *made = (struct grid_file){.setup = *setup, .draft = draft, .file = -1, .grid = -1};
    *file = made;
    if (!replace_check(setup->path, failure))
        return false;
    if (access(setup->path, F_OK) != 0)
        return true;
    if (!resume)
        return failure_set(failure, FAILURE_MISMATCH,
                           "%s: exists already: choose another name or remove it first",
                           setup->path);
    return there_open(made, there, failure);
}

struct strips_grid grid_file_grid(struct grid_file *file)
{
    return (struct strips_grid){
        .begin = grid_begin, .put = grid_put, .end = grid_end, .get = grid_get, .self = file};
}

void grid_file_close(struct grid_file **file)
{
    if (!*file)
        return;
    closed(*file);
    if ((*file)->writing)
        unlink((*file)->draft);
    free((*file)->draft);
    free((*file)->turned);
    free(*file);
    *file = NULL;
}

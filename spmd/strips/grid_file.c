#include "spmd/strips/grid_file.h"

#include <errno.h>
#include <hdf5.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "planner/base/file_lock.h"
#include "planner/base/own.h"
#include "planner/files/strips_json.h"
#include "spmd/launch/output_lock.h"
#include "spmd/layout/contents.h"
#include "spmd/layout/entries.h"
#include "spmd/layout/grid_slots.h"
#include "spmd/layout/layout.h"
#include "spmd/strips/columns.h"

struct grid_file {
    struct grid_file_setup setup;
    char *draft;              /* owned; the name of the file until it is complete */
    hid_t file;               /* negative: none */
    hid_t grid;               /* the data set that is written, or read; negative: none */
    int lock;                 /* owned; negative: none */
    bool drafted, made;       /* there is a draft; it has its final name */
    bool written[GRID_SLOTS]; /* the slot's space on the disk is allocated */
    struct grid_slots slots;
    int slot;        /* the slot that is written */
    uint64_t digest; /* of what has been written to it */
    struct grid_turned turned;
};

/* The most bytes of text about a run, and about each strip or each rank that may be lost. */
enum { MEASURED_BYTES = 2000, MEASURED_STRIP_BYTES = 600 };

static void grid_close(struct grid_file *file)
{
    if (file->grid >= 0)
        H5Dclose(file->grid);
    file->grid = -1;
}

static bool write_refuse(const struct grid_file *file, struct failure *failure)
{
    return failure_set(failure, FAILURE_FAILED,
                       "%s: cannot be written in full: free some space or write to another disk; "
                       "what was there is kept",
                       file->setup.path);
}

static double grid_bytes(const struct grid_file *file)
{
    const struct strips_job *job = &file->setup.plan->job;
    return (double)job->rows * (double)job->columns * (double)sizeof(double);
}

/* HDF5 crashes if a disk fills while it closes a file: there must be space. */
static bool disk_has_room(const struct grid_file *file, double grids)
{
    static const double beside = 1e6;
    struct statvfs disk;
    return fstatvfs(file->lock, &disk) != 0 ||
           (double)disk.f_bavail * (double)disk.f_frsize > 1.01 * grids * grid_bytes(file) + beside;
}

/* Flushes to the disk. */
static bool flush(const struct grid_file *file)
{
    return H5Fflush(file->file, H5F_SCOPE_GLOBAL) >= 0 && fsync(file->lock) == 0;
}

/* ---- writing and reading grids --------------------------------------------------------------- */

static bool grid_begin(void *self, struct failure *failure)
{
    struct grid_file *file = self;
    const int newest = grid_slots_newest(&file->slots);
    grid_close(file);
    file->slot = newest < 0 ? 0 : (newest + 1) % GRID_SLOTS;
    if (!file->written[file->slot] && !disk_has_room(file, 1))
        return write_refuse(file, failure);
    file->digest = 0;
    file->slots.kept[file->slot].iterations = 0;
    file->grid = grid_slot_open(file->file, &file->slots, file->slot);
    return (file->grid >= 0 &&
            grid_slot_keep(file->file, file->slot, &file->slots.kept[file->slot])) ||
           write_refuse(file, failure);
}

static bool grid_put(void *self, int64_t first, int64_t count, const double *columns,
                     int64_t stride, struct failure *failure)
{
    struct grid_file *file = self;
    const struct grid_columns part = {file->setup.plan->job.rows, first, count, stride};
    bool memory = false;
    file->digest += grid_columns_digest(&part, columns);
    if (grid_columns_write(file->grid, &part, columns, &file->turned, &memory))
        return true;
    return memory ? failure_memory(failure, "writing the grid") : write_refuse(file, failure);
}

static bool grid_end(void *self, const struct strips_outcome *outcome, struct failure *failure)
{
    struct grid_file *file = self;
    const struct kept_grid kept = {outcome->iterations, outcome->change, file->digest};
    char *measured = strips_outcome_print(outcome);
    bool good = measured && grid_slot_measure(file->file, file->slot, measured);
    grid_close(file);
    good = good && flush(file) && grid_slot_keep(file->file, file->slot, &kept) && flush(file);
    free(measured);
    if (!good)
        return write_refuse(file, failure);
    file->written[file->slot] = true;
    file->slots.kept[file->slot] = kept;
    return true;
}

static bool read_refuse(const struct grid_file *file, struct failure *failure)
{
    return failure_set(failure, FAILURE_FAILED,
                       "%s: its grid cannot be read: remove it, and the run begins anew",
                       file->setup.path);
}

static bool grid_get(void *self, int64_t first, int64_t count, double *columns, int64_t stride,
                     struct failure *failure)
{
    struct grid_file *file = self;
    const struct grid_columns part = {file->setup.plan->job.rows, first, count, stride};
    bool memory = false;
    grid_close(file);
    file->grid = grid_slot_open(file->file, &file->slots, grid_slots_newest(&file->slots));
    if (file->grid >= 0 && grid_columns_read(file->grid, &part, columns, &file->turned, &memory))
        return true;
    return memory ? failure_memory(failure, "reading the grid") : read_refuse(file, failure);
}

/* ---- making the file ------------------------------------------------------------------------- */

static bool describe(const struct grid_file *file)
{
    const struct grid_file_setup *setup = &file->setup;
    const struct strips_job *job = &setup->plan->job;
    const int32_t running = 0;
    const size_t strips = setup->plan->strip_count, ranks = (size_t)setup->comm->size;
    const size_t most = MEASURED_BYTES + MEASURED_STRIP_BYTES * (ranks > strips ? ranks : strips);
    const hid_t run = H5Gcreate2(file->file, LAYOUT_RUN, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    const bool good =
        run >= 0 && entry_words(file->file, LAYOUT_VERSION, SCOW_VERSION) &&
        entry_words(file->file, LAYOUT_KERNEL, setup->plan->kernel) &&
        (!setup->isa || entry_words(file->file, LAYOUT_ISA, setup->isa)) &&
        entry_number(file->file, LAYOUT_COMPLETE, H5T_NATIVE_INT32, &running) &&
        (!setup->command_line || entry_words(run, LAYOUT_COMMAND_LINE, setup->command_line)) &&
        entry_text(file->file, LAYOUT_PLAN, setup->plan_text) &&
        (!setup->profile_text || entry_text(file->file, LAYOUT_PROFILE, setup->profile_text)) &&
        grid_slots_create(file->file, job->rows, job->columns, most);
    if (run >= 0)
        H5Gclose(run);
    return good;
}

/* The draft is locked by this run from now on. */
static bool draft_begin(struct grid_file *file, struct failure *failure)
{
    const int draft = own_open_or_make(file->draft);
    if (draft < 0)
        return failure_set(failure, FAILURE_FAILED,
                           "%s: cannot be created: %s: choose a directory that you can write to",
                           file->setup.path, strerror(errno));
    close(draft);
    const int before = file->lock;
    file->lock = file_lock_first(file->draft, failure);
    if (before >= 0)
        close(before);
    file->drafted = file->lock >= 0;
    return file->drafted;
}

static bool draft_make(struct grid_file *file, double grids, struct failure *failure)
{
    if (!draft_begin(file, failure))
        return false;
    if (!disk_has_room(file, grids))
        return write_refuse(file, failure);
    file->slots = (struct grid_slots){.old = false};
    file->file = H5Fcreate(file->draft, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    return (file->file >= 0 && describe(file)) || write_refuse(file, failure);
}

/* The file's bytes are on the disk before its name is. */
static bool draft_publish(struct grid_file *file, struct failure *failure)
{
    if (!flush(file))
        return write_refuse(file, failure);
    if (rename(file->draft, file->setup.path) != 0)
        return failure_set(failure, FAILURE_FAILED,
                           "%s: cannot be created: %s: choose a directory that you can write to",
                           file->setup.path, strerror(errno));
    file->drafted = false;
    file->made = true;
    return true;
}

/* ---- going on ------------------------------------------------------------------------------ */

/* The file that exists already. */
struct former {
    hid_t file, grid; /* negative: none */
    int lock;         /* owned; negative: none */
    struct grid_slots slots;
};

static void former_release(struct former *former)
{
    if (former->grid >= 0)
        H5Dclose(former->grid);
    if (former->file >= 0)
        H5Fclose(former->file);
    if (former->lock >= 0)
        close(former->lock);
}

/* Does the grid belong to this plan: has it the same size, and the same values around it? */
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

static bool former_read(const struct grid_file *file, struct former *former,
                        struct failure *failure)
{
    const char *path = file->setup.path;
    struct strips_plan there = {.kernel = NULL};
    char *text = contents_text(former->file, LAYOUT_PLAN);
    if (!text || !strips_is(text, strlen(text)) || !grid_slots_read(former->file, &former->slots)) {
        free(text);
        return failure_set(failure, FAILURE_MISMATCH,
                           "%s: is no output of strips: name another output", path);
    }
    const bool good = strips_parse(&there, text, strlen(text), path, failure) &&
                      plan_check(file, &there, failure);
    free(text);
    strips_plan_release(&there);
    return good;
}

/* Copies the former grid to the new one piece by piece. */
static bool pieces_copy(struct grid_file *file, const struct former *former, double *piece,
                        struct failure *failure)
{
    const struct strips_job *job = &file->setup.plan->job;
    const int64_t most = columns_piece(job->rows);
    for (int64_t at = 0; at < job->columns; at += most) {
        const int64_t left = job->columns - at, count = left < most ? left : most;
        const struct grid_columns part = {job->rows, at, count, job->rows};
        bool memory = false;
        comm_look(file->setup.comm);
        if (!grid_columns_read(former->grid, &part, piece, &file->turned, &memory))
            return memory ? failure_memory(failure, "reading the grid")
                          : read_refuse(file, failure);
        if (!grid_put(file, at, count, piece, job->rows, failure))
            return false;
    }
    return true;
}

/* In a resumed run nothing is measured for the grid that it begins with. */
static bool copied_end(struct grid_file *file, const struct kept_grid *kept,
                       struct failure *failure)
{
    const struct strips_plan *plan = file->setup.plan;
    struct strips_outcome outcome = {.begun = kept->iterations,
                                     .iterations = kept->iterations,
                                     .change = kept->change,
                                     .strips = calloc(plan->strip_count, sizeof *outcome.strips),
                                     .strip_count = plan->strip_count};
    if (!outcome.strips)
        return failure_memory(failure, "preparing the output");
    for (size_t k = 0; k < plan->strip_count; k++) {
        outcome.strips[k].rank = plan->strips[k].rank;
        outcome.strips[k].columns = plan->strips[k].columns;
    }
    const bool good = grid_end(file, &outcome, failure);
    strips_outcome_release(&outcome);
    return good;
}

static void look(const void *self)
{
    comm_look(self);
}

/* Is the grid as it was written, or trusted to be? False with *failure set: out of memory. */
static bool slot_check(const struct grid_file *file, const struct former *former, int slot,
                       struct failure *failure)
{
    const struct strips_job *job = &file->setup.plan->job;
    const int64_t shape[] = {job->rows, job->columns};
    const struct grid_look looks = {look, file->setup.comm};
    bool memory = false;
    const bool good = file->setup.trust ||
                      grid_slot_holds(former->file, &former->slots, slot, shape, looks, &memory);
    if (memory)
        failure_memory(failure, "reading the grid");
    return good;
}

/* The slot with the intact grid of most iterations; negative: there is none. */
static int newest_find(const struct grid_file *file, struct former *former,
                       struct grid_there *there, struct failure *failure)
{
    int slot;
    while ((slot = grid_slots_newest(&former->slots)) >= 0) {
        struct kept_grid *kept = &former->slots.kept[slot];
        if (slot_check(file, former, slot, failure)) {
            there->iterations = kept->iterations;
            there->change = kept->change;
            return slot;
        }
        there->damaged = there->damaged > 0 ? there->damaged : kept->iterations;
        kept->iterations = 0;
    }
    if (there->damaged > 0)
        failure_set(failure, FAILURE_MISMATCH,
                    "%s: its grid after %" PRId64 " iterations is not what was written, and there "
                    "is no other: remove it, and the run begins anew",
                    file->setup.path, there->damaged);
    return -1;
}

static bool slot_copy(struct grid_file *file, struct former *former, int slot,
                      struct failure *failure)
{
    const struct strips_job *job = &file->setup.plan->job;
    former->grid = grid_slot_open(former->file, &former->slots, slot);
    if (former->grid < 0)
        return read_refuse(file, failure);
    double *piece = malloc((size_t)(columns_piece(job->rows) * job->rows) * sizeof *piece);
    if (!piece)
        return failure_memory(failure, "reading the grid");
    const bool copied = grid_begin(file, failure) && pieces_copy(file, former, piece, failure);
    free(piece);
    return copied && copied_end(file, &former->slots.kept[slot], failure);
}

/* Is there nothing left to do? */
static bool is_done(const struct grid_file *file, const struct grid_there *there)
{
    const struct strips_job *job = &file->setup.plan->job;
    return there->iterations >= job->iterations ||
           (there->iterations > 0 && job->tolerance > 0 && there->change <= job->tolerance);
}

static bool former_open(struct grid_file *file, struct former *former, struct failure *failure)
{
    former->lock = output_lock(file->setup.path, failure);
    if (former->lock < 0)
        return false;
    former->file = H5Fopen(file->setup.path, H5F_ACC_RDONLY, H5P_DEFAULT);
    if (former->file < 0)
        return failure_set(failure, FAILURE_MISMATCH,
                           "%s: is no readable HDF5 file: name another output", file->setup.path);
    return former_read(file, former, failure);
}

/* Makes a new file with the grid of the existing one, and puts it in that one's place. */
static bool go_on(struct grid_file *file, struct grid_there *there, struct failure *failure)
{
    struct former former = {.file = -1, .grid = -1, .lock = -1};
    bool good = former_open(file, &former, failure);
    const int newest = good ? newest_find(file, &former, there, failure) : -1;
    good = failure->code == FAILURE_NONE;
    if (good && !is_done(file, there))
        good = draft_make(file, newest >= 0 ? GRID_SLOTS : 1, failure) &&
               (newest < 0 || slot_copy(file, &former, newest, failure)) &&
               draft_publish(file, failure);
    former_release(&former);
    return good;
}

static bool begin(struct grid_file *file, struct failure *failure)
{
    return draft_make(file, file->setup.plan->job.keep ? GRID_SLOTS : 1, failure) &&
           draft_publish(file, failure);
}

/* ---- whole --------------------------------------------------------------------------------- */

static struct grid_file *file_new(const struct grid_file_setup *setup, struct failure *failure)
{
    const size_t room = strlen(setup->path) + 8;
    struct grid_file *made = calloc(1, sizeof *made);
    char *draft = malloc(room);
    if (!made || !draft) {
        free(made);
        free(draft);
        failure_memory(failure, "preparing the output");
        return NULL;
    }
    snprintf(draft, room, "%s.new", setup->path);
    *made = (struct grid_file){.setup = *setup, .draft = draft, .file = -1, .grid = -1, .lock = -1};
    return made;
}

bool grid_file_open(const struct grid_file_setup *setup, struct grid_file **file,
                    struct grid_there *there, struct failure *failure)
{
    *there = (struct grid_there){.iterations = 0};
    layout_quiet();
    *file = file_new(setup, failure);
    if (!*file)
        return false;
    if (access(setup->path, F_OK) != 0)
        return begin(*file, failure);
    if (setup->resume)
        return go_on(*file, there, failure);
    return failure_set(failure, FAILURE_MISMATCH,
                       file_lock_held(setup->path)
                           ? "%s: a run that writes to it is still alive: wait for it, or choose "
                             "another name"
                           : "%s: exists already: choose another name or remove it first",
                       setup->path);
}

struct strips_grid grid_file_grid(struct grid_file *file)
{
    return (struct strips_grid){
        .begin = grid_begin, .put = grid_put, .end = grid_end, .get = grid_get, .self = file};
}

bool grid_file_seal(struct grid_file *file, bool complete, struct failure *failure)
{
    const int newest = grid_slots_newest(&file->slots);
    const int32_t ended = complete;
    grid_close(file);
    if (newest < 0)
        return true;
    return (grid_slot_show(file->file, newest, &file->slots.kept[newest]) &&
            entry_number(file->file, LAYOUT_COMPLETE, H5T_NATIVE_INT32, &ended) && flush(file)) ||
           write_refuse(file, failure);
}

void grid_file_discard(struct grid_file *file)
{
    if (file->made && grid_slots_newest(&file->slots) < 0)
        unlink(file->setup.path);
}

void grid_file_close(struct grid_file **file)
{
    if (!*file)
        return;
    grid_close(*file);
    if ((*file)->file >= 0)
        H5Fclose((*file)->file);
    if ((*file)->drafted)
        unlink((*file)->draft);
    if ((*file)->lock >= 0)
        close((*file)->lock);
    free((*file)->turned.cells);
    free((*file)->draft);
    free(*file);
    *file = NULL;
}

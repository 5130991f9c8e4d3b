#include "spmd/output/store.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "kernel/type.h"
#include "planner/base/file_lock.h"
#include "planner/base/own.h"
#include "spmd/layout/layout.h"
#include "spmd/layout/task_digest.h"
#include "spmd/layout/transfer.h"
#include "spmd/output/async_writer.h"
#include "spmd/output/extents.h"
#include "spmd/output/picture.h"
#include "spmd/transport/shared_file.h"

enum { REASON_ROOM = 128 }; /* at least layout_reason_size */

struct store {
    char *path, *emitted; /* owned */
    const struct comm *comm;
    const struct job *job;
    struct output_places places;
    bool temporary, resumed;
    bool collected; /* only masters write */
    bool blind;     /* if so: this rank is no master, and may not see the file */
    int as_rank;    /* the rank to whose places this one writes */
    int lock;       /* negative: not held */
    struct shared_file file;
    char *room;                   /* owned; EXTENTS_ROOM bytes; NULL: no grid */
    struct picture *picture;      /* owned; NULL: nothing was normalised yet */
    struct layout_emitted *index; /* owned; of a package */
    int64_t index_room;
    uint64_t *digests; /* owned; of a package */
    int64_t digests_room;
    int emitted_file;            /* negative: not open */
    int64_t emitted_place;       /* bytes written to it */
    char *slot;                  /* owned; struct layout_partial and the state */
    int writer_file;             /* negative: not open */
    struct async_writer *writer; /* owned; NULL: nothing is written asynchronously */
    bool staging;                /* a package's bytes go to the writer and not to the file */
};

/* ---- opening and closing ------------------------------------------------------------------- */

static void store_free(struct store *store)
{
    if (!store)
        return;
    async_writer_free(&store->writer);
    if (store->writer_file >= 0)
        close(store->writer_file);
    if (store->emitted_file >= 0)
        close(store->emitted_file);
    if (store->lock >= 0)
        close(store->lock);
    free(store->path);
    free(store->emitted);
    free(store->room);
    picture_free(&store->picture);
    free(store->index);
    free(store->digests);
    free(store->slot);
    free(store);
}

static bool store_init(struct store *store, const struct store_setup *setup)
{
    const struct job *job = store->job;
    const size_t name_size = strlen(setup->emitted) + 16;
    store->path = strdup(setup->path);
    store->emitted = malloc(name_size);
    store->slot = calloc(1, layout_slot_size(job->state_size));
    if (!store->path || !store->emitted || !store->slot)
        return false;
    store->collected = setup->collected;
    store->blind = setup->collected && !setup->leads;
    store->as_rank = setup->collected          ? setup->collects_as
                     : comm_leads(store->comm) ? setup->master_as
                                               : store->comm->rank;
    snprintf(store->emitted, name_size, "%s.%d", setup->emitted, store->as_rank);
    store->temporary = setup->temporary;
    store->resumed = setup->resumed;
    if (job->state_size > 0)
        job->task->reset(job->opened, store->slot + sizeof(struct layout_partial));
    if (job->tile_size == 0)
        return true;
    store->room = malloc(EXTENTS_ROOM);
    if (store->room)
        memset(store->room, 0, EXTENTS_ROOM); /* allocates its pages before the first package */
    return store->room != NULL;
}

static struct store *store_new(const struct store_setup *setup, const struct comm *comm,
                               const struct job *job, struct failure *failure)
{
    struct store *store = calloc(1, sizeof *store);
    if (store) {
        store->comm = comm;
        store->job = job;
        store->emitted_file = store->writer_file = -1;
        store->lock = -1;
    }
    if (store && store_init(store, setup))
        return store;
    store_free(store);
    failure_memory(failure, "opening the output");
    return NULL;
}

/* A rank's first write to a file takes milliseconds more: writes what is there already, before time
 * counts. */
static bool first_access(struct store *store)
{
    const int64_t place = store->places.ledger + store->comm->rank % store->job->setup.tasks;
    uint8_t byte = 0;
    return shared_file_read(&store->file, place, &byte, 1) &&
           shared_file_write(&store->file, place, &byte, 1);
}

static int64_t slot_place(const struct store *store, int rank, int which)
{
    const int64_t size = (int64_t)layout_slot_size(store->job->state_size);
    return store->places.partial + (2 * (int64_t)(rank - 1) + which) * size;
}

/* Reads that rank's state of a reduction: after mending one of its two slots is left. Without one,
 * `state` stays as it is. */
static bool slot_resume(struct store *store, int rank, char *state)
{
    const size_t size = layout_slot_size(store->job->state_size);
    char *slot = malloc(size);
    bool good = slot != NULL;
    for (int which = 0; good && which < 2; which++) {
        good = shared_file_read(&store->file, slot_place(store, rank, which), slot, size);
        if (good && ((const struct layout_partial *)(const void *)slot)->sequence > 0)
            memcpy(state, slot, size);
    }
    free(slot);
    return good;
}

/* Does this rank write nothing that a worker has computed? */
static bool is_spectator(const struct store *store)
{
    return store->blind || store->as_rank == 0;
}

/* Only workers for which the run before had room have a state. */
static bool states_resume(struct store *store, const struct store_setup *setup)
{
    return !setup->resumed || store->job->state_size == 0 || is_spectator(store) ||
           store->as_rank > setup->slots || slot_resume(store, store->as_rank, store->slot);
}

/* MPI takes the part of a name before a colon for a kind of file system (ROMIO's "ufs:"): a file
 * whose name contains one is opened by its descriptor's name. */
static bool file_open(struct store *store)
{
    char held[32];
    const bool odd = store->lock >= 0 && strchr(store->path, ':');
    snprintf(held, sizeof held, "/proc/self/fd/%d", store->lock);
    return shared_file_open(&store->file, odd ? held : store->path);
}

/* Opens the file while it has a name: that of trial writes is removed as soon as all ranks have it
 * open. */
static bool behind_open(struct store *store)
{
    if (store->job->values.write_behind)
        store->writer_file = own_open(store->path, O_RDWR);
    return store->writer_file >= 0 || !store->job->values.write_behind;
}

static bool files_open(struct store *store)
{
    if (store->blind)
        return true;
    store->lock = file_lock_together(store->path);
    return file_open(store) && behind_open(store);
}

static bool files_begin(struct store *store, const struct store_setup *setup)
{
    return store->blind || (first_access(store) && states_resume(store, setup));
}

struct store *store_open(const struct store_setup *setup, const struct output_places *places,
                         const struct comm *comm, const struct job *job, struct failure *failure)
{
    struct store *store = store_new(setup, comm, job, failure);
    if (!store)
        return NULL;
    store->places = *places;
    if (!files_open(store))
        failure_set(failure, FAILURE_FAILED,
                    "%s: cannot be opened on rank %d: write to a file system that all nodes see",
                    store->path, comm->rank);
    else if (!files_begin(store, setup))
        failure_set(failure, FAILURE_FAILED, "%s: cannot be written on rank %d: check the disk",
                    store->path, comm->rank);
    else
        return store;
    store_close(&store, failure);
    return NULL;
}

struct store *store_open_together(const struct store_setup *setup,
                                  const struct output_places *places, const struct comm *comm,
                                  const struct job *job, struct failure *failure)
{
    struct output_places shared = *places;
    comm_broadcast(comm, &shared, sizeof shared);
    struct store *store = store_open(setup, &shared, comm, job, failure);
    if (!comm_agree(comm, failure))
        store_close(&store, failure);
    return store;
}

bool store_flush(struct store *store, struct failure *failure)
{
    if (store->emitted_file >= 0 && fsync(store->emitted_file) != 0)
        failure_set(failure, FAILURE_FAILED, "%s: could not be written: is the disk full?",
                    store->emitted);
    if (!store->blind && !shared_file_sync(&store->file))
        failure_set(failure, FAILURE_FAILED, "%s: could not be written: is the disk full?",
                    store->path);
    return failure->code == FAILURE_NONE;
}

static bool closing_failed(const char *path, struct failure *failure)
{
    return failure_set(failure, FAILURE_FAILED, "%s: could not be closed: is the disk full?", path);
}

bool store_end(struct store *store, struct failure *failure)
{
    bool good = true;
    if (!store)
        return true;
    async_writer_free(&store->writer);
    if (store->writer_file >= 0 && close(store->writer_file) != 0)
        good = closing_failed(store->path, failure);
    store->writer_file = -1;
    if (!shared_file_close(&store->file))
        good = closing_failed(store->path, failure);
    if (store->emitted_file >= 0 && close(store->emitted_file) != 0)
        good = closing_failed(store->emitted, failure);
    store->emitted_file = -1;
    return good;
}

bool store_close(struct store **store, struct failure *failure)
{
    if (!*store)
        return true;
    const bool good = store_end(*store, failure);
    store_free(*store);
    *store = NULL;
    return good;
}

/* ---- access -------------------------------------------------------------------------------- */

static bool bytes_write(struct store *store, int64_t place, const void *bytes, int64_t count)
{
    return shared_file_write(&store->file, place, bytes, (size_t)count);
}

static bool write_failed(const struct store *store, const char *path, int64_t task,
                         struct failure *failure)
{
    struct statvfs disk;
    bool full = statvfs(store->path, &disk) == 0 && disk.f_bavail == 0;
    return failure_set(failure, FAILURE_FAILED,
                       "%s: core task %" PRId64 " could not be written%s: make room or write to "
                       "another disk, and run again",
                       path, job_task_number(task),
                       full ? ", the disk is full" : " (disk full, quota, or file size limit?)");
}

/* Writes bytes of the current package, to the file or to what will be written asynchronously. */
static bool package_write(struct store *store, int64_t place, const void *bytes, int64_t count,
                          int64_t task, struct failure *failure)
{
    if (store->staging)
        return async_writer_add(store->writer, place, bytes, count, task) ||
               failure_memory(failure, "keeping results until they are written");
    return bytes_write(store, place, bytes, count) ||
           write_failed(store, store->path, task, failure);
}

/* The order of core tasks in package_results. */
static const struct order *order_of(const struct store *store)
{
    return order_differs(&store->job->order) ? &store->job->order : NULL;
}

/* Writes a row for each core task to its place in a data set: one write for neighbours. */
static bool rows_write(struct store *store, int64_t place, const void *rows, int64_t size,
                       const struct package_results *results, struct failure *failure)
{
    bool good = true;
    for (int64_t k = 0, run; good && k < results->count; k += run) {
        const int64_t task = package_task(results, k);
        run = package_neighbours(results, k);
        good = package_write(store, place + task * size, (const char *)rows + k * size, run * size,
                             task, failure);
    }
    return good;
}

/* ---- the grid ------------------------------------------------------------------------------ */

static bool extent_write(void *self, const struct extent *extent, struct failure *failure)
{
    struct store *store = self;
    return package_write(store, store->places.response + extent->place, extent->bytes, extent->size,
                         extent->task, failure);
}

static bool grid_write(struct store *store, const struct package_results *results,
                       struct failure *failure)
{
    const struct extents extents = {
        .job = store->job, .room = store->room, .take = extent_write, .self = store};
    bool good = true;
    for (int64_t k = 0, run; good && k < results->count; k += run) {
        run = package_neighbours(results, k);
        good = extents_take(&extents, package_task(results, k), run,
                            results->grid + (size_t)k * store->job->tile_size, failure);
    }
    return good;
}

/* ---- emitted bytes ------------------------------------------------------------------------- */

static bool results_open(struct store *store, struct failure *failure)
{
    if (store->emitted_file >= 0)
        return true;
    store->emitted_file =
        store->resumed ? own_open_or_make(store->emitted) : own_make(store->emitted);
    if (store->emitted_file < 0 && errno == ELOOP)
        return failure_set(failure, FAILURE_MISMATCH,
                           "%s: is a symbolic link, and results are not written through one: "
                           "remove it, or choose another name with --results",
                           store->emitted);
    if (store->emitted_file < 0 && errno == EEXIST)
        return failure_set(failure, FAILURE_MISMATCH,
                           "%s: cannot be created: %s: remove it, or choose another name with "
                           "--results",
                           store->emitted, strerror(errno));
    if (store->emitted_file < 0)
        return failure_set(failure, FAILURE_FAILED,
                           "%s: cannot be created: %s: choose another place with --results",
                           store->emitted, strerror(errno));
    if (store->temporary)
        unlink(store->emitted);
    if (store->resumed)
        store->emitted_place = lseek(store->emitted_file, 0, SEEK_END);
    return true;
}

static bool index_reserve(struct store *store, int64_t count, struct failure *failure)
{
    if (count > store->index_room) {
        free(store->index);
        store->index = malloc((size_t)count * sizeof *store->index);
        store->index_room = store->index ? count : 0;
    }
    if (!store->index)
        return failure_memory(failure, "keeping what core tasks emit");
    memset(store->index, 0, (size_t)count * sizeof *store->index);
    return true;
}

/* Emissions are sorted by core task, so that what one emitted is one range of the file. */
static bool emitted_append(struct store *store, const struct package_results *results,
                           struct failure *failure)
{
    const struct emissions *emissions = &results->emissions;
    for (size_t i = 0; i < emissions->count; i++) {
        const struct emission *emission = &emissions->items[i];
        struct layout_emitted *row = &store->index[emission->at];
        if (row->rank == 0)
            *row = (struct layout_emitted){.rank = store->as_rank, .place = store->emitted_place};
        if (!transfer_write(store->emitted_file, emissions->bytes + emission->offset,
                            (int64_t)emission->size, store->emitted_place))
            return write_failed(store, store->emitted, emission->task, failure);
        row->size += (int64_t)emission->size;
        store->emitted_place += (int64_t)emission->size;
    }
    return true;
}

static bool emitted_write(struct store *store, const struct package_results *results,
                          struct failure *failure)
{
    const int64_t row_size = (int64_t)sizeof *store->index;
    /* What a failed core task left in an earlier run does not count when it is done again. */
    if (!store->job->results.emits || (results->emissions.count == 0 && !store->resumed))
        return true;
    if ((results->emissions.count > 0 && !results_open(store, failure)) ||
        !index_reserve(store, results->count, failure) || !emitted_append(store, results, failure))
        return false;
    return rows_write(store, store->places.emitted, store->index, row_size, results, failure);
}

/* ---- reasons of failed tasks --------------------------------------------------------------- */

/* Written at once, even where results are written asynchronously: they are few, or the run is
 * useless. */
static bool reasons_write(struct store *store, const struct package_results *results,
                          struct failure *failure)
{
    const struct emissions *reasons = &results->reasons;
    const size_t row_size = layout_reason_size(store->job->setup.tasks);
    char row[REASON_ROOM];
    for (size_t i = 0; store->places.reasons > 0 && i < reasons->count; i++) {
        const struct emission *reason = &reasons->items[i];
        const size_t size = reason->size < row_size ? reason->size : row_size;
        memset(row, 0, sizeof row);
        memcpy(row, reasons->bytes + reason->offset, size);
        if (!bytes_write(store, store->places.reasons + reason->task * (int64_t)row_size, row,
                         (int64_t)row_size))
            return write_failed(store, store->path, reason->task, failure);
    }
    return true;
}

/* ---- whole packages ------------------------------------------------------------------------ */

static bool records_write(struct store *store, const struct package_results *results,
                          struct failure *failure)
{
    return rows_write(store, store->places.records, results->records,
                      (int64_t)store->job->record_size, results, failure);
}

static bool state_write(struct store *store, const struct package_results *results,
                        struct failure *failure)
{
    const struct job *job = store->job;
    const size_t slot_size = layout_slot_size(job->state_size);
    struct layout_partial *head = (struct layout_partial *)(void *)store->slot;
    char *state = store->slot + sizeof *head;
    job->task->merge(job->opened, state, results->state);
    head->sequence++;
    head->first = results->first;
    head->count = results->count;
    head->tasks += results->count;
    head->members += layout_members(results->first, results->count);
    head->digest = layout_slot_digest(head, state, job->state_size);
    return package_write(store, slot_place(store, store->as_rank, (int)(head->sequence % 2)),
                         store->slot, (int64_t)slot_size, package_task(results, 0), failure);
}

static bool digests_reserve(struct store *store, int64_t count, struct failure *failure)
{
    if (count > store->digests_room) {
        free(store->digests);
        store->digests = malloc((size_t)count * sizeof *store->digests);
        store->digests_room = store->digests ? count : 0;
    }
    return store->digests || failure_memory(failure, "taking results' digests");
}

static bool digests_write(struct store *store, const struct package_results *results,
                          struct failure *failure)
{
    if (store->places.digests == 0)
        return true;
    if (!digests_reserve(store, results->count, failure))
        return false;
    task_digests_fill(store->job, results, store->digests);
    return rows_write(store, store->places.digests, store->digests, (int64_t)sizeof *store->digests,
                      results, failure);
}

bool store_write(struct store *store, const struct package_results *results,
                 struct failure *failure)
{
    return (!results->grid || grid_write(store, results, failure)) &&
           (!results->records || records_write(store, results, failure)) &&
           emitted_write(store, results, failure) && reasons_write(store, results, failure) &&
           digests_write(store, results, failure) &&
           (!results->state || is_spectator(store) || state_write(store, results, failure)) &&
           rows_write(store, store->places.ledger, results->ledger, 1, results, failure);
}

/* ---- behind ---------------------------------------------------------------------------------- */

/* The bytes of a package, of all kinds of results together. */
static double package_bytes(const struct job *job, int64_t tasks)
{
    const size_t each = job->tile_size + job->record_size + 1 + sizeof(uint64_t) +
                        (job->results.emits ? sizeof(struct layout_emitted) : 0);
    return (double)tasks * (double)each +
           (job->state_size > 0 ? (double)layout_slot_size(job->state_size) : 0);
}

double store_memory(const struct job *job, int64_t most)
{
    return 2 * package_bytes(job, most);
}

bool store_reserve(struct store *store, int64_t most, struct failure *failure)
{
    const double bytes = package_bytes(store->job, most);
    if (bytes < (double)(SIZE_MAX / 4))
        store->writer = async_writer_new(store->writer_file, (size_t)bytes);
    return store->writer ||
           failure_memory(failure, "making room for results that are to be written");
}

bool store_stage(struct store *store, const struct package_results *results,
                 struct failure *failure)
{
    store->staging = true;
    const bool good = store_write(store, results, failure);
    store->staging = false;
    if (!good)
        async_writer_drop(store->writer);
    return good;
}

void store_begin(struct store *store)
{
    async_writer_begin(store->writer);
}

bool store_await(struct store *store, double most_s, double *end_s, struct failure *failure)
{
    struct async_writer_outcome outcome;
    if (!async_writer_await(store->writer, most_s, &outcome))
        return false;
    *end_s = outcome.end_s + store->comm->offset_s;
    if (outcome.failed)
        write_failed(store, store->path, outcome.task, failure);
    return true;
}

/* ---- normalised ---------------------------------------------------------------------------- */

struct normalizing {
    struct store *store;
    const struct summary *summary;
};

static bool extent_normalize(void *self, const struct extent *extent, struct failure *failure)
{
    const struct normalizing *normalizing = self;
    const struct store *store = normalizing->store;
    const int64_t size = (int64_t)scow_type_size(store->job->results.grid_type);
    switch (picture_fill(store->picture, extent->place / size, extent->size / size,
                         normalizing->summary->minimum, normalizing->summary->maximum)) {
    case PICTURE_UNREAD:
        return failure_set(failure, FAILURE_FAILED,
                           "%s: core task %" PRId64 " could not be read back: check the disk",
                           store->path, job_task_number(extent->task));
    case PICTURE_UNWRITTEN:
        return write_failed(store, store->path, extent->task, failure);
    case PICTURE_DONE:
        break;
    }
    return true;
}

/* The file is the one that this rank has open. */
static bool picture_make(struct store *store, int threads, struct failure *failure)
{
    const struct picture_setup setup = {.file = store->lock,
                                        .numbers = store->places.response,
                                        .shades = store->places.normalized,
                                        .type = store->job->results.grid_type,
                                        .threads = threads};
    if (!store->picture)
        store->picture = picture_new(&setup);
    return store->picture || failure_memory(failure, "normalising the result");
}

bool store_normalize(struct store *store, int64_t first, int64_t count,
                     const struct summary *summary, int threads, struct failure *failure)
{
    struct normalizing normalizing = {store, summary};
    const struct extents extents = {
        .job = store->job, .take = extent_normalize, .self = &normalizing};
    if (!store->job->results.grid_picture || store->job->tile_size == 0)
        return true;
    const struct package_results tasks = {.first = first, .count = count, .order = order_of(store)};
    bool good = picture_make(store, threads, failure);
    for (int64_t k = 0, run; good && k < count; k += run) {
        run = package_neighbours(&tasks, k);
        good = extents_take(&extents, package_task(&tasks, k), run, NULL, failure);
    }
    return good;
}

/* ---- what does not count ------------------------------------------------------------------- */

/* Makes invalid a worker's state that last added the package, or a part of it. */
static void slots_disown(struct store *store, int rank, const struct package *package)
{
    for (int which = 0; which < 2; which++) {
        const int64_t place = slot_place(store, rank, which);
        struct layout_partial head;
        if (!shared_file_read(&store->file, place, &head, sizeof head) || head.count <= 0 ||
            head.first < package->first ||
            head.first + head.count > package->first + package->count)
            continue;
        memset(&head, 0, sizeof head);
        bytes_write(store, place, &head, (int64_t)sizeof head);
    }
}

/* Writes zeros from there on. */
static bool bytes_clear(struct store *store, int64_t place, int64_t count)
{
    static const char zeros[4096];
    bool good = true;
    for (int64_t at = 0; good && at < count; at += (int64_t)sizeof zeros) {
        const int64_t rest = count - at, most = (int64_t)sizeof zeros;
        good = bytes_write(store, place + at, zeros, rest < most ? rest : most);
    }
    return good;
}

static void ledger_clear(struct store *store, const struct package *package)
{
    const struct package_results marks = {
        .first = package->first, .count = package->count, .order = order_of(store)};
    for (int64_t k = 0, run; k < marks.count; k += run) {
        run = package_neighbours(&marks, k);
        bytes_clear(store, store->places.ledger + package_task(&marks, k), run);
    }
}

/* Does this rank write alone what its workers compute, and nothing before it counts? */
static bool is_collector(const struct store *store)
{
    return store->collected && store->as_rank > 0;
}

/* Where this cannot be written, the ledger still says nothing wrong: results are written before it,
 * and a worker that does a package again writes the same. If the run is then killed, the resumed
 * one finds that ledger and states do not agree, and does everything again. */
void store_disown(struct store *store, int rank, const struct package *packages, int64_t count)
{
    for (int64_t k = 0; !is_collector(store) && k < count; k++) {
        ledger_clear(store, &packages[k]);
        if (store->job->state_size > 0)
            slots_disown(store, rank, &packages[k]);
    }
}

void store_disown_states(struct store *store, int rank, const struct package *packages,
                         int64_t count)
{
    for (int64_t k = 0; !is_collector(store) && store->job->state_size > 0 && k < count; k++)
        slots_disown(store, rank, &packages[k]);
}

/* ---- states of a group ----------------------------------------------------------------------- */

size_t store_group_size(const struct job *job)
{
    return layout_slot_size(job->state_size);
}

void store_group_add(const struct job *job, char *sum, const struct package *package,
                     const void *state)
{
    struct layout_partial *all = (struct layout_partial *)(void *)sum;
    job->task->merge(job->opened, all + 1, state);
    all->first = package->first;
    all->count = package->count;
    all->tasks += package->count;
    all->members += layout_members(package->first, package->count);
}

bool store_group_read(struct store *store, const int *ranks, int count, char *sum)
{
    const struct job *job = store->job;
    struct layout_partial *all = (struct layout_partial *)(void *)sum;
    char *slot = malloc(layout_slot_size(job->state_size));
    bool good = slot != NULL;
    memset(all, 0, sizeof *all);
    job->task->reset(job->opened, all + 1);
    for (int k = 0; good && store->resumed && k < count; k++) {
        struct layout_partial *head = (struct layout_partial *)(void *)slot;
        memset(head, 0, sizeof *head);
        good = slot_resume(store, ranks[k], slot);
        if (!good || head->sequence == 0)
            continue;
        job->task->merge(job->opened, all + 1, head + 1);
        all->first = head->first;
        all->count = head->count;
        all->tasks += head->tasks;
        all->members += head->members;
    }
    free(slot);
    return good;
}

void store_group_replace(struct store *store, const int *ranks, int count, char *sum)
{
    static const struct layout_partial nothing = {.sequence = 0};
    const struct job *job = store->job;
    struct layout_partial *all = (struct layout_partial *)(void *)sum;
    for (int k = 0; k < count; k++)
        for (int which = 0; which < 2; which++)
            bytes_write(store, slot_place(store, ranks[k], which), &nothing,
                        (int64_t)sizeof nothing);
    if (all->tasks == 0)
        return;
    all->sequence = 1;
    all->digest = layout_slot_digest(all, all + 1, job->state_size);
    bytes_write(store, slot_place(store, ranks[0], 1), sum,
                (int64_t)layout_slot_size(job->state_size));
}

bool store_forget(struct store *store, struct failure *failure)
{
    return bytes_clear(store, store->places.ledger, store->job->setup.tasks) ||
           failure_set(failure, FAILURE_FAILED,
                       "%s: its ledger could not be cleared, and nothing in it can be trusted: "
                       "remove it",
                       store->path);
}

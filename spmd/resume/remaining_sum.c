/* Reads results back from an output, by their places, and sums them up. */
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "kernel/type.h"
#include "planner/base/own.h"
#include "spmd/layout/parts.h"
#include "spmd/layout/transfer.h"
#include "spmd/output/extents.h"
#include "spmd/resume/remaining.h"

/* Bytes of memory for results, and core tasks, at a time. */
enum { ROOM_BYTES = 1 << 20, BATCH_MOST = 4096 };

struct reading {
    const char *path;
    const struct job *job;
    const struct output_places *places;
    int file;
    unsigned char *ledger; /* owned; of a batch, like the next two */
    char *records, *grid;  /* owned; NULL: none */
    char *box;             /* end of what has been read of the core task's box */
};

static bool unreadable(const struct reading *reading, int64_t task, struct failure *failure)
{
    return failure_set(failure, FAILURE_FAILED,
                       "%s: core task %" PRId64 " could not be read back: check the disk",
                       reading->path, job_task_number(task));
}

/* The rows of a box come in the order of their places. */
static bool extent_read(void *self, const struct extent *extent, struct failure *failure)
{
    struct reading *reading = self;
    if (!transfer_read(reading->file, reading->box, (int64_t)extent->size,
                       reading->places->response + extent->place))
        return unreadable(reading, extent->task, failure);
    reading->box += extent->size;
    return true;
}

static bool box_read(struct reading *reading, int64_t task, char *box, struct failure *failure)
{
    const struct extents extents = {.job = reading->job, .take = extent_read, .self = reading};
    reading->box = box;
    return extents_take(&extents, task, 1, NULL, failure);
}

static bool batch_read(struct reading *reading, int64_t first, int64_t count,
                       struct failure *failure)
{
    const struct job *job = reading->job;
    const int64_t row = (int64_t)job->record_size;
    if (!transfer_read(reading->file, reading->ledger, count, reading->places->ledger + first) ||
        (reading->records && !transfer_read(reading->file, reading->records, count * row,
                                            reading->places->records + first * row)))
        return unreadable(reading, first, failure);
    for (int64_t k = 0; reading->grid && k < count; k++)
        if (reading->ledger[k] == 1 &&
            !box_read(reading, first + k, reading->grid + (size_t)k * job->tile_size, failure))
            return false;
    return true;
}

/* Adds ranges of core tasks that have results or have failed. */
static bool batch_sum(const struct reading *reading, int64_t first, int64_t count,
                      struct summary *summary, struct failure *failure)
{
    const struct job *job = reading->job;
    for (int64_t at = 0, size; at < count; at += size) {
        for (size = 1;
             at + size < count && (reading->ledger[at + size] == 0) == (reading->ledger[at] == 0);)
            size++;
        if (reading->ledger[at] == 0)
            continue;
        const size_t k = (size_t)at;
        const struct package_results results = {
            .first = first + at,
            .count = size,
            .grid = reading->grid ? reading->grid + k * job->tile_size : NULL,
            .records = reading->records ? reading->records + k * job->record_size : NULL,
            .ledger = reading->ledger + k};
        if (!summary_add(summary, job, &results, failure))
            return false;
    }
    return true;
}

static bool reading_init(struct reading *reading, size_t batch, struct failure *failure)
{
    const struct job *job = reading->job;
    reading->ledger = malloc(batch);
    reading->records = job->record_size > 0 ? malloc(batch * job->record_size) : NULL;
    reading->grid = job->tile_size > 0 ? malloc(batch * job->tile_size) : NULL;
    if (!reading->ledger || (job->record_size > 0 && !reading->records) ||
        (job->tile_size > 0 && !reading->grid))
        return failure_memory(failure, "reading back what is done");
    reading->file = open(reading->path, O_RDONLY | O_CLOEXEC);
    return reading->file >= 0 || unreadable(reading, 0, failure);
}

bool remaining_sum(const char *path, const struct job *job, const struct output_places *places,
                   int64_t first, int64_t count, struct summary *summary, struct failure *failure)
{
    struct reading reading = {.path = path, .job = job, .places = places, .file = -1};
    const size_t fit = ROOM_BYTES / (job->tile_size + job->record_size + 1);
    const int64_t batch = fit < 1 ? 1 : fit > BATCH_MOST ? BATCH_MOST : (int64_t)fit;
    bool good = reading_init(&reading, (size_t)batch, failure);
    for (int64_t at = 0; good && at < count; at += batch) {
        const int64_t size = count - at < batch ? count - at : batch;
        good = batch_read(&reading, first + at, size, failure) &&
               batch_sum(&reading, first + at, size, summary, failure);
    }
    if (reading.file >= 0)
        close(reading.file);
    free(reading.ledger);
    free(reading.records);
    free(reading.grid);
    return good;
}

/* Writes the table as it must be, without packages in flight. */
static bool losses_mend(const struct remaining *remaining, int file)
{
    const struct output_places *places = &remaining->places;
    const size_t in_flight = (size_t)places->in_flight_rows * sizeof(struct losses_in_flight);
    const size_t table = LOSSES_MOST * sizeof(struct losses_row);
    if (places->in_flight_rows == 0)
        return true;
    char *bytes = calloc(1, table > in_flight ? table : in_flight);
    const bool cleared =
        bytes && transfer_write(file, bytes, (int64_t)in_flight, places->in_flight);
    if (bytes && remaining->lost_count > 0)
        memcpy(bytes, remaining->lost, (size_t)remaining->lost_count * sizeof *remaining->lost);
    bool good = cleared && transfer_write(file, bytes, (int64_t)table, places->lost);
    for (int64_t k = 0; good && k < remaining->lost_count; k++)
        good = !remaining->lost[k].given_up ||
               losses_given_up_write(file, places, &remaining->lost[k],
                                     order_task(&remaining->job->order, remaining->lost[k].first));
    free(bytes);
    return good;
}

/* Writes the ledger by number of core task again. */
static bool ledger_mend(const struct remaining *remaining, int file, int64_t tasks)
{
    const struct order *order = &remaining->job->order;
    if (!order_differs(order))
        return transfer_write(file, remaining->ledger, tasks, remaining->places.ledger);
    uint8_t *ledger = malloc((size_t)tasks);
    for (int64_t k = 0; ledger && k < tasks; k++)
        ledger[order_task(order, k)] = remaining->ledger[k];
    const bool good = ledger && transfer_write(file, ledger, tasks, remaining->places.ledger);
    free(ledger);
    return good;
}

bool remaining_mend(const struct remaining *remaining, const char *path,
                    const struct part_info *info, struct failure *failure)
{
    const int64_t tasks = remaining->done + remaining->failed + remaining->left;
    const int file = own_open(path, O_RDWR);
    const bool good = file >= 0 && ledger_mend(remaining, file, tasks) &&
                      losses_mend(remaining, file) &&
                      (!remaining->partial ||
                       transfer_write(file, remaining->partial, (int64_t)remaining->partial_size,
                                      remaining->places.partial));
    const struct run_part next = {
        .began_s = info->began_s,
        .before = remaining->done + remaining->failed,
        .workers = info->workers < remaining->workers ? info->workers : remaining->workers};
    if (file >= 0)
        close(file);
    return (good && outputfile_reopen(path, remaining->job, remaining->resumed + 1,
                                      &remaining->last, &next, info)) ||
           failure_set(failure, FAILURE_FAILED,
                       "%s: could not be made ready for going on: is the disk full?", path);
}

/*
 * A batch of the matched filter on several threads. A thread takes one tile of one task at a
 * time, loads its surroundings into a buffer of its own, and runs the bank on it, so that pixels
 * stay in its cache and conversion and zero padding cost one pass.
 */
#include <omp.h>
#include <time.h>

#include "kernel/matched/footprint.h"
#include "kernel/matched/halo.h"
#include "kernel/matched/matched_job.h"

enum { PAGE_BYTES = 4096 };

/* What the threads of one call share; read-only but for the last two. */
struct work {
    const struct scow_host *host;
    const struct matched_job *job;
    const struct scow_batch *batch;
    struct footprint footprint; /* of the package */
    int64_t down, across;       /* tiles of the largest task */
    int64_t box;                /* pixels of the largest task */
    size_t thread_bytes;
    int stopped;                   /* atomic: the host says so, tiles are left out */
    _Alignas(64) int64_t finished; /* tiles of the batch; atomic; in a cache line of its own */
};

static size_t round_up(size_t value, size_t unit)
{
    return (value + unit - 1) / unit * unit;
}

static size_t halo_bytes(const struct matched_job *job)
{
    int64_t floats = halo_floats(&job->reach, job->tile_rows, job->tile_columns);
    return round_up((size_t)floats * sizeof(float), 64);
}

/* Whole pages, so that a thread's first touch decides where nearly all of its memory is. */
static size_t thread_bytes(const struct matched_job *job)
{
    return round_up(halo_bytes(job) + response_workspace_bytes(job->response), PAGE_BYTES);
}

size_t matched_workspace_size(const void *job, int threads)
{
    return (size_t)threads * thread_bytes(job);
}

static void tile_run(const struct matched_job *job, const struct halo *halo, float *results,
                     int64_t result_stride, void *workspace)
{
    struct tile tile = {.origin = halo->floats + job->reach.up * halo->stride + job->reach.left,
                        .stride = halo->stride,
                        .rows = (int)halo->area.rows,
                        .columns = (int)halo->area.columns,
                        .result = results,
                        .result_stride = result_stride};
    response_run(job->response, &tile, workspace);
}

/* From `skipped` on, at most `most`; none are left beyond the end. */
static void span_cut(int64_t *start, int64_t *length, int64_t skipped, int64_t most)
{
    *start += skipped;
    *length -= skipped;
    if (*length > most)
        *length = most;
}

/* Tile `item` of the batch, in order of tasks; a task may be a pixel smaller, and have fewer. */
static void tile_compute(const struct work *work, int64_t item, char *workspace)
{
    const struct matched_job *job = work->job;
    const int64_t tiles = work->down * work->across, k = item / tiles, place = item % tiles;
    const int64_t down = place / work->across * job->tile_rows;
    const int64_t right = place % work->across * job->tile_columns;
    int64_t slice;
    struct halo halo = {.reach = job->reach};
    halo.area = grid_place(&job->grid, work->batch->first + k, &slice);
    const int64_t stride = halo.area.columns;
    span_cut(&halo.area.row, &halo.area.rows, down, job->tile_rows);
    span_cut(&halo.area.column, &halo.area.columns, right, job->tile_columns);
    if (halo.area.rows <= 0 || halo.area.columns <= 0)
        return;
    halo.floats = (float *)(void *)workspace;
    halo.stride = halo_stride(&job->reach, (int)halo.area.columns);
    halo_load(&halo, &work->footprint, work->batch->package, slice);
    float *results = (float *)work->batch->grid + k * work->box + down * stride + right;
    tile_run(job, &halo, results, stride, workspace + halo_bytes(job));
    if (halo.spoiled)
        halo_spoil(&halo, &work->footprint, work->batch->package, slice, results, stride);
}

static bool work_stopped(const struct work *work)
{
    int stopped;
#pragma omp atomic read
    stopped = work->stopped;
    return stopped;
}

/* By the thread that was called alone. */
static void work_pulse(struct work *work)
{
    if (!work->host->pulse(work->host))
        return;
#pragma omp atomic write
    work->stopped = 1;
}

/* The same thread goes on pulsing until the others have finished, too. */
static void work_pulse_on(struct work *work, int64_t items)
{
    const struct timespec pause = {.tv_nsec = 20000};
    int64_t finished;
    for (;;) {
        work_pulse(work);
#pragma omp atomic read acquire
        finished = work->finished;
        if (finished >= items)
            return;
        nanosleep(&pause, NULL);
    }
}

/* How many tiles a thread takes at a time: a row of them, because where two threads write side by
 * side, each fetches the other's cache lines ahead; single ones when rows are too few for all. */
static int64_t tiles_at_once(int64_t items, int64_t across, int threads)
{
    const int64_t turns = 8; /* of each thread, so that all end together */
    return items >= turns * threads * across ? across : 1;
}

static int64_t parts_of(int64_t whole, int64_t part)
{
    return (whole + part - 1) / part;
}

int matched_compute(const struct scow_host *host, const void *job, const struct scow_batch *batch)
{
    const struct matched_job *matched = job;
    const int64_t rows = grid_rows_most(&matched->grid),
                  columns = grid_columns_most(&matched->grid);
    struct work work = {.host = host,
                        .job = matched,
                        .batch = batch,
                        .down = parts_of(rows, matched->tile_rows),
                        .across = parts_of(columns, matched->tile_columns),
                        .box = rows * columns,
                        .thread_bytes = thread_bytes(matched)};
    footprint_init(&work.footprint, &matched->grid, &matched->reach, batch->package_first,
                   batch->package_count);
    const int64_t items = batch->count * work.down * work.across;
#pragma omp parallel default(none) shared(work, items, batch) num_threads(batch->threads)
    {
        const int thread = omp_get_thread_num();
        char *own = (char *)batch->workspace + (size_t)thread * work.thread_bytes;
#pragma omp for schedule(dynamic, tiles_at_once(items, work.across, batch->threads)) nowait
        for (int64_t item = 0; item < items; item++) {
            const bool wanted = !work_stopped(&work);
            if (wanted)
                tile_compute(&work, item, own);
#pragma omp atomic update release
            work.finished++;
            if (wanted && thread == 0)
                work_pulse(&work);
        }
        if (thread == 0)
            work_pulse_on(&work, items);
    }
    return work.stopped ? SCOW_STOPPED : SCOW_OK;
}

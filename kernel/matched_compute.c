/*
 * A package of the matched filter on several threads. A thread takes one strip of one task at a
 * time, loads its surroundings into a buffer of its own, and runs the bank on it, so that pixels
 * stay in its cache, conversion and zero padding cost one pass, and no thread writes near another.
 */
#include <omp.h>

#include "kernel/halo.h"
#include "kernel/matched_job.h"
#include "kernel/package.h"

enum {
    PAGE_BYTES = 4096,
    STRIP_ROWS_LEAST = 16, /* fewer would spend too much of the time on their surroundings */
    STRIPS_PER_THREAD = 4, /* so that no thread waits long for the last one */
    STRIP_EFFORT = 100 * 1000 * 1000 /* multiply-adds between two pulses: some milliseconds */
};

/* What the threads of one call share; read-only. */
struct work {
    const struct kernel_job *job;
    struct package package;
    const void *bytes;
    int64_t first;
    int strip_rows, strips; /* of one task */
    size_t thread_bytes;
    char *workspace;
    float *results;
};

static size_t round_up(size_t value, size_t unit)
{
    return (value + unit - 1) / unit * unit;
}

/* The least multiple of the job's row step that makes a strip worth its while. */
static int strip_unit(const struct kernel_job *job)
{
    int step = job->row_step;
    return step * ((STRIP_ROWS_LEAST + step - 1) / step);
}

static int strip_clamp(const struct kernel_job *job, double rows)
{
    int unit = strip_unit(job);
    if (rows >= job->grid.block)
        return job->grid.block;
    int strip = (int)rows / unit * unit;
    if (strip < unit)
        strip = unit;
    return strip < job->grid.block ? strip : job->grid.block;
}

void matched_job_cut(struct kernel_job *job)
{
    job->row_step = response_row_step(job->response);
    job->strip_rows = job->grid.block;
    if (job->row_step > 0)
        job->strip_rows =
            strip_clamp(job, job->grid.block * (STRIP_EFFORT / response_effort(job->response)));
}

/* Rows of a strip when `count` tasks are shared by that many threads. */
static int strip_rows_shared(const struct kernel_job *job, int64_t count, int threads)
{
    int64_t wanted = (int64_t)STRIPS_PER_THREAD * threads;
    if (job->row_step == 0 || threads == 1 || count >= wanted)
        return job->strip_rows;
    int64_t strips = (wanted + count - 1) / count;
    int rows = strip_clamp(job, (double)job->grid.block / (double)strips);
    return rows < job->strip_rows ? rows : job->strip_rows;
}

static size_t halo_bytes(const struct kernel_job *job)
{
    int64_t floats = halo_floats(&job->reach, job->strip_rows, job->grid.block);
    return round_up((size_t)floats * sizeof(float), 64);
}

/* Whole pages, so that a thread's first touch decides where its memory is, and no two share any. */
static size_t thread_bytes(const struct kernel_job *job)
{
    return round_up(halo_bytes(job) + response_workspace_bytes(job->response), PAGE_BYTES);
}

size_t matched_workspace_bytes(const struct kernel_job *job, int threads)
{
    return (size_t)threads * thread_bytes(job);
}

static void strip_run(const struct kernel_job *job, const struct halo *halo, float *results,
                      void *workspace)
{
    struct tile tile = {.origin = halo->floats + job->reach.up * halo->stride + job->reach.left,
                        .stride = halo->stride,
                        .rows = (int)halo->area.rows,
                        .columns = (int)halo->area.columns,
                        .result = results,
                        .result_stride = halo->area.columns};
    response_run(job->response, &tile, workspace);
}

/* Strip `item` of the package, in order of tasks; a task at the lower edge has fewer. */
static void strip_compute(const struct work *work, int64_t item, char *workspace)
{
    const struct kernel_job *job = work->job;
    int64_t k = item / work->strips, slice, block = job->grid.block;
    struct halo halo = {.reach = job->reach};
    halo.area = grid_place(&job->grid, work->first + k, &slice);
    int64_t skipped = item % work->strips * work->strip_rows;
    if (skipped >= halo.area.rows)
        return;
    halo.area.row += skipped;
    halo.area.rows -= skipped;
    if (halo.area.rows > work->strip_rows)
        halo.area.rows = work->strip_rows;
    halo.floats = (float *)(void *)workspace;
    halo.stride = halo_stride(&job->reach, (int)halo.area.columns);
    halo_load(&halo, &work->package, work->bytes, slice);
    float *results = work->results + k * block * block + skipped * halo.area.columns;
    strip_run(job, &halo, results, workspace + halo_bytes(job));
    if (halo.spoiled)
        halo_spoil(&halo, &work->package, work->bytes, slice, results, halo.area.columns);
}

void matched_compute(const struct kernel_job *job, int64_t first, int64_t count,
                     const void *package, int threads, void *workspace,
                     const struct kernel_pulse *pulse, float *results)
{
    struct work work = {.job = job,
                        .bytes = package,
                        .first = first,
                        .strip_rows = strip_rows_shared(job, count, threads),
                        .thread_bytes = thread_bytes(job),
                        .workspace = workspace,
                        .results = results};
    package_init(&work.package, &job->grid, &job->reach, first, count);
    work.strips = (job->grid.block + work.strip_rows - 1) / work.strip_rows;
    int64_t items = count * work.strips;
    void (*call)(void *) = pulse ? pulse->call : NULL;
    void *self = pulse ? pulse->self : NULL;
#pragma omp parallel default(none) shared(work, items, call, self) num_threads(threads)
    {
        int thread = omp_get_thread_num();
        char *own = work.workspace + (size_t)thread * work.thread_bytes;
#pragma omp for schedule(dynamic)
        for (int64_t item = 0; item < items; item++) {
            strip_compute(&work, item, own);
            if (thread == 0 && call)
                call(self);
        }
    }
}

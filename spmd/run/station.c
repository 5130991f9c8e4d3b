#include "spmd/run/station.h"

#include <stdlib.h>
#include <string.h>

/* Of a page: what a thread touches first is where that thread runs. */
enum { ALIGNMENT = 4096 };

static void *block_new(size_t bytes)
{
    return aligned_alloc(ALIGNMENT, (bytes / ALIGNMENT + 1) * ALIGNMENT);
}

/* A part for each thread, so that pages are there before the first package, near the threads that
 * compute. Bytes within them are not cleared: compute writes every value that is looked at later.
 */
static void pages_touch(char *block, size_t bytes, int threads)
{
#pragma omp parallel for num_threads(threads) schedule(static)
    for (size_t at = 0; at < bytes; at += ALIGNMENT)
        block[at] = 0;
}

/* Compute some tasks of nothing, so that the code and its tables are there, too. */
static bool warm_up(struct station *station, struct failure *failure)
{
    const struct run *run = station->run;
    const struct kernel *kernel = run->job->kernel;
    int64_t count = run->threads < run->largest_package ? run->threads : run->largest_package;
    size_t bytes = kernel->package_bytes(run->job->made, 0, count);
    void *package = block_new(bytes);
    if (!package)
        return failure_memory(failure, "preparing a worker");
    const struct kernel_pulse none = {NULL, NULL};
    memset(package, 0, bytes);
    kernel->compute(run->job->made, 0, count, package, run->threads, station->workspace, &none,
                    station->results);
    free(package);
    return true;
}

bool station_init(struct station *station, const struct run *run, struct failure *failure)
{
    const struct kernel *kernel = run->job->kernel;
    const struct kernel_job *made = run->job->made;
    *station = (struct station){.run = run};
    size_t values = (size_t)(run->largest_package * kernel->result_stride(made));
    size_t workspace = kernel->workspace_bytes(made, run->threads);
    station->results = block_new(values * sizeof(float));
    station->workspace = block_new(workspace);
    if (!station->results || !station->workspace)
        return failure_memory(failure, "making room for a package's results");
    pages_touch((char *)station->results, values * sizeof(float), run->threads);
    pages_touch(station->workspace, workspace, run->threads);
    if (!warm_up(station, failure))
        return false;
    station->inbox =
        inbox_new(run->comm, kernel->package_bytes_most(made, run->largest_package), failure);
    return station->inbox != NULL;
}

void station_release(struct station *station)
{
    inbox_free(&station->inbox);
    free(station->results);
    free(station->workspace);
    station->results = NULL;
    station->workspace = NULL;
}

static void pulse(void *self)
{
    inbox_progress(self);
}

double station_compute(struct station *station, const struct inbox_package *in)
{
    const struct run *run = station->run;
    const struct package *package = &in->header.package;
    struct kernel_pulse between = {pulse, station->inbox};
    inbox_progress_s(station->inbox); /* from here on */
    run->job->kernel->compute(run->job->made, package->first, package->count, in->bytes,
                              run->threads, station->workspace, &between, station->results);
    return inbox_progress_s(station->inbox);
}

bool station_output(struct station *station, const struct package *package, struct summary *summary,
                    struct failure *failure)
{
    const struct run *run = station->run;
    summary_add(summary, run->job->kernel, run->job->made, package->first, package->count,
                station->results);
    return store_write(run->store, package->first, package->count, station->results, failure);
}

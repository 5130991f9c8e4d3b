/* A plug-in for scow: the Julia set of c = re + i im, a row of pixels a core task. Build it and try it:
 *
 *     cc -O2 -shared -fPIC $(pkg-config --cflags scow) julia.c -o julia.so
 *     mpiexec -n 3 scow calibrate -k ./julia.so --size 800 --quick -o profile.json
 *     scow plan -p profile.json -o plan.json
 *     mpiexec -n 3 scow run plan.json -o julia.h5 && scow show julia.h5 --png julia.png
 */
#include <scow.h>
#include <stdlib.h>

enum parameter { SIZE, RE, IM, ITERATIONS };

static const struct scow_parameter parameters[] = {
    {.name = "size", .kind = SCOW_WHOLE, .help = "pixels a side", .initial = 800, .least = 1, .greatest = 100000},
    {.name = "re", .kind = SCOW_NUMBER, .help = "real part of c", .initial = -0.8, .least = -2, .greatest = 2},
    {.name = "im", .kind = SCOW_NUMBER, .help = "imaginary part of c", .initial = 0.156, .least = -2, .greatest = 2},
    {.name = "iterations", .kind = SCOW_WHOLE, .help = "at most", .initial = 1000, .least = 1, .greatest = 1e6},
    {.name = NULL}};

/* On the master: how many core tasks is it? */
static int describe(const struct scow_host *host, const struct scow_value *values, const struct scow_input *input,
                    int64_t *tasks)
{
    (void)host, (void)input;
    *tasks = (int64_t)values[SIZE].number;
    return SCOW_OK;
}

/* On every rank: here the setup is all that computing needs, and it stays. */
static int open_job(const struct scow_host *host, const struct scow_setup *setup, void **job)
{
    (void)host, *job = (void *)(uintptr_t)setup;
    return SCOW_OK;
}

/* What comes out: a grid [1][size][size], of which each core task fills a row. */
static void results(const void *job, struct scow_results *results)
{
    const struct scow_setup *setup = job;
    results->grid_type = SCOW_U32;
    results->grid_extent[0] = results->grid_tile[0] = results->grid_tile[1] = 1;
    results->grid_extent[1] = results->grid_extent[2] = results->grid_tile[2] = setup->tasks;
    results->grid_picture = true;
}

static void place(const void *job, int64_t task, int64_t start[3], int64_t count[3])
{
    start[0] = start[2] = 0, start[1] = task;
    count[0] = count[1] = 1, count[2] = ((const struct scow_setup *)job)->tasks;
}

/* On the workers: some rows, equally far apart. scow calls this from several threads at once. */
static int compute(const struct scow_host *host, const void *job, const struct scow_batch *batch)
{
    const struct scow_value *values = ((const struct scow_setup *)job)->values;
    const int64_t size = (int64_t)values[SIZE].number;
    uint32_t *pixel = batch->grid;
    for (int64_t k = 0, row = batch->first; k < batch->count; k++, row += batch->stride) {
        for (int64_t column = 0; column < size; column++) {
            double x = 3.0 * (double)column / (double)size - 1.5, y = 1.5 - 3.0 * (double)row / (double)size;
            uint32_t n = 0; /* iterations so far */
            for (; n < values[ITERATIONS].number && x * x + y * y <= 4; n++) {
                const double next = x * x - y * y + values[RE].number;
                y = 2 * x * y + values[IM].number;
                x = next;
            }
            *pixel++ = n;
        }
        if (host->pulse(host)) /* lets messages advance; true: the run is being stopped */
            return SCOW_STOPPED;
    }
    return SCOW_OK;
}

const struct scow_task scow_plugin = {
    SCOW_TASK, .name = "julia", .version = "1", .summary = "a Julia set, row by row",
    .core_task = "one row of pixels", .outcome = "/response: iterations until |z| > 2, uint32 [1][size][size]",
    .parameters = parameters, .input = SCOW_INPUT_NONE, .threads = SCOW_THREADS_HOST, .flags = SCOW_STRIDED,
    .describe = describe, .open = open_job, .results = results, .place = place, .compute = compute};

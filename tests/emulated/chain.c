/*
 * A core task for emulated nodes: a long chain of multiplications, each of the one before, on
 * numbers that the master sends. A virtual machine's core is often one hardware thread of two, and
 * the other one is somebody else's: what keeps a core's units busy, as the matched filter does,
 * may take half as long again from one moment to the next, and no calibration foretells that. A
 * chain waits for itself, and hardly takes longer.
 *
 * A plug-in: cc -O2 -shared -fPIC -I ROOT chain.c -o chain.so; scow calibrate -k ./chain.so
 */
#include <string.h>

#include "kernel/scow.h"

enum parameter_index { TASKS, LINKS, BYTES, NUMBERS };

static const struct scow_parameter parameters[] = {
    [TASKS] = {.name = "tasks",
               .kind = SCOW_WHOLE,
               .help = "core tasks",
               .initial = 112,
               .least = 1,
               .greatest = 1e9},
    [LINKS] = {.name = "links",
               .kind = SCOW_WHOLE,
               .help = "multiplications of a core task; a million take 1.3 ms or so",
               .initial = 9e6,
               .least = 1,
               .greatest = 1e12},
    [BYTES] = {.name = "bytes",
               .kind = SCOW_WHOLE,
               .help = "sent for a core task",
               .initial = 22000,
               .least = 8,
               .greatest = 1e8},
    [NUMBERS] = {.name = "numbers",
                 .kind = SCOW_WHOLE,
                 .help = "of 4 bytes, that a core task leaves",
                 .initial = 15625,
                 .least = 1,
                 .greatest = 1e8},
    {.name = NULL}};

static int64_t parameter(const struct scow_setup *setup, enum parameter_index which)
{
    return (int64_t)setup->values[which].number;
}

static uint64_t step(uint64_t number)
{
    return number * 6364136223846793005u + 1442695040888963407u; /* Knuth's MMIX */
}

static int chain_describe(const struct scow_host *host, const struct scow_value *values,
                          const struct scow_input *input, int64_t *tasks)
{
    (void)host, (void)input;
    *tasks = (int64_t)values[TASKS].number;
    return SCOW_OK;
}

/* The job is its setup, which outlives it. */
static int chain_open(const struct scow_host *host, const struct scow_setup *setup, void **job)
{
    (void)host;
    memcpy(job, &setup, sizeof setup);
    return SCOW_OK;
}

static void chain_results(const void *job, struct scow_results *results)
{
    const struct scow_setup *setup = job;
    results->grid_type = SCOW_U32;
    results->grid_extent[0] = 1;
    results->grid_extent[1] = setup->tasks;
    results->grid_extent[2] = parameter(setup, NUMBERS);
    results->grid_tile[0] = results->grid_tile[1] = 1;
    results->grid_tile[2] = results->grid_extent[2];
}

static void chain_place(const void *job, int64_t task, int64_t start[3], int64_t count[3])
{
    start[0] = start[2] = 0;
    start[1] = task;
    count[0] = count[1] = 1;
    count[2] = parameter(job, NUMBERS);
}

static size_t chain_package_size_most(const void *job, int64_t count)
{
    return (size_t)(count * parameter(job, BYTES));
}

/* A number that follows from the task's, as often as there is room. */
static int chain_pack(const struct scow_host *host, const void *job, int64_t first, int64_t count,
                      void *package, size_t *size)
{
    const size_t bytes = (size_t)parameter(job, BYTES);
    (void)host;
    *size = (size_t)count * bytes;
    for (int64_t k = 0; k < count; k++) {
        char *part = (char *)package + (size_t)k * bytes;
        const uint64_t number = step((uint64_t)(first + k));
        memset(part, 0, bytes);
        for (size_t at = 0; at + sizeof number <= bytes; at += sizeof number)
            memcpy(part + at, &number, sizeof number);
    }
    return SCOW_OK;
}

/* Of all that was sent for a core task: where its chain begins. */
static uint64_t chain_begin(const char *part, size_t bytes)
{
    uint64_t sum = 0, number;
    for (size_t at = 0; at + sizeof number <= bytes; at += sizeof number) {
        memcpy(&number, part + at, sizeof number);
        sum += number;
    }
    return sum;
}

/* Looks up now and then. */
static bool chain_follow(const struct scow_host *host, uint64_t *number, int64_t links)
{
    const int64_t stretch = 1 << 19;
    for (int64_t done = 0; done < links; done += stretch) {
        const int64_t rest = links - done, now = rest < stretch ? rest : stretch;
        for (int64_t k = 0; k < now; k++)
            *number = step(*number);
        if (host->pulse(host))
            return false;
    }
    return true;
}

static int chain_compute(const struct scow_host *host, const void *job,
                         const struct scow_batch *batch)
{
    const size_t bytes = (size_t)parameter(job, BYTES);
    const int64_t numbers = parameter(job, NUMBERS);
    for (int64_t k = 0; k < batch->count; k++) {
        const int64_t at = batch->first + k - batch->package_first;
        uint32_t *row = (uint32_t *)batch->grid + k * numbers;
        uint64_t number = chain_begin((const char *)batch->package + (size_t)at * bytes, bytes);
        if (!chain_follow(host, &number, parameter(job, LINKS)))
            return SCOW_STOPPED;
        for (int64_t n = 0; n < numbers; n++)
            row[n] = (uint32_t)(number >> 32) + (uint32_t)n;
    }
    return SCOW_OK;
}

const struct scow_task scow_plugin = {
    SCOW_TASK,
    .name = "chain",
    .version = "1",
    .summary =
        "multiply what has been multiplied, at a pace that a core's other users hardly change",
    .core_task = "a chain of multiplications",
    .outcome = "/response: uint32, a row of numbers for every core task",
    .parameters = parameters,
    .input = SCOW_INPUT_NONE,
    .threads = SCOW_THREADS_HOST,
    .describe = chain_describe,
    .open = chain_open,
    .results = chain_results,
    .package_size_most = chain_package_size_most,
    .pack = chain_pack,
    .compute = chain_compute,
    .place = chain_place,
};

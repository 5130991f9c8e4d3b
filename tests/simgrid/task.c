#include "tests/simgrid/task.h"

#include <mpi.h>
#include <smpi/smpi.h>
#include <string.h>

#define FLOPS .kind = SCOW_NUMBER, .greatest = 1e18
#define SECONDS .kind = SCOW_NUMBER, .greatest = 1e6

static const struct scow_parameter parameters[] = {
    [TASK_TASKS] = {.name = "tasks", .help = "core tasks", .kind = SCOW_WHOLE, .greatest = 1e9},
    [TASK_BYTES] = {.name = "bytes",
                    .help = "bytes of a core task",
                    .kind = SCOW_WHOLE,
                    .initial = 8,
                    .least = 8,
                    .greatest = 1e9},
    [TASK_FLOPS] = {.name = "flops", .help = "to compute a core task", FLOPS},
    [TASK_PACKAGE_FLOPS] = {.name = "package-flops", .help = "to begin with a package", FLOPS},
    [TASK_PACK_FLOPS] = {.name = "pack-flops", .help = "the master's for each core task", FLOPS},
    [TASK_ENVELOPE_FLOPS] = {.name = "envelope-flops", .help = "the master's to begin", FLOPS},
    [TASK_OUTPUT_LATENCY] = {.name = "output-latency", .help = "the store's to begin", SECONDS},
    [TASK_OUTPUT_RATE] = {.name = "output-rate", .help = "the store's for each core task", SECONDS},
    [TASK_PULSES] = {.name = "pulses",
                     .help = "looks at messages while computing a core task",
                     .kind = SCOW_WHOLE,
                     .greatest = 1e6},
    [TASK_PARAMETERS] = {.name = NULL}};

static const struct scow_field fields[] = {
    {.name = "number", .type = SCOW_I64, .offset = 0, .count = 1}, {.name = NULL}};

static int simulated_describe(const struct scow_host *host, const struct scow_value *values,
                              const struct scow_input *input, int64_t *tasks)
{
    (void)host, (void)input;
    *tasks = (int64_t)values[TASK_TASKS].number;
    return SCOW_OK;
}

static int simulated_open(const struct scow_host *host, const struct scow_setup *setup, void **job)
{
    (void)host;
    *job = (void *)(uintptr_t)setup->values;
    return SCOW_OK;
}

static double number_of(const void *job, enum task_parameter parameter)
{
    return ((const struct scow_value *)job)[parameter].number;
}

static void simulated_results(const void *job, struct scow_results *results)
{
    (void)job;
    results->fields = fields;
    results->record_size = sizeof(int64_t);
}

static size_t simulated_size(const void *job, int64_t count)
{
    return (size_t)count * (size_t)number_of(job, TASK_BYTES);
}

/* Every core task's bytes begin with its number. */
static int simulated_pack(const struct scow_host *host, const void *job, int64_t first,
                          int64_t count, void *package, size_t *size)
{
    (void)host;
    for (int64_t k = 0; k < count; k++) {
        const int64_t task = first + k;
        memcpy((char *)package + simulated_size(job, k), &task, sizeof task);
    }
    *size = simulated_size(job, count);
    smpi_execute_flops(number_of(job, TASK_ENVELOPE_FLOPS) +
                       number_of(job, TASK_PACK_FLOPS) * (double)count);
    return SCOW_OK;
}

/* In so many parts of each core task, with a pulse after each; or all at once. */
static int tasks_execute(const struct scow_host *host, const void *job, int64_t count)
{
    const int64_t pulses = count * (int64_t)number_of(job, TASK_PULSES);
    const double flops = number_of(job, TASK_FLOPS) * (double)count;
    if (pulses == 0)
        smpi_execute_flops(flops);
    for (int64_t k = 0; k < pulses; k++) {
        smpi_execute_flops(flops / (double)pulses);
        if (host->pulse(host))
            return SCOW_STOPPED;
    }
    return SCOW_OK;
}

static int simulated_compute(const struct scow_host *host, const void *job,
                             const struct scow_batch *batch)
{
    for (int64_t k = 0; k < batch->count; k++) {
        int64_t task;
        memcpy(&task, (const char *)batch->package + simulated_size(job, k), sizeof task);
        if (task != batch->first + k)
            return host->fail(host, "core task %lld came in place of %lld", (long long)task,
                              (long long)(batch->first + k));
        memcpy((char *)batch->records + sizeof task * (size_t)k, &task, sizeof task);
    }
    smpi_execute_flops(number_of(job, TASK_PACKAGE_FLOPS));
    return tasks_execute(host, job, batch->count);
}

const struct scow_task simulated_task = {
    SCOW_TASK,
    .name = "simulated",
    .version = "1",
    .summary = "costs operations of a simulated host",
    .core_task = "so many operations",
    .outcome = "its number",
    .parameters = parameters,
    .input = SCOW_INPUT_NONE,
    .threads = SCOW_THREADS_OWN,
    .describe = simulated_describe,
    .open = simulated_open,
    .results = simulated_results,
    .package_size_most = simulated_size,
    .pack = simulated_pack,
    .compute = simulated_compute,
};

/* A plug-in whose core tasks are lines: how long they are. */
#include <stddef.h>
#include <string.h>

#include "kernel/scow.h"

static int lines_describe(const struct scow_host *host, const struct scow_value *values,
                          const struct scow_input *input, int64_t *tasks)
{
    (void)host;
    (void)values;
    *tasks = input->extent[0];
    return SCOW_OK;
}

static void lines_results(const void *job, struct scow_results *results)
{
    static const struct scow_field fields[] = {{"bytes", SCOW_I64, 0, 1, 0}, {.name = NULL}};
    (void)job;
    results->fields = fields;
    results->record_size = sizeof(int64_t);
}

static size_t lines_most(const void *job, int64_t count)
{
    (void)job;
    return (size_t)count * sizeof(int64_t);
}

static int lines_pack(const struct scow_host *host, const void *job, int64_t first, int64_t count,
                      void *package, size_t *size)
{
    struct scow_item item;
    for (int64_t k = 0; k < count; k++) {
        const int status = host->read_item(host, first + k, &item);
        if (status != SCOW_OK)
            return status;
        ((int64_t *)package)[k] = (int64_t)item.size;
    }
    *size = lines_most(job, count);
    return SCOW_OK;
}

static int lines_compute(const struct scow_host *host, const void *job,
                         const struct scow_batch *batch)
{
    (void)host;
    (void)job;
    memcpy(batch->records, (const int64_t *)batch->package + (batch->first - batch->package_first),
           (size_t)batch->count * sizeof(int64_t));
    return SCOW_OK;
}

const struct scow_task scow_plugin = {
    SCOW_TASK,
    .name = "lengths",
    .version = "1",
    .summary = "how long lines are",
    .core_task = "one line",
    .outcome = "records: bytes",
    .input = SCOW_INPUT_LINES,
    .describe = lines_describe,
    .results = lines_results,
    .package_size_most = lines_most,
    .pack = lines_pack,
    .compute = lines_compute,
};

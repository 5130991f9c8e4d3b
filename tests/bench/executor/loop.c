/* The loop as a core task of scow: a task of the one is one of the other. */
#include <scow.h>

#include "loop.h"

enum parameter { TASKS, SHAPE, MANNER };

static const char *const shapes[] = {"equal", "scattered", "last", NULL};
static const char *const manners[] = {"spin", "sleep", NULL};

static const struct scow_parameter parameters[] = {
    {.name = "tasks",
     .kind = SCOW_WHOLE,
     .help = "of the loop",
     .initial = 20000,
     .least = 1,
     .greatest = 1e9},
    {.name = "shape",
     .kind = SCOW_WORD,
     .help = "which tasks are ten times as heavy",
     .words = shapes},
    {.name = "manner", .kind = SCOW_WORD, .help = "how time passes", .words = manners},
    {.name = NULL}};

struct record {
    uint64_t task;
};

static const struct scow_field fields[] = {{.name = "task", .type = SCOW_U64, .count = 1},
                                           {.name = NULL}};

static int describe(const struct scow_host *host, const struct scow_value *values,
                    const struct scow_input *input, int64_t *tasks)
{
    (void)host;
    (void)input;
    *tasks = (int64_t)values[TASKS].number;
    return SCOW_OK;
}

static int open_job(const struct scow_host *host, const struct scow_setup *setup, void **job)
{
    (void)host;
    *job = (void *)(uintptr_t)setup;
    return SCOW_OK;
}

static void results(const void *job, struct scow_results *results)
{
    (void)job;
    results->fields = fields;
    results->record_size = sizeof(struct record);
}

/* Tasks that sleep do so back to back, to a common end: a nap for each would cost more than it. */
static int compute(const struct scow_host *host, const void *job, const struct scow_batch *batch)
{
    const struct scow_setup *setup = job;
    const enum loop_shape shape = (enum loop_shape)setup->values[SHAPE].number;
    const bool sleeps = setup->values[MANNER].number > 0;
    struct record *records = batch->records;
    double end_s = loop_now();
    for (int64_t k = 0; k < batch->count; k++) {
        const int64_t task = batch->first + k;
        end_s += loop_seconds(task, setup->tasks, shape);
        if (!sleeps || k % 20 == 19 || k + 1 == batch->count)
            loop_until(end_s, sleeps);
        records[k].task = (uint64_t)task;
        if (k % 20 == 19 && host->pulse(host))
            return SCOW_STOPPED;
    }
    return SCOW_OK;
}

const struct scow_task scow_plugin = {SCOW_TASK,
                                      .name = "loop",
                                      .version = "1",
                                      .summary = "a loop whose tasks spin or sleep",
                                      .core_task = "some 50 or 500 microseconds",
                                      .outcome = "/result: each core task's number",
                                      .parameters = parameters,
                                      .input = SCOW_INPUT_NONE,
                                      .threads = SCOW_THREADS_OWN,
                                      .describe = describe,
                                      .open = open_job,
                                      .results = results,
                                      .compute = compute};

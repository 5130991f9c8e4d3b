#include "kernel/sleep/sleep.h"

enum parameter_index { TASKS };

static const struct scow_parameter parameters[] = {
    [TASKS] = {.name = "tasks",
               .kind = SCOW_WHOLE,
               .help = "core tasks of the job, where neither -X nor a plan says how many",
               .greatest = 9007199254740992.0},
    {.name = NULL}};

struct sleep_record {
    uint64_t hash;
};

static const struct scow_field fields[] = {
    {.name = "hash", .type = SCOW_U64, .offset = 0, .count = 1}, {.name = NULL}};

/* What core task `task` leaves: the output function of SplitMix64 (Steele, Lea, Flood, Fast
 * splittable pseudorandom number generators, OOPSLA 2014, figure 16) of its number. */
static uint64_t sleep_hash(int64_t task)
{
    uint64_t z = (uint64_t)task + 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

static int sleep_describe(const struct scow_host *host, const struct scow_value *values,
                          const struct scow_input *input, int64_t *tasks)
{
    (void)input;
    *tasks = (int64_t)values[TASKS].number;
    if (*tasks < 1)
        return host->fail(
            host, "the number of core tasks is missing: plan with -X TASKS, or calibrate with "
                  "--tasks N");
    return SCOW_OK;
}

static void sleep_results(const void *job, struct scow_results *results)
{
    (void)job;
    results->fields = fields;
    results->record_size = sizeof(struct sleep_record);
}

static int sleep_compute(const struct scow_host *host, const void *job,
                         const struct scow_batch *batch)
{
    struct sleep_record *records = batch->records;
    (void)host;
    (void)job;
    for (int64_t k = 0; k < batch->count; k++)
        records[k].hash = sleep_hash(batch->first + k);
    return SCOW_OK;
}

const struct scow_task sleep_task = {
    SCOW_TASK,
    .name = "sleep",
    .version = "1",
    .summary = "sleep what the profile says, to try the executor with known costs",
    .core_task = "sleeping",
    .outcome = "/result: a hash of each core task's number",
    .parameters = parameters,
    .input = SCOW_INPUT_NONE,
    .threads = SCOW_THREADS_OWN,
    .flags = SCOW_SLEEP,
    .describe = sleep_describe,
    .results = sleep_results,
    .compute = sleep_compute,
};

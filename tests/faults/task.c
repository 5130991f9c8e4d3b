#include "tests/faults/task.h"

#include <inttypes.h>
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernel/scow.h"
#include "tests/faults/world.h"

struct habits habits;

static const struct scow_field fields[] = {
    {.name = "number", .type = SCOW_I64, .offset = offsetof(struct record, number), .count = 1},
    {.name = "hash", .type = SCOW_U64, .offset = offsetof(struct record, hash), .count = 1},
    {.name = NULL}};

static char reducing;

static uint64_t hash_of(int64_t number)
{
    uint64_t z = ((uint64_t)number + 1) * 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 31)) * 0xbf58476d1ce4e5b9u;
    return z ^ (z >> 29);
}

bool task_fails(int64_t number)
{
    return habits.failing > 0 && number % habits.failing == habits.failing - 1;
}

void task_record(int64_t number, struct record *record)
{
    *record = (struct record){number, hash_of(number)};
}

void task_sum_add(struct census_sum *sum, int64_t number)
{
    sum->tasks++;
    sum->numbers += (uint64_t)number;
    sum->hashes += hash_of(number);
}

int task_sum_print(const struct census_sum *sum, char *text, size_t size)
{
    return snprintf(text, size,
                    "{\"tasks\": %" PRId64 ", \"numbers\": %" PRIu64 ", \"hashes\": \"%" PRIx64
                    "\"}",
                    sum->tasks, sum->numbers, sum->hashes);
}

/* ---- callbacks ------------------------------------------------------------------------------- */

static int simple_describe(const struct scow_host *host, const struct scow_value *values,
                           const struct scow_input *input, int64_t *tasks)
{
    (void)host, (void)values, (void)input;
    *tasks = habits.tasks;
    return SCOW_OK;
}

static int simple_open(const struct scow_host *host, const struct scow_setup *setup, void **job)
{
    (void)host, (void)setup;
    *job = NULL;
    return SCOW_OK;
}

static int reducing_open(const struct scow_host *host, const struct scow_setup *setup, void **job)
{
    (void)host, (void)setup;
    *job = &reducing;
    return SCOW_OK;
}

static void results(const void *job, struct scow_results *results)
{
    results->fields = fields;
    results->record_size = sizeof(struct record);
    results->state_size = job ? sizeof(struct census_sum) : 0;
}

static size_t package_size(const void *job, int64_t count)
{
    (void)job;
    return (size_t)count * habits.bytes;
}

static int pack(const struct scow_host *host, const void *job, int64_t first, int64_t count,
                void *package, size_t *size)
{
    (void)host;
    *size = package_size(job, count);
    memset(package, 0, *size);
    for (int64_t k = 0; k < count; k++) {
        const int64_t number = first + k;
        memcpy((char *)package + package_size(job, k), &number, sizeof number);
    }
    return SCOW_OK;
}

/* In steps, between which messages advance. */
static bool work(const struct scow_host *host, int64_t number)
{
    static const double step_s = 0.1;
    const double whole_s =
        habits.mean_s * (habits.noisy ? 0.1 + (double)(hash_of(number) % 100) / 30 : 1);
    const int steps = (int)ceil(whole_s / step_s);
    world.current->working = number;
    for (int step = 0; step < steps; step++) {
        world_sleep(whole_s / steps, false);
        if (host->pulse(host))
            return false;
    }
    if (number == habits.deadly) {
        world_say("core task %lld kills rank %d", (long long)number, world.current->number);
        world.losses++;
        world_leave(world.current, RANK_KILLED, 0);
    }
    world.current->working = -1;
    return true;
}

static int compute(const struct scow_host *host, const void *job, const struct scow_batch *batch)
{
    for (int64_t k = 0; k < batch->count; k++) {
        int64_t number;
        memcpy(&number, (const char *)batch->package + package_size(job, k), sizeof number);
        if (number != batch->first + k)
            return host->fail(host, "core task %" PRId64 " came in place of %" PRId64, number,
                              batch->first + k);
        if (!work(host, number))
            return SCOW_STOPPED;
        if (task_fails(number)) {
            host->reject(host, number, "it is one of those that fail");
            continue;
        }
        task_record(number, (struct record *)batch->records + k);
        if (job)
            task_sum_add(batch->state, number);
    }
    return SCOW_OK;
}

static void reset(const void *job, void *state)
{
    (void)job;
    memset(state, 0, sizeof(struct census_sum));
}

static void merge(const void *job, void *state, const void *part)
{
    struct census_sum *sum = state;
    const struct census_sum *more = part;
    (void)job;
    sum->tasks += more->tasks;
    sum->numbers += more->numbers;
    sum->hashes += more->hashes;
}

static int print(const void *job, const void *state, char *json, size_t size)
{
    (void)job;
    return task_sum_print(state, json, size);
}

#define COMMON                                                                                     \
    SCOW_TASK, .version = "1", .summary = "says its number", .core_task = "a number",              \
               .outcome = "its number and a hash", .input = SCOW_INPUT_NONE,                       \
               .threads = SCOW_THREADS_OWN, .describe = simple_describe, .results = results,       \
               .package_size_most = package_size, .pack = pack, .compute = compute

static const struct scow_task simple_task = {COMMON, .name = "simple", .open = simple_open};
static const struct scow_task reducing_task = {
    COMMON,         .name = "reducing", .open = reducing_open,
    .reset = reset, .merge = merge,     .print = print};

struct job *task_job(int64_t tasks, bool reduces, bool behind)
{
    static struct job jobs[2];
    static bool made;
    for (int k = 0; k < 2 && !made; k++) {
        const struct values values = {0};
        struct description description = {.tasks = tasks};
        struct failure failure = FAILURE_INIT;
        if (!job_open(&jobs[k], k == 0 ? &simple_task : &reducing_task, &values, &description, NULL,
                      &failure)) {
            fprintf(stderr, "%s\n", failure.text);
            abort();
        }
    }
    made = true;
    struct job *job = &jobs[reduces];
    job->setup.tasks = tasks;
    job->values.write_behind = behind;
    return job;
}

#include "tests/faults/task.h"

#include <inttypes.h>
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernel/scow.h"
#include "tests/faults/models.h"
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

/* Each level has results of its own. */
uint64_t task_hash(int level, int64_t number)
{
    return hash_of(number ^ (int64_t)level << 40);
}

bool task_fails(int64_t number)
{
    return habits.failing > 0 && number % habits.failing == habits.failing - 1;
}

void task_record(int64_t number, struct record *record)
{
    *record = (struct record){number, task_hash(habits.level, number)};
}

void task_sum_add(struct census_sum *sum, int64_t number)
{
    sum->tasks++;
    sum->numbers += (uint64_t)number;
    sum->hashes += hash_of(number);
}

void task_sum_merge(struct census_sum *sum, const struct census_sum *more)
{
    sum->tasks += more->tasks;
    sum->numbers += more->numbers;
    sum->hashes += more->hashes;
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

/* In steps, between which messages advance. False: it is told to stop. */
static bool spend(const struct scow_host *host, double whole_s, double step_s)
{
    const int steps = (int)ceil(whole_s / step_s);
    for (int step = 0; step < steps; step++) {
        world_sleep(whole_s / steps, false);
        if (host->pulse(host))
            return false;
    }
    return true;
}

static void processor_count(double worked_s, double queued_s)
{
    world.current->worked_s += worked_s;
    world.current->queued_s += queued_s;
}

static bool work(const struct scow_host *host, int64_t number)
{
    static const double step_s = 0.1;
    const double share = world.current->share;
    const double whole_s =
        habits.mean_s * (habits.noisy ? 0.1 + (double)(hash_of(number) % 100) / 30 : 1);
    world.current->working = number;
    if (!spend(host, whole_s, step_s))
        return false;
    if (!models_loaded() && !world.whole)
        processor_count(share * whole_s, (1 - share) * whole_s);
    if (number == habits.deadly) {
        world_say("core task %lld kills rank %d", (long long)number, world.current->number);
        world.losses++;
        world_leave(world.current, RANK_KILLED, 0);
    }
    world.current->working = -1;
    return true;
}

/* Computes a package by its profile, on a processor that others load. */
static bool loaded_work(const struct scow_host *host, int64_t tasks)
{
    static const double step_s = 0.005;
    const struct models_computing takes = models_computing(tasks);
    processor_count(takes.alone_s, takes.lasts_s - takes.alone_s);
    return spend(host, takes.lasts_s, step_s);
}

static int compute(const struct scow_host *host, const void *job, const struct scow_batch *batch)
{
    if (world.whole)
        processor_count(models_computing(batch->count).alone_s, 0);
    if (models_loaded() && !loaded_work(host, batch->count))
        return SCOW_STOPPED;
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

/* ---- a search ------------------------------------------------------------------------------ */

enum { DEPTH_MOST = 8, NEXT_MOST = 30 };

/* The job of a level is the address of one of these. */
static char searching[DEPTH_MOST + 1];

static int level_of(const void *job)
{
    return (int)((const char *)job - searching);
}

static uint64_t emitted_sum(int level, int64_t tasks)
{
    uint64_t sum = 0;
    for (int64_t k = 0; k < tasks; k++)
        sum += task_hash(level, k);
    return sum;
}

static int64_t next_of(int level, uint64_t sum)
{
    return level >= habits.depth ? 0 : 1 + (int64_t)(sum % NEXT_MOST);
}

int64_t task_next(int level, int64_t tasks)
{
    return next_of(level, emitted_sum(level, tasks));
}

/* It is told what the level before has emitted. */
static int search_open(const struct scow_host *host, const struct scow_setup *setup, void **job)
{
    uint64_t sum = 0;
    if (setup->level > 1 && setup->shared_size == sizeof sum)
        memcpy(&sum, setup->shared, sizeof sum);
    if (setup->level < 1 || setup->level > DEPTH_MOST ||
        (setup->level > 1 && setup->tasks != next_of((int)setup->level - 1, sum)))
        return host->fail(host, "level %" PRId64 " has %" PRId64 " core tasks, made of %" PRIx64,
                          setup->level, setup->tasks, sum);
    *job = &searching[setup->level];
    return SCOW_OK;
}

static void search_results(const void *job, struct scow_results *results)
{
    (void)job;
    results->fields = fields;
    results->record_size = sizeof(struct record);
    results->emits = true;
}

static int search_compute(const struct scow_host *host, const void *job,
                          const struct scow_batch *batch)
{
    for (int64_t k = 0; k < batch->count; k++) {
        const int64_t number = batch->first + k;
        const uint64_t hash = task_hash(level_of(job), number);
        const struct record record = {number, hash};
        if (!work(host, number))
            return SCOW_STOPPED;
        memcpy((char *)batch->records + (size_t)k * sizeof record, &record, sizeof record);
        const int status = host->emit(host, number, &hash, sizeof hash);
        if (status != SCOW_OK)
            return status;
    }
    return SCOW_OK;
}

/* Checks that each core task has emitted what it should, once. */
static int search_next(const struct scow_host *host, const void *job,
                       const struct scow_survivors *in, int64_t *tasks)
{
    const int level = level_of(job);
    uint64_t sum = 0;
    for (int64_t k = 0; k < in->tasks; k++) {
        uint64_t hash = 0;
        if (in->at[k + 1] - in->at[k] == (int64_t)sizeof hash)
            memcpy(&hash, (const char *)in->bytes + in->at[k], sizeof hash);
        if (hash != task_hash(level, k)) {
            world_wrong("core task %" PRId64 " of level %d has left another thing", k, level);
            return host->fail(host, "core task %" PRId64 " has left another thing", k);
        }
        sum += hash;
    }
    *tasks = next_of(level, sum);
    return host->share(host, &sum, sizeof sum);
}

static void reset(const void *job, void *state)
{
    (void)job;
    memset(state, 0, sizeof(struct census_sum));
}

static void merge(const void *job, void *state, const void *part)
{
    (void)job;
    task_sum_merge(state, part);
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

static const struct scow_task simple_sleeping_task = {COMMON, .name = "simple-sleeping",
                                                      .flags = SCOW_SLEEP, .open = simple_open};
static const struct scow_task reducing_sleeping_task = {COMMON,
                                                        .name = "reducing-sleeping",
                                                        .flags = SCOW_SLEEP,
                                                        .open = reducing_open,
                                                        .reset = reset,
                                                        .merge = merge,
                                                        .print = print};

static const struct scow_task search_task = {SCOW_TASK,
                                             .version = "1",
                                             .summary = "says its number, level by level",
                                             .core_task = "a number",
                                             .outcome = "its number and a hash",
                                             .input = SCOW_INPUT_NONE,
                                             .threads = SCOW_THREADS_OWN,
                                             .flags = SCOW_LEVELS,
                                             .name = "searching",
                                             .describe = simple_describe,
                                             .open = search_open,
                                             .results = search_results,
                                             .package_size_most = package_size,
                                             .pack = pack,
                                             .compute = search_compute,
                                             .next = search_next};

static void job_make(struct job *job, const struct scow_task *task, int64_t level)
{
    const struct values values = {0};
    struct description description = {.tasks = 1, .level = level};
    struct failure failure = FAILURE_INIT;
    if (job_open(job, task, &values, &description, NULL, &failure))
        return;
    fprintf(stderr, "%s\n", failure.text);
    abort();
}

static struct job *job_set(struct job *job, int64_t tasks, bool behind)
{
    job->setup.tasks = tasks;
    job->values.write_behind = behind;
    return job;
}

struct job *task_job_search(int64_t tasks, bool behind)
{
    static struct job job;
    if (!job.task)
        job_make(&job, &search_task, 1);
    return job_set(&job, tasks, behind);
}

struct job *task_job_sleeping(int64_t tasks, bool reduces)
{
    static struct job jobs[2];
    if (!jobs[0].task) {
        job_make(&jobs[0], &simple_sleeping_task, 0);
        job_make(&jobs[1], &reducing_sleeping_task, 0);
    }
    return job_set(&jobs[reduces], tasks, false);
}

struct job *task_job(int64_t tasks, bool reduces, bool behind)
{
    static struct job jobs[2];
    if (!jobs[0].task) {
        job_make(&jobs[0], &simple_task, 0);
        job_make(&jobs[1], &reducing_task, 0);
    }
    return job_set(&jobs[reduces], tasks, behind);
}

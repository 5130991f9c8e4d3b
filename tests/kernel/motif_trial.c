#include "tests/kernel/motif_trial.h"

#include <stdlib.h>
#include <string.h>

#include "tests/kernel/random.h"

enum { GUARD = 64 };

static void *must(void *memory)
{
    if (!memory)
        abort();
    return memory;
}

static void values_set(struct scow_value *values, const struct motif_wanted *wanted)
{
    values[MOTIF_SEQUENCES].number = wanted->sequences;
    values[MOTIF_LENGTH].number = wanted->length;
    values[MOTIF_POSITIONS].number = wanted->positions;
    values[MOTIF_SEARCH].number = wanted->search;
    values[MOTIF_GRAIN].number = (double)wanted->grain;
    values[MOTIF_SHIP].number = wanted->ship;
}

bool motif_trial_open(struct motif_trial *trial, const struct motif_sequences *sequences,
                      const struct motif_wanted *wanted)
{
    *trial = (struct motif_trial){.job = NULL};
    memory_host_init(&trial->memory);
    for (int i = 0; i < sequences->count; i++)
        trial->items[i] = (struct scow_item){sequences->letters[i], strlen(sequences->letters[i]),
                                             sequences->names[i]};
    values_set(trial->values, wanted);
    trial->memory.items = trial->items;
    trial->memory.input = (struct scow_input){
        .kind = SCOW_INPUT_SEQUENCES, .extent = {sequences->count, 0, 0}, .name = "dna.fa"};
    trial->setup = (struct scow_setup){.values = trial->values, .input = trial->memory.input};
    const struct scow_host *host = &trial->memory.host;
    if (motif_task.describe(host, trial->values, &trial->setup.input, &trial->setup.tasks) !=
        SCOW_OK)
        return false;
    trial->setup.shared = trial->memory.shared;
    trial->setup.shared_size = trial->memory.shared_size;
    return motif_task.open(host, &trial->setup, &trial->job) == SCOW_OK;
}

void motif_trial_close(struct motif_trial *trial)
{
    motif_task.close(trial->job);
    memory_host_release(&trial->memory);
    trial->job = NULL;
}

static size_t rounded(size_t size, size_t alignment)
{
    return (size + alignment - 1) / alignment * alignment;
}

/* What belongs to one of the computing threads. */
struct caller {
    struct memory_host memory;
    void *workspace, *state;
    int status;
};

struct running {
    struct motif_trial *trial;
    int threads;
    struct caller *callers;
    size_t state_size;
    void *total;
};

static void callers_make(struct running *running)
{
    const size_t size = rounded(motif_task.workspace_size(running->trial->job, 1), 4096);
    running->callers = must(calloc((size_t)running->threads, sizeof *running->callers));
    for (int i = 0; i < running->threads; i++) {
        memory_host_init(&running->callers[i].memory);
        running->callers[i].memory.pulses_until_stop = running->trial->memory.pulses_until_stop;
        running->callers[i].workspace = must(aligned_alloc(4096, size));
        memset(running->callers[i].workspace, 0, size);
        running->callers[i].state = must(malloc(running->state_size));
    }
}

static void callers_free(struct running *running)
{
    for (int i = 0; i < running->threads; i++) {
        running->trial->memory.pulses += running->callers[i].memory.pulses;
        memory_host_release(&running->callers[i].memory);
        free(running->callers[i].workspace);
        free(running->callers[i].state);
    }
    free(running->callers);
}

/* Thread number i's part of a package. */
static void part_compute(const struct running *running, int i, const struct scow_batch *whole)
{
    const void *job = running->trial->job;
    struct caller *caller = &running->callers[i];
    struct scow_batch part = *whole;
    part.first = whole->package_first + whole->package_count * i / running->threads;
    part.count =
        whole->package_first + whole->package_count * (i + 1) / running->threads - part.first;
    part.workspace = caller->workspace;
    part.state = caller->state;
    motif_task.reset(job, caller->state);
    caller->status = SCOW_OK;
    memory_host_restart(&caller->memory);
    if (part.count > 0)
        caller->status = motif_task.compute(&caller->memory.host, job, &part);
}

static int package_compute(const struct running *running, const struct scow_batch *package)
{
    int status = SCOW_OK;
#pragma omp parallel for num_threads(running->threads) schedule(static, 1)
    for (int i = 0; i < running->threads; i++)
        part_compute(running, i, package);
    for (int i = 0; i < running->threads; i++) {
        if (running->callers[i].status == SCOW_OK)
            motif_task.merge(running->trial->job, running->total, running->callers[i].state);
        else
            status = running->callers[i].status;
    }
    return status;
}

/* In exactly the memory that it may use, so that a sanitizer sees any access beyond it. */
static int package_run(const struct running *running, int64_t first, int64_t count)
{
    const void *job = running->trial->job;
    const size_t most = motif_task.package_size_most(job, count);
    unsigned char *bytes = must(aligned_alloc(64, rounded(most + GUARD, 64)));
    struct scow_batch batch = {
        .package_first = first, .package_count = count, .threads = 1, .rank = 1};
    size_t size = 0;
    memset(bytes, 0xa5, most + GUARD);
    if (motif_task.pack(&running->trial->memory.host, job, first, count, bytes, &size) != SCOW_OK ||
        size > most || bytes[size] != 0xa5)
        abort();
    unsigned char *exact = must(aligned_alloc(64, rounded(size, 64) + 64));
    memcpy(exact, bytes, size);
    free(bytes);
    batch.package = exact;
    batch.package_size = size;
    const int status = package_compute(running, &batch);
    free(exact);
    return status;
}

/* Package number i comes as number i * step % count: all of them, in another order. */
static int64_t step_of(int64_t count, uint64_t seed)
{
    struct random random = {seed};
    int64_t step = seed ? random_between(&random, 1, count) : 1, a = step, b = count;
    while (b != 0) {
        const int64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a == 1 ? step : 1;
}

static int packages_run(const struct running *running, int64_t package, uint64_t seed)
{
    const int64_t tasks = running->trial->setup.tasks, count = (tasks + package - 1) / package;
    const int64_t step = step_of(count, seed);
    int64_t at = 0;
    for (int64_t i = 0; i < count; i++, at = (at + step) % count) {
        const int64_t first = at * package;
        const int status =
            package_run(running, first, tasks - first < package ? tasks - first : package);
        if (status != SCOW_OK)
            return status;
    }
    return SCOW_OK;
}

static char *outcome_text(const void *job, const void *state)
{
    const int size = motif_task.print(job, state, NULL, 0) + 1;
    char *json = must(malloc((size_t)size));
    if (motif_task.print(job, state, json, (size_t)size) != size - 1)
        abort();
    return json;
}

int motif_trial_run(struct motif_trial *trial, int64_t package, int threads, uint64_t seed,
                    char **json)
{
    struct scow_results results = {0};
    struct running running = {.trial = trial, .threads = threads};
    motif_task.results(trial->job, &results);
    running.state_size = results.state_size;
    running.total = must(malloc(results.state_size));
    motif_task.reset(trial->job, running.total);
    callers_make(&running);
    const int status = packages_run(&running, package, seed);
    callers_free(&running);
    *json = outcome_text(trial->job, running.total);
    free(running.total);
    return status;
}

int motif_score(const char *json)
{
    return atoi(strchr(json, ':') + 1);
}

void motif_positions(const char *json, int count, int *positions)
{
    const char *at = strchr(json, '[');
    for (int i = 0; i < count; i++) {
        positions[i] = atoi(at + 1);
        at = strchr(at + 1, i + 1 < count ? ',' : ']');
    }
}

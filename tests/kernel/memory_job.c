#include "tests/kernel/memory_job.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernel/type.h"

static _Noreturn void job_abort(const struct scow_task *task, const char *what)
{
    fprintf(stderr, "%s: %s\n", task->name, what);
    abort();
}

/* ---- parameters ---- */

static int parameter_count(const struct scow_task *task)
{
    int count = 0;
    while (task->parameters && task->parameters[count].name)
        count++;
    return count;
}

static int parameter_find(const struct scow_task *task, const char *name)
{
    for (int i = 0; i < parameter_count(task); i++)
        if (strcmp(task->parameters[i].name, name) == 0)
            return i;
    job_abort(task, "no such parameter");
}

static struct scow_value value_of_word(const struct scow_parameter *parameter, int index)
{
    return (struct scow_value){.number = index, .text = parameter->words[index]};
}

static struct scow_value value_initial(const struct scow_parameter *parameter)
{
    if (parameter->kind == SCOW_WORD)
        return value_of_word(parameter, (int)parameter->initial);
    return (struct scow_value){.number = parameter->initial, .text = parameter->text};
}

void memory_job_init(struct memory_job *job, const struct scow_task *task, struct memory_host *host)
{
    *job = (struct memory_job){.task = task, .host = host, .rank = 1};
    const int count = parameter_count(task);
    if (count > MEMORY_PARAMETERS_MOST)
        job_abort(task, "more parameters than the tests have room for");
    for (int i = 0; i < count; i++)
        job->values[i] = value_initial(&task->parameters[i]);
}

void memory_job_number(struct memory_job *job, const char *name, double number)
{
    const int index = parameter_find(job->task, name);
    const struct scow_parameter *parameter = &job->task->parameters[index];
    const bool whole = parameter->kind == SCOW_WHOLE;
    if (parameter->kind != SCOW_NUMBER && !whole)
        job_abort(job->task, "a number for what is none");
    if (!(number >= parameter->least && number <= parameter->greatest) ||
        (whole && floor(number) < number))
        job_abort(job->task, "a number out of its parameter's range");
    job->values[index].number = number;
}

void memory_job_word(struct memory_job *job, const char *name, const char *word)
{
    const int index = parameter_find(job->task, name);
    const struct scow_parameter *parameter = &job->task->parameters[index];
    for (int i = 0; parameter->kind == SCOW_WORD && parameter->words[i]; i++)
        if (strcmp(parameter->words[i], word) == 0) {
            job->values[index] = value_of_word(parameter, i);
            return;
        }
    job_abort(job->task, "no such word");
}

void memory_job_text(struct memory_job *job, const char *name, const char *text)
{
    const int index = parameter_find(job->task, name), kind = job->task->parameters[index].kind;
    if (kind != SCOW_TEXT && kind != SCOW_PATH)
        job_abort(job->task, "a text for what is none");
    job->values[index].text = text;
}

const struct scow_value *memory_job_value(const struct memory_job *job, const char *name)
{
    return &job->values[parameter_find(job->task, name)];
}

/* ---- making ready ---- */

/* A callback that fails has said why, and no other one has. */
static bool passed(const struct memory_job *job, int status)
{
    const bool said = job->host->failure[0] != '\0';
    if (status == SCOW_OK ? said : !said)
        job_abort(job->task, "the status and the sentence of a failure do not agree");
    return status == SCOW_OK;
}

static void results_check(const struct memory_job *job)
{
    const struct scow_results *results = &job->results;
    const bool grid = results->grid_type != SCOW_NONE;
    for (int i = 0; grid && i < 3; i++)
        if (results->grid_tile[i] < 1 || results->grid_extent[i] < results->grid_tile[i])
            job_abort(job->task, "a grid that is smaller than what one task fills of it");
    if (!grid && !results->fields && results->state_size == 0 && !results->emits)
        job_abort(job->task, "no results of any kind");
}

/* Opens the job with what the task has shared. */
static bool made_open(struct memory_job *job)
{
    const struct scow_task *task = job->task;
    job->setup.shared = job->host->shared;
    job->setup.shared_size = job->host->shared_size;
    if (task->open && !passed(job, task->open(&job->host->host, &job->setup, &job->made)))
        return false;
    job->opened = true;
    job->results = (struct scow_results){0};
    if (task->results)
        task->results(job->made, &job->results);
    results_check(job);
    return true;
}

bool memory_job_open(struct memory_job *job)
{
    const struct scow_task *task = job->task;
    const struct scow_host *host = &job->host->host;
    memory_host_restart(job->host);
    job->setup = (struct scow_setup){.values = job->values,
                                     .input = job->host->input,
                                     .level = task->flags & SCOW_LEVELS ? 1 : 0};
    if (task->settle && !passed(job, task->settle(host, &job->setup.input, job->values)))
        return false;
    if (!passed(job, task->describe(host, job->values, &job->setup.input, &job->setup.tasks)))
        return false;
    if (job->setup.tasks < 1)
        job_abort(task, "a job without core tasks");
    return made_open(job);
}

void memory_job_close(struct memory_job *job)
{
    if (job->opened && job->task->close)
        job->task->close(job->made);
    job->made = NULL;
    job->opened = false;
}

/* ---- levels ---- */

/* In the order of core tasks; to be released. */
static void survivors_gather(const struct memory_job *job, struct scow_survivors *survivors)
{
    int64_t *at = calloc((size_t)job->setup.tasks + 1, sizeof *at);
    char *bytes = NULL;
    for (int64_t task = 0; at && task < job->setup.tasks; task++) {
        const struct memory_note *note = memory_notes_find(&job->host->emitted, task);
        const size_t size = note ? note->size : 0;
        at[task + 1] = at[task] + (int64_t)size;
        bytes = realloc(bytes, (size_t)at[task + 1] + 1);
        if (bytes && size > 0)
            memcpy(bytes + at[task], note->bytes, size);
    }
    if (!at || !bytes)
        job_abort(job->task, "out of memory");
    *survivors = (struct scow_survivors){job->setup.tasks, at, bytes};
}

bool memory_job_next(struct memory_job *job)
{
    struct scow_survivors survivors;
    void *shared = job->host->shared; /* the level's own, as long as it is open */
    int64_t tasks = 0;
    survivors_gather(job, &survivors);
    job->host->shared = NULL;
    const bool goes_on =
        passed(job, job->task->next(&job->host->host, job->made, &survivors, &tasks)) && tasks > 0;
    memory_job_close(job);
    free(shared);
    free((void *)(uintptr_t)survivors.at);
    free((void *)(uintptr_t)survivors.bytes);
    memory_notes_release(&job->host->emitted);
    job->setup.tasks = tasks;
    job->setup.level++;
    return goes_on && made_open(job);
}

/* ---- computing ---- */

enum { GUARD = 0xa5, GUARD_BYTES = 64 };

/* Exactly so many bytes with a guard behind them, filled with guard bytes. */
static unsigned char *guarded_new(const struct memory_job *job, size_t alignment, size_t size)
{
    void *memory;
    if (posix_memalign(&memory, alignment, size + GUARD_BYTES) != 0)
        job_abort(job->task, "out of memory");
    memset(memory, GUARD, size + GUARD_BYTES);
    return memory;
}

static void guard_check(const struct memory_job *job, const unsigned char *memory, size_t size,
                        const char *what)
{
    for (size_t i = 0; memory && i < GUARD_BYTES; i++)
        if (memory[size + i] != GUARD)
            job_abort(job->task, what);
}

static size_t box_size(const struct scow_results *results)
{
    const int64_t *tile = results->grid_tile;
    return (size_t)(tile[0] * tile[1] * tile[2]) * scow_type_size(results->grid_type);
}

static void outcome_init(struct memory_outcome *outcome, const struct memory_job *job,
                         int64_t count)
{
    const struct scow_results *results = &job->results;
    const size_t tasks = (size_t)count;
    *outcome = (struct memory_outcome){.box_size = box_size(results)};
    if (outcome->box_size > 0)
        outcome->grid = guarded_new(job, 4096, tasks * outcome->box_size);
    if (results->record_size > 0) {
        outcome->records = guarded_new(job, 64, tasks * results->record_size);
        memset(outcome->records, 0, tasks * results->record_size);
    }
    if (results->state_size > 0) {
        outcome->state = guarded_new(job, 64, results->state_size);
        job->task->reset(job->made, outcome->state);
    }
}

static void outcome_check(const struct memory_outcome *outcome, const struct memory_job *job,
                          int64_t count)
{
    const size_t tasks = (size_t)count, record = job->results.record_size;
    guard_check(job, outcome->grid, tasks * outcome->box_size, "written beyond the grid's boxes");
    guard_check(job, outcome->records, tasks * record, "written beyond the records");
    guard_check(job, outcome->state, job->results.state_size, "written beyond the state");
}

void memory_outcome_release(struct memory_outcome *outcome)
{
    free(outcome->state);
    free(outcome->records);
    free(outcome->grid);
    *outcome = (struct memory_outcome){0};
}

/* A package of exactly the bytes that it takes. To be freed; NULL: failed, or nothing is packed. */
static unsigned char *package_new(const struct memory_job *job, int64_t first, int64_t count,
                                  size_t *size, int *status)
{
    const struct scow_task *task = job->task;
    *size = 0;
    *status = SCOW_OK;
    if (!task->pack)
        return NULL;
    const size_t most = task->package_size_most(job->made, count);
    unsigned char *roomy = guarded_new(job, 64, most), *package = NULL;
    *status = task->pack(&job->host->host, job->made, first, count, roomy, size);
    guard_check(job, roomy, most, "written beyond a package");
    if (passed(job, *status)) {
        if (*size > most)
            job_abort(task, "a package is larger than the most it may be");
        package = guarded_new(job, 64, *size);
        memcpy(package, roomy, *size);
    }
    free(roomy);
    return package;
}

/* Its own state first, then the whole's. */
static int batch_compute(const struct memory_job *job, struct scow_batch *batch,
                         struct memory_outcome *outcome)
{
    const struct scow_task *task = job->task;
    const size_t state_size = job->results.state_size;
    if (state_size > 0) {
        batch->state = guarded_new(job, 64, state_size);
        task->reset(job->made, batch->state);
    }
    const int status = task->compute(&job->host->host, job->made, batch);
    if (status != SCOW_STOPPED && passed(job, status) && state_size > 0)
        task->merge(job->made, outcome->state, batch->state);
    guard_check(job, batch->state, state_size, "written beyond a state");
    free(batch->state);
    return status;
}

static int batches_compute(const struct memory_job *job, const struct scow_batch *whole,
                           int64_t most, struct memory_outcome *outcome)
{
    int status = SCOW_OK;
    const int64_t step = most > 0 ? most : whole->count;
    for (int64_t done = 0; status == SCOW_OK && done < whole->count; done += step) {
        struct scow_batch batch = *whole;
        batch.first += done;
        batch.count = whole->count - done < step ? whole->count - done : step;
        if (outcome->grid)
            batch.grid = outcome->grid + (size_t)done * outcome->box_size;
        if (outcome->records)
            batch.records = outcome->records + (size_t)done * job->results.record_size;
        status = batch_compute(job, &batch, outcome);
    }
    return status;
}

int memory_job_compute(const struct memory_job *job, int64_t first, int64_t count, int64_t batch,
                       int threads, struct memory_outcome *outcome)
{
    const struct scow_task *task = job->task;
    int status;
    size_t size;
    memory_host_restart(job->host);
    outcome_init(outcome, job, count);
    unsigned char *package = package_new(job, first, count, &size, &status);
    if (status != SCOW_OK)
        return status;
    const int own = task->threads == SCOW_THREADS_OWN ? threads : 1;
    const size_t space = task->workspace_size ? task->workspace_size(job->made, own) : 0;
    unsigned char *workspace = guarded_new(job, 4096, space);
    memset(workspace, 0, space);
    const struct scow_batch whole = {.first = first,
                                     .count = count,
                                     .stride = 1,
                                     .package = package,
                                     .package_size = size,
                                     .package_first = first,
                                     .package_count = count,
                                     .workspace = workspace,
                                     .threads = own,
                                     .rank = job->rank};
    if (task->start)
        status = task->start(&job->host->host, job->made, workspace);
    if (status == SCOW_OK) {
        status = batches_compute(job, &whole, batch, outcome);
        if (task->stop)
            task->stop(job->made, workspace);
    }
    guard_check(job, workspace, space, "written beyond the workspace");
    guard_check(job, package, size, "written beyond a package while computing");
    outcome_check(outcome, job, count);
    free(workspace);
    free(package);
    return status;
}

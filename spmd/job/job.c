#include "spmd/job/job.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernel/tasks/table.h"
#include "kernel/type.h"
#include "planner/base/nearest.h"
#include "planner/files/document.h"
#include "planner/files/weights_file.h"

/* ---- results check ------------------------------------------------------------------------- */

/* Checks the results and sizes that an opened job announces. */

/* Says "core task 'NAME': WHY: report this to its author"; returns false. */
static bool results_refuse(const struct job *job, const char *why, struct failure *failure)
{
    return failure_set(failure, FAILURE_MISMATCH, "core task '%s': %s: report this to its author",
                       job->task->name, why);
}

static bool grid_check(struct job *job, struct failure *failure)
{
    const struct scow_results *results = &job->results;
    const size_t size =
        results->grid_type == SCOW_TEXT_BYTES ? 0 : scow_type_size(results->grid_type);
    double cells = 1, tile = 1;
    if (results->grid_type == SCOW_NONE)
        return true;
    if (size == 0 || !job->task->place)
        return results_refuse(job, "its grid has no known type, or tasks have no place in it",
                              failure);
    for (int i = 0; i < 3; i++) {
        if (results->grid_tile[i] < 1 || results->grid_extent[i] < results->grid_tile[i])
            return results_refuse(job, "its grid's tiles are empty, or larger than the grid",
                                  failure);
        cells *= (double)results->grid_extent[i];
        tile *= (double)results->grid_tile[i];
    }
    if (cells * (double)size > (double)JOB_SIZE_MOST * 64 ||
        tile * (double)size > (double)JOB_SIZE_MOST)
        return failure_set(
            failure, FAILURE_MISMATCH,
            "core task '%s': a grid of %.3g numbers in tiles of %.3g is more than can be "
            "stored: choose other parameters",
            job->task->name, cells, tile);
    job->tile_size = (size_t)tile * size;
    return true;
}

static bool field_is_good(const struct scow_field *field, size_t record_size)
{
    const size_t size = scow_type_size(field->type);
    return size > 0 && field->count >= 1 &&
           (size_t)field->offset + size * field->count <= record_size;
}

/* HDF5 refuses both, with an error message that would not help a user. */
static bool fields_collide(const struct scow_field *a, const struct scow_field *b)
{
    const size_t a_size = scow_type_size(a->type) * a->count;
    const size_t b_size = scow_type_size(b->type) * b->count;
    return strcmp(a->name, b->name) == 0 || ((size_t)a->offset < (size_t)b->offset + b_size &&
                                             (size_t)b->offset < (size_t)a->offset + a_size);
}

static bool fields_check(struct job *job, struct failure *failure)
{
    const struct scow_results *results = &job->results;
    for (const struct scow_field *field = results->fields; field->name; field++) {
        if (!field_is_good(field, results->record_size))
            return results_refuse(job, "a record's field is of no known type, or outside of it",
                                  failure);
        for (const struct scow_field *before = results->fields; before < field; before++)
            if (fields_collide(before, field))
                return results_refuse(job, "two fields of its records have one name, or one place",
                                      failure);
    }
    return true;
}

static bool records_check(struct job *job, struct failure *failure)
{
    const struct scow_results *results = &job->results;
    if (!results->fields)
        return true;
    if (results->record_size < 1 || results->record_size > (size_t)1 << 30 ||
        !results->fields[0].name)
        return results_refuse(job, "its records are empty, or larger than 1 GiB", failure);
    if (!fields_check(job, failure))
        return false;
    job->record_size = results->record_size;
    return true;
}

/* Refuses sizes beyond any memory, so that sums of sizes cannot overflow. */
static bool memory_check(const struct job *job, struct failure *failure)
{
    const struct scow_task *task = job->task;
    return ((!task->package_size_most ||
             task->package_size_most(job->opened, 1) <= JOB_SIZE_MOST) &&
            (!task->workspace_size || task->workspace_size(job->opened, 1) <= JOB_SIZE_MOST)) ||
           results_refuse(job,
                          "a package of one core task, or the workspace, is larger than any "
                          "memory",
                          failure);
}

/* Can all results be stored and kept in memory? Computes the job's sizes of tile, record and
 * state. */
static bool results_check(struct job *job, struct failure *failure)
{
    const struct scow_task *task = job->task;
    if (!grid_check(job, failure) || !records_check(job, failure))
        return false;
    if (job->results.state_size > (size_t)1 << 24)
        return results_refuse(job, "its reduction's state is larger than 16 MiB", failure);
    if (job->results.state_size > 0 && (!task->reset || !task->merge || !task->print))
        return results_refuse(job, "its reduction lacks reset, merge or print", failure);
    if (task_has_levels(task) && !job->results.emits)
        return results_refuse(job, "its levels follow from what is emitted, and it emits nothing",
                              failure);
    job->state_size = job->results.state_size;
    return memory_check(job, failure);
}

/* ---- job ----------------------------------------------------------------------------------- */

enum { SAID_SIZE = 400 };

static const int64_t tasks_most =
    (int64_t)1 << 53; /* the planner's loads are doubles, which are exact up to here */

/* ---- the host ------------------------------------------------------------------------------ */

void job_sentence(const char *said, char *sentence, size_t size)
{
    size_t used = 0;
    bool gap = false;
    for (const char *c = said; *c && used + 1 + gap < size; c++) {
        const bool blank = (unsigned char)*c <= ' ' || *c == 0x7f;
        if (!blank && gap && used > 0)
            sentence[used++] = ' ';
        if (!blank)
            sentence[used++] = *c;
        gap = blank;
    }
    sentence[used] = '\0';
}

/* An empty text counts as none: job_status then has a sentence of its own. */
static int said_keep(const struct job_host *host, enum failure_code code, const char *where,
                     const char *said)
{
    char sentence[SAID_SIZE];
    job_sentence(said, sentence, sizeof sentence);
    if (!sentence[0])
        return SCOW_FAILED;
#pragma omp critical(scow_job_fail)
    failure_set(host->failure, code, "%s%s%s", where ? where : "", where ? ": " : "", sentence);
    return SCOW_FAILED;
}

__attribute__((format(printf, 2, 3))) static int host_fail(const struct scow_host *base,
                                                           const char *format, ...)
{
    const struct job_host *host = (const struct job_host *)(const void *)base;
    char said[SAID_SIZE];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(said, sizeof said, format, arguments);
    va_end(arguments);
    return said_keep(host, host->code, host->where, said);
}

__attribute__((format(printf, 3, 4))) static int
host_refuse(const struct scow_host *base, const char *parameter, const char *format, ...)
{
    const struct job_host *host = (const struct job_host *)(const void *)base;
    const char *where = host->task ? values_where(host->values, host->task, parameter) : NULL;
    char said[SAID_SIZE];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(said, sizeof said, format, arguments);
    va_end(arguments);
    return said_keep(host, where ? FAILURE_MISMATCH : FAILURE_USAGE, where, said);
}

static int host_read_image(const struct scow_host *base, int64_t slice, int64_t row, int64_t column,
                           int64_t rows, int64_t columns, void *pixels)
{
    const struct job_host *host = (const struct job_host *)(const void *)base;
    if (!host->input)
        return base->fail(base, "an image can be read in describe and pack only");
    const struct scow_input *shape = input_shape(host->input);
    const int64_t *extent = shape->extent;
    if (shape->kind != SCOW_INPUT_IMAGE || slice < 0 || slice >= extent[0] || row < 0 || rows < 0 ||
        row > extent[1] - rows || column < 0 || columns < 0 || column > extent[2] - columns)
        return base->fail(base, "the core task reads pixels that the image does not have");
    return input_read_image(host->input, slice, row, column, rows, columns, pixels, host->failure)
               ? SCOW_OK
               : SCOW_FAILED;
}

static int host_read_item(const struct scow_host *base, int64_t index, struct scow_item *item)
{
    const struct job_host *host = (const struct job_host *)(const void *)base;
    if (!host->input)
        return base->fail(base, "lines and sequences can be read in describe and pack only");
    const struct scow_input *shape = input_shape(host->input);
    if ((shape->kind != SCOW_INPUT_LINES && shape->kind != SCOW_INPUT_SEQUENCES) || index < 0 ||
        index >= shape->extent[0])
        return base->fail(base,
                          "the core task reads a line or sequence that the input does not have");
    return input_read_item(host->input, index, item, host->failure) ? SCOW_OK : SCOW_FAILED;
}

static int host_share(const struct scow_host *base, const void *bytes, size_t size)
{
    const struct job_host *host = (const struct job_host *)(const void *)base;
    if (!host->description || host->description->shared)
        return base->fail(base, "bytes can be shared in describe and next only, and once");
    void *copy = size <= JOB_SIZE_MOST ? malloc(size + 1) : NULL;
    if (!copy) {
        failure_memory(host->failure, "sharing what the core task needs on every rank");
        return SCOW_FAILED;
    }
    if (size > 0)
        memcpy(copy, bytes, size);
    host->description->shared = copy;
    host->description->shared_size = size;
    return SCOW_OK;
}

static bool host_pulse(const struct scow_host *base)
{
    (void)base;
    return false;
}

static void host_reject(const struct scow_host *base, int64_t task, const char *why)
{
    (void)task;
    base->fail(base, "a core task can be rejected in compute only (%s)",
               why ? why : "without a reason");
}

static int host_emit(const struct scow_host *base, int64_t task, const void *bytes, size_t size)
{
    (void)task;
    (void)bytes;
    return base->fail(base, "%zu bytes were emitted outside of compute", size);
}

static void host_started(const struct scow_host *host, double seconds)
{
    (void)host;
    (void)seconds;
}

void job_host_init(struct job_host *host, const char *where, struct failure *failure)
{
    *host = (struct job_host){
        .base = {.size = (uint32_t)sizeof(struct scow_host),
                 .abi = SCOW_ABI,
                 .fail = host_fail,
                 .read_image = host_read_image,
                 .read_item = host_read_item,
                 .share = host_share,
                 .pulse = host_pulse,
                 .reject = host_reject,
                 .emit = host_emit,
                 .started = host_started,
                 .refuse = host_refuse},
        .failure = failure,
        .code = FAILURE_MISMATCH,
        .where = where,
    };
}

bool job_status(const struct scow_task *task, const char *what, int status, struct failure *failure)
{
    if (status == SCOW_OK && failure->code == FAILURE_NONE)
        return true;
    return failure_set(
        failure, FAILURE_FAILED,
        "core task '%s': %s failed without saying why (status %d): report this to its author",
        task->name, what, status);
}

/* ---- tasks --------------------------------------------------------------------------------- */

const struct scow_task *job_task(const char *name, const char *where, struct failure *failure)
{
    const struct scow_task *task = task_find(name);
    if (task)
        return task;
    size_t count = 0;
    const struct scow_task *const *all = task_list(&count);
    char hint[NEAREST_HINT_SIZE];
    struct nearest nearest = {.word = name};
    for (size_t i = 0; i < count; i++)
        nearest_try(&nearest, all[i]->name);
    failure_set(failure, FAILURE_MISMATCH, "%s: there is no core task '%.100s': %s", where, name,
                nearest_hint(&nearest, "", "'scow tasks' lists them", hint));
    return NULL;
}

/* ---- describing ---------------------------------------------------------------------------- */

/* Checks values that a task has replaced in its parameters: words of a choice are looked up by
 * them. */
static bool settled_check(const struct scow_task *task, const struct values *values,
                          struct failure *failure)
{
    for (int i = 0; i < values->count; i++) {
        const struct scow_parameter *row = &task->parameters[i];
        const double number = values->items[i].number;
        int words = 0;
        while (row->kind == SCOW_WORD && row->words[words])
            words++;
        const bool good = row->kind == SCOW_WORD ? number >= 0 && number < words
                          : row->kind == SCOW_NUMBER || row->kind == SCOW_WHOLE
                              ? number >= row->least && number <= row->greatest
                              : true;
        if (!good)
            return failure_set(
                failure, FAILURE_MISMATCH,
                "core task '%s': changes its parameter %s to %.15g, which is out of its "
                "range: report this to its author",
                task->name, row->name, number);
    }
    return true;
}

/* Prepares the host for calls in which a task reads its parameters' values. */
static void values_host_init(struct job_host *host, const char *where, const struct scow_task *task,
                             const struct values *values, struct failure *failure)
{
    job_host_init(host, where, failure);
    host->task = task;
    host->values = values;
}

bool job_settle(const struct scow_task *task, struct values *values, struct input *input,
                struct failure *failure)
{
    struct job_host host;
    if (!task->settle)
        return true;
    values_host_init(&host, input_shape(input)->name, task, values, failure);
    return job_status(task, "settling parameters",
                      task->settle(&host.base, input_shape(input), values->items), failure) &&
           settled_check(task, values, failure);
}

bool job_describe(struct description *description, const struct scow_task *task,
                  const struct values *values, struct input *input, struct failure *failure)
{
    struct job_host host;
    *description =
        (struct description){.input = *input_shape(input), .level = task_has_levels(task) ? 1 : 0};
    values_host_init(&host, input_shape(input)->name, task, values, failure);
    host.input = input;
    host.description = description;
    const int status =
        task->describe(&host.base, values->items, input_shape(input), &description->tasks);
    if (!job_status(task, "describing the job", status, failure))
        return false;
    if (description->tasks >= 1 && description->tasks <= tasks_most)
        return true;
    return failure_set(failure, FAILURE_MISMATCH,
                       "core task '%s': makes %" PRId64
                       " core tasks of this input, and only 1 to 2^53 can be "
                       "planned: check its parameters",
                       task->name, description->tasks);
}

bool job_next(const struct job *job, const struct scow_survivors *in, struct description *next,
              struct failure *failure)
{
    struct job_host host;
    *next = (struct description){.input = job->setup.input, .level = job->setup.level + 1};
    job_host_init(&host, job->input_name, failure);
    host.description = next;
    const int status = job->task->next(&host.base, job->opened, in, &next->tasks);
    if (!job_status(job->task, "making the next level", status, failure))
        return false;
    return (next->tasks >= 0 && next->tasks <= tasks_most) ||
           failure_set(failure, FAILURE_MISMATCH,
                       "core task '%s': makes %" PRId64 " core tasks of level %" PRId64
                       ", and only 0 to 2^53 can be: check its parameters",
                       job->task->name, next->tasks, next->level);
}

bool description_copy(struct description *copy, const struct description *description)
{
    *copy = *description;
    copy->shared = malloc(description->shared_size + 1);
    if (copy->shared && description->shared_size > 0)
        memcpy(copy->shared, description->shared, description->shared_size);
    return copy->shared != NULL;
}

void description_release(struct description *description)
{
    free(description->shared);
    *description = (struct description){0};
}

/* ---- opening ------------------------------------------------------------------------------- */

static bool setup_fill(struct job *job, const struct description *description, const char *name,
                       struct failure *failure)
{
    job->input_name = name ? strdup(name) : NULL;
    job->shared = malloc(description->shared_size + 1);
    if ((name && !job->input_name) || !job->shared)
        return failure_memory(failure, "preparing the core task");
    if (description->shared_size > 0)
        memcpy(job->shared, description->shared, description->shared_size);
    job->setup = (struct scow_setup){
        .values = job->values.items,
        .input = description->input,
        .tasks = description->tasks,
        .shared = job->shared,
        .shared_size = description->shared_size,
        .level = description->level,
    };
    job->setup.input.name = job->input_name;
    return true;
}

/* Calls open. Its `fail` names the input, which is known by now. */
static bool task_open(struct job *job, struct failure *failure)
{
    struct job_host host;
    values_host_init(&host, job->input_name, job->task, &job->values, failure);
    if (job->task->open) {
        const int status = job->task->open(&host.base, &job->setup, &job->opened);
        if (!job_status(job->task, "making the job ready", status, failure))
            return false;
    }
    job->is_open = true;
    if (job->task->results)
        job->task->results(job->opened, &job->results);
    return results_check(job, failure);
}

bool job_open(struct job *job, const struct scow_task *task, const struct values *values,
              const struct description *description, const char *input_name,
              struct failure *failure)
{
    struct job made = {.task = task};
    if (values_copy(&made.values, values, failure) &&
        setup_fill(&made, description, input_name, failure)) {
        made.order = values->order;
        made.order.tasks = description->tasks;
        *job = made; /* the task keeps the setup's address, so it must not move */
        if (task_open(job, failure))
            return true;
        made = *job;
        *job = (struct job){0};
    }
    job_close(&made);
    return false;
}

void job_close(struct job *job)
{
    if (job->is_open && job->task->close)
        job->task->close(job->opened);
    values_release(&job->values);
    free(job->input_name);
    free(job->shared);
    *job = (struct job){0};
}

/* A task that writes beyond the end does so where nothing else is. */
void job_method(const struct job *job, char *text, size_t size)
{
    char own[JOB_METHOD_SIZE + JOB_GUARD] = "";
    const size_t room = size < JOB_METHOD_SIZE ? size : JOB_METHOD_SIZE;
    if (job->task->method)
        job->task->method(job->opened, own, room);
    own[room - 1] = '\0';
    memset(text, 0, size);
    memcpy(text, own, strnlen(own, room - 1));
}

/* ---- packages ------------------------------------------------------------------------------ */

/* The layout of core tasks that are packed one by one: where each one begins and the last one ends,
 * then these, each aligned as a package is. */
enum { PACKED_ALIGNMENT = 64 };

static size_t packed_round(size_t size)
{
    return (size + PACKED_ALIGNMENT - 1) / PACKED_ALIGNMENT * PACKED_ALIGNMENT;
}

static size_t packed_head(int64_t count)
{
    return packed_round((size_t)(2 * count) * sizeof(uint64_t));
}

static size_t size_most(const struct job *job, int64_t count)
{
    const size_t most =
        job->task->package_size_most ? job->task->package_size_most(job->opened, count) : 0;
    return most < JOB_SIZE_MOST ? most : JOB_SIZE_MOST;
}

size_t job_package_most(const struct job *job, int64_t count)
{
    if (!job_packs_singly(job))
        return size_most(job, count);
    const double most =
        (double)count * (double)packed_round(size_most(job, 1)) + (double)packed_head(count);
    return most < (double)JOB_SIZE_MOST ? (size_t)most : JOB_SIZE_MOST;
}

bool job_packs_singly(const struct job *job)
{
    return job->task->pack && order_differs(&job->order);
}

int64_t job_batch(const struct job *job, int64_t first, int64_t count, int64_t *task,
                  int64_t *stride)
{
    const bool strided = !job->task->pack && job->task->flags & SCOW_STRIDED;
    const int64_t run = order_run(&job->order, first, count, stride);
    *task = order_task(&job->order, first);
    return *stride == 1 || strided ? run : 1;
}

void job_blank(const struct job *job, int64_t count, void *package, size_t size)
{
    uint64_t *head = package;
    memset(package, 0, size);
    for (int64_t k = 0; job_packs_singly(job) && k < count; k++) {
        head[2 * k] = packed_head(count) + (size_t)k * packed_round(size_most(job, 1));
        head[2 * k + 1] = size_most(job, 1);
    }
}

const void *job_packed(const void *package, int64_t index, size_t *size)
{
    const uint64_t *head = package;
    *size = (size_t)head[2 * index + 1];
    return (const char *)package + head[2 * index];
}

size_t job_message_most(const struct job *job, int64_t count)
{
    return job->values.staged ? 0 : job_package_most(job, count);
}

static const unsigned char guard_byte = 0xA5;

void guard_set(void *end)
{
    memset(end, guard_byte, JOB_GUARD);
}

bool guard_holds(const void *end)
{
    const unsigned char *bytes = end;
    for (int i = 0; i < JOB_GUARD; i++)
        if (bytes[i] != guard_byte)
            return false;
    return true;
}

bool guard_broken(const struct job *job, const char *what, struct failure *failure)
{
    return failure_set(failure, FAILURE_FAILED,
                       "core task '%s' wrote more than it said into %s: report this to its author",
                       job->task->name, what);
}

int64_t job_task_number(int64_t task)
{
    return task < INT64_MAX ? task + 1 : task;
}

/* Packs consecutive core tasks by the task's own function. */
static bool tasks_pack(const struct job *job, struct input *input, int64_t first, int64_t count,
                       void *package, size_t *size, struct failure *failure)
{
    struct job_host host;
    const size_t most = size_most(job, count);
    *size = 0;
    if (!job->task->pack)
        return true;
    job_host_init(&host, job->input_name, failure);
    host.input = input;
    guard_set((char *)package + most);
    const int status = job->task->pack(&host.base, job->opened, first, count, package, size);
    const bool good = guard_holds((char *)package + most) && *size <= most
                          ? job_status(job->task, "packing", status, failure)
                          : guard_broken(job, "a package", failure);
    if (!good)
        *size = 0;
    return good;
}

static bool singles_pack(const struct job *job, struct input *input, int64_t first, int64_t count,
                         char *package, size_t *size, struct failure *failure)
{
    uint64_t *head = (uint64_t *)(void *)package;
    size_t end = packed_head(count);
    for (int64_t k = 0; k < count; k++) {
        size_t bytes = 0;
        if (!tasks_pack(job, input, order_task(&job->order, first + k), 1, package + end, &bytes,
                        failure))
            return false;
        head[2 * k] = end;
        head[2 * k + 1] = bytes;
        end += packed_round(bytes);
    }
    *size = end;
    return true;
}

bool job_pack(const struct job *job, struct input *input, int64_t first, int64_t count,
              void *package, size_t *size, struct failure *failure)
{
    *size = 0;
    return job_packs_singly(job) ? singles_pack(job, input, first, count, package, size, failure)
                                 : tasks_pack(job, input, first, count, package, size, failure);
}

/* Weighs each core task into `items`. */
static bool items_weigh(const struct job *job, struct input *input, double *items,
                        struct failure *failure)
{
    struct job_host host;
    job_host_init(&host, job->input_name, failure);
    host.input = input;
    if (!job_status(job->task, "weighing core tasks",
                    job->task->weigh(&host.base, job->opened, items), failure))
        return false;
    for (int64_t k = 0; k < job->setup.tasks; k++)
        if (!(items[k] >= 0 && isfinite(items[k])))
            return failure_set(
                failure, FAILURE_MISMATCH,
                "core task '%s': weighs core task %" PRId64
                " as %g, and a weight is a number, 0 or greater: report this to its author",
                job->task->name, job_task_number(k), items[k]);
    return true;
}

struct task_weights *job_weigh(const struct job *job, struct input *input, struct failure *failure)
{
    char source[160];
    if (!task_weighs(job->task)) {
        failure_set(failure, FAILURE_USAGE,
                    "core task '%s' cannot say what its core tasks cost: leave --weights task out",
                    job->task->name);
        return NULL;
    }
    double *items = calloc((size_t)job->setup.tasks, sizeof *items);
    snprintf(source, sizeof source, WEIGHTS_OF_TASK "%.140s", job->task->name);
    if (items ? items_weigh(job, input, items, failure)
              : failure_memory(failure, "weighing core tasks"))
        return weights_of(source, source, items, job->setup.tasks, failure);
    free(items);
    return NULL;
}

bool job_place(const struct job *job, int64_t task, int64_t start[3], int64_t count[3],
               struct failure *failure)
{
    const struct scow_results *results = &job->results;
    job->task->place(job->opened, task, start, count);
    for (int i = 0; i < 3; i++)
        if (start[i] < 0 || count[i] < 1 || count[i] > results->grid_tile[i] ||
            start[i] > results->grid_extent[i] - count[i])
            return failure_set(failure, FAILURE_MISMATCH,
                               "core task '%s': core task %" PRId64
                               " has no place in its own grid: report this to its author",
                               job->task->name, job_task_number(task));
    return true;
}

/* ---- reductions ---------------------------------------------------------------------------- */

/* Returns what print returns; negative, with *failure set: it wrote beyond the buffer. */
static int outcome_print(const struct job *job, const void *state, char *text, int size,
                         struct failure *failure)
{
    memset(text, 0, (size_t)size);
    guard_set(text + size);
    const int needed = job->task->print(job->opened, state, text, (size_t)size);
    if (!guard_holds(text + size)) {
        guard_broken(job, "its outcome", failure);
        return -1;
    }
    text[size - 1] = '\0';
    return needed;
}

char *job_print(const struct job *job, const void *state, struct failure *failure)
{
    char *text = NULL;
    int size = 4096;
    for (int attempt = 0; attempt < 2; attempt++) {
        char *more = realloc(text, (size_t)size + JOB_GUARD);
        if (!more)
            break;
        text = more;
        const int needed = outcome_print(job, state, text, size, failure);
        if (needed >= 0 && needed < size && document_is_json(text))
            return text;
        if (needed < size || needed >= JOB_OUTCOME_SIZE) {
            free(text);
            results_refuse(job, "its outcome is no JSON text of less than 64 KiB", failure);
            return NULL;
        }
        size = needed + 1;
    }
    free(text);
    failure_memory(failure, "writing the outcome");
    return NULL;
}

#include "tests/kernel/command_trial.h"

#include "tests/checks.h"

#include <inttypes.h>
#include <stdio.h>

static struct trial *trial_of(const struct scow_host *host)
{
    return ((const struct trial *)(const void *)host)->self;
}

static int host_fail(const struct scow_host *host, const char *format, ...)
{
    struct trial *trial = trial_of(host);
    va_list list;
    va_start(list, format);
    if (!trial->failed[0])
        vsnprintf(trial->failed, sizeof trial->failed, format, list);
    va_end(list);
    return SCOW_FAILED;
}

static int host_refuse(const struct scow_host *host, const char *parameter, const char *format, ...)
{
    struct trial *trial = trial_of(host);
    va_list list;
    va_start(list, format);
    if (!trial->failed[0]) {
        vsnprintf(trial->failed, sizeof trial->failed, format, list);
        snprintf(trial->refused, sizeof trial->refused, "%s", parameter);
    }
    va_end(list);
    return SCOW_FAILED;
}

static int host_read_item(const struct scow_host *host, int64_t index, struct scow_item *item)
{
    *item = trial_of(host)->items[index];
    return SCOW_OK;
}

static int host_share(const struct scow_host *host, const void *bytes, size_t size)
{
    struct trial *trial = trial_of(host);
    trial->shared = malloc(size);
    if (!trial->shared)
        return host_fail(host, "out of memory");
    trial->shared_size = size;
    memcpy(trial->shared, bytes, size);
    return SCOW_OK;
}

static bool host_pulse(const struct scow_host *host)
{
    struct trial *trial = trial_of(host);
    trial->pulses++;
    return trial->stop_at > 0 && trial->emitted_size >= trial->stop_at;
}

static void host_reject(const struct scow_host *host, int64_t task, const char *why)
{
    struct trial *trial = trial_of(host);
    snprintf(trial->results[task].why, TRIAL_TEXT, "%s", why);
    trial->results[task].rejects++;
    trial->rejects++;
}

static int host_emit(const struct scow_host *host, int64_t task, const void *bytes, size_t size)
{
    struct trial *trial = trial_of(host);
    struct trial_task *result = &trial->results[task];
    trial->emitted_size += size;
    if (result->emitted_size + size > trial->emit_most)
        return SCOW_OK;
    result->emitted = realloc(result->emitted, result->emitted_size + size);
    memcpy(result->emitted + result->emitted_size, bytes, size);
    result->emitted_size += size;
    return SCOW_OK;
}

static void host_started(const struct scow_host *host, double seconds)
{
    trial_of(host)->started_s = seconds;
}

static void trial_prepare(struct trial *trial, int64_t tasks)
{
    *trial = (struct trial){.host = {.size = sizeof trial->host,
                                     .abi = SCOW_ABI,
                                     .fail = host_fail,
                                     .read_item = host_read_item,
                                     .share = host_share,
                                     .pulse = host_pulse,
                                     .reject = host_reject,
                                     .emit = host_emit,
                                     .rank = 3,
                                     .started = host_started,
                                     .refuse = host_refuse},
                            .self = trial,
                            .tasks = tasks,
                            .threads = 2,
                            .emit_most = SIZE_MAX};
    trial->items = calloc((size_t)tasks + 1, sizeof *trial->items);
    trial->results = calloc((size_t)tasks + 1, sizeof *trial->results);
    for (int i = 0; command_task.parameters[i].name; i++) {
        const struct scow_parameter *parameter = &command_task.parameters[i];
        trial->values[i] = (struct scow_value){parameter->initial, parameter->text};
        if (parameter->kind == SCOW_WORD)
            trial->values[i].text = parameter->words[(int)parameter->initial];
    }
}

void trial_init(struct trial *trial, const char *lines)
{
    int64_t tasks = 1;
    for (const char *at = lines; *at; at++)
        tasks += *at == '\n';
    trial_prepare(trial, tasks);
    trial->text = strdup(lines);
    char *at = trial->text;
    for (int64_t i = 0; i < tasks; i++) {
        const size_t size = strcspn(at, "\n");
        trial->items[i] = (struct scow_item){.bytes = at, .size = size};
        at[size] = '\0';
        at += size + 1;
    }
}

void trial_init_numbers(struct trial *trial, int64_t count)
{
    trial_prepare(trial, count);
    trial->text = malloc((size_t)count * 21 + 1);
    char *at = trial->text;
    for (int64_t i = 0; i < count; i++) {
        const int size = sprintf(at, "%" PRId64, i + 1);
        trial->items[i] = (struct scow_item){.bytes = at, .size = (size_t)size};
        at += size + 1;
    }
}

void trial_release(struct trial *trial)
{
    for (int64_t i = 0; i < trial->tasks; i++)
        free(trial->results[i].emitted);
    free(trial->results);
    free(trial->records);
    free(trial->shared);
    free(trial->items);
    free(trial->text);
    if (trial->job)
        command_task.close(trial->job);
}

static struct scow_value *value_find(struct trial *trial, const char *name, int *kind)
{
    for (int i = 0; command_task.parameters[i].name; i++)
        if (strcmp(command_task.parameters[i].name, name) == 0) {
            *kind = i;
            return &trial->values[i];
        }
    abort();
}

void trial_set(struct trial *trial, const char *name, const char *text)
{
    int i;
    struct scow_value *value = value_find(trial, name, &i);
    const struct scow_parameter *parameter = &command_task.parameters[i];
    value->text = text;
    for (int k = 0; parameter->kind == SCOW_WORD && parameter->words[k]; k++)
        if (strcmp(parameter->words[k], text) == 0)
            value->number = k;
}

void trial_set_number(struct trial *trial, const char *name, double number)
{
    int i;
    value_find(trial, name, &i)->number = number;
}

int trial_describe(struct trial *trial)
{
    const struct scow_input input = {
        .kind = SCOW_INPUT_LINES, .extent = {trial->tasks, 1, 1}, .name = "lines.txt"};
    int64_t tasks = 0;
    const int status = command_task.describe(&trial->host, trial->values, &input, &tasks);
    if (status != SCOW_OK)
        return status;
    assert_true(tasks <= trial->tasks);
    trial->tasks = tasks;
    const struct scow_setup setup = {.values = trial->values,
                                     .input = input,
                                     .tasks = tasks,
                                     .shared = trial->shared,
                                     .shared_size = trial->shared_size};
    return command_task.open(&trial->host, &setup, &trial->job);
}

static int package_run(struct trial *trial, int64_t first, int64_t count, void *workspace)
{
    const size_t most = command_task.package_size_most(trial->job, count);
    const size_t record = trial->shape.record_size;
    void *package = aligned_alloc(64, (most + 63) / 64 * 64);
    size_t size = 0;
    int status = command_task.pack(&trial->host, trial->job, first, count, package, &size);
    assert_true(size <= most);
    const int64_t each = trial->batch ? trial->batch : count;
    for (int64_t done = 0; status == SCOW_OK && done < count; done += each) {
        const struct scow_batch batch = {.first = first + done,
                                         .count = each < count - done ? each : count - done,
                                         .package = package,
                                         .package_size = size,
                                         .package_first = first,
                                         .package_count = count,
                                         .workspace = workspace,
                                         .records =
                                             trial->records + (size_t)(first + done) * record,
                                         .threads = trial->threads,
                                         .rank = 3};
        status = command_task.compute(&trial->host, trial->job, &batch);
    }
    free(package);
    return status;
}

int trial_run(struct trial *trial)
{
    int status = trial_describe(trial);
    if (status != SCOW_OK)
        return status;
    command_task.results(trial->job, &trial->shape);
    trial->records = calloc((size_t)trial->tasks, trial->shape.record_size);
    const size_t size = command_task.workspace_size(trial->job, trial->threads);
    void *workspace = aligned_alloc(4096, (size + 4095) / 4096 * 4096);
    memset(workspace, 0, size);
    trial->host.threads = trial->threads;
    status = command_task.start(&trial->host, trial->job, workspace);
    if (status == SCOW_OK) {
        const int64_t each = trial->package ? trial->package : trial->tasks;
        for (int64_t first = 0; status == SCOW_OK && first < trial->tasks; first += each)
            status = package_run(
                trial, first, each < trial->tasks - first ? each : trial->tasks - first, workspace);
        command_task.stop(trial->job, workspace);
    }
    free(workspace);
    return status;
}

static const char *record_field(const struct trial *trial, int64_t task, const char *name,
                                const struct scow_field **field)
{
    for (*field = trial->shape.fields; (*field)->name; (*field)++)
        if (strcmp((*field)->name, name) == 0)
            return trial->records + (size_t)task * trial->shape.record_size + (*field)->offset;
    abort();
}

double trial_number(const struct trial *trial, int64_t task, const char *name)
{
    const struct scow_field *field;
    const char *at = record_field(trial, task, name, &field);
    int32_t narrow;
    int64_t wide;
    double real;
    memcpy(&narrow, at, sizeof narrow);
    memcpy(&wide, at, sizeof wide);
    memcpy(&real, at, sizeof real);
    return field->type == SCOW_I32 ? narrow : field->type == SCOW_I64 ? (double)wide : real;
}

const char *trial_text(const struct trial *trial, int64_t task, const char *name)
{
    static char text[8][1 << 16];
    static int turn;
    const struct scow_field *field;
    const char *at = record_field(trial, task, name, &field);
    char *to = text[turn++ % 8];
    memcpy(to, at, field->count);
    to[field->count] = '\0';
    return to;
}

char *trial_stream(const struct trial *trial, int64_t task, int stream, int attempt)
{
    const struct trial_task *result = &trial->results[task];
    if (attempt == 0)
        attempt = command_attempts(result->emitted, result->emitted_size);
    char *joined = calloc(1, result->emitted_size + 1);
    size_t used = 0, at = 0;
    struct command_piece piece;
    while (command_piece_next(result->emitted, result->emitted_size, &at, &piece))
        if (piece.stream == stream && piece.attempt == attempt) {
            memcpy(joined + used, piece.bytes, piece.size);
            used += piece.size;
        }
    assert_true(at == result->emitted_size);
    return joined;
}

void trial_make(struct trial *trial, const char *command, const char *per, const char *lines)
{
    trial_init(trial, lines);
    trial_set(trial, "command", command);
    trial_set(trial, "per", per);
    trial_set_number(trial, "grace", 0.1);
}

void assert_done(const struct trial *trial, int64_t task, const char *out)
{
    assert_string_equal(trial->results[task].why, "");
    assert_string_equal(trial_text(trial, task, "stdout"), out);
    assert_true(trial_number(trial, task, "exit") == 0);
    assert_true(trial_number(trial, task, "worker") == 3);
}

void assert_rejected(const struct trial *trial, int64_t task, const char *why, int exit)
{
    assert_string_equal(trial->results[task].why, why);
    assert_int_equal(trial->results[task].rejects, 1);
    assert_int_equal((int)trial_number(trial, task, "exit"), exit);
}

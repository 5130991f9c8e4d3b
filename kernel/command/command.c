#include "kernel/command/command.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernel/command/worker.h"

enum parameter { COMMAND, PER, TIMEOUT, RETRIES, HALT, KEEP, JOBS, GRACE, MOST_OUTPUT };

enum { RETRIES_MOST = 1000, KEEP_MOST = 1 << 16, JOBS_MOST = 1024 };

static const char *const per_words[] = {"task", "package", "worker", NULL};

static const struct mode *const modes[] = {&mode_task, &mode_package, &mode_worker};

static const struct scow_parameter parameters[] = {
    [COMMAND] = {.name = "command",
                 .kind = SCOW_TEXT,
                 .help = "what to run: 'prog {}', with {} the line, {#} its number from 1, {1} {2} "
                         "its fields, which tabs separate; without any of these, the line comes on "
                         "standard input; 'sh -c {}' runs lines that are commands themselves"},
    [PER] = {.name = "per",
             .kind = SCOW_WORD,
             .words = per_words,
             .help = "one process per: task (one line), package, or worker (long-lived); the last "
                     "two read lines and must answer each with one line, per worker at once "
                     "(python3 -u, stdbuf -oL, mawk -W interactive)"},
    [TIMEOUT] = {.name = "timeout",
                 .kind = SCOW_TEXT,
                 .help = "end a command after so many seconds for a line, or '200%' of the median "
                         "of the worker's so far (1 s at least)"},
    [RETRIES] = {.name = "retries",
                 .kind = SCOW_WHOLE,
                 .greatest = RETRIES_MOST,
                 .help = "how often a line whose command failed is tried again"},
    [HALT] = {.name = "halt",
              .kind = SCOW_TEXT,
              .help = "end the run once N, or 'N%' (of three failures or more), of a worker's "
                      "commands have failed; otherwise failures never stop the others"},
    [KEEP] = {.name = "keep",
              .kind = SCOW_WHOLE,
              .initial = 128,
              .greatest = KEEP_MOST,
              .help = "bytes of standard output and of standard error kept in /result"},
    [JOBS] = {.name = "jobs",
              .kind = SCOW_WHOLE,
              .greatest = JOBS_MOST,
              .help = "commands that a worker runs at a time; 0: as many as it has threads, which "
                      "they share (OMP_NUM_THREADS)"},
    [GRACE] = {.name = "grace",
               .kind = SCOW_NUMBER,
               .initial = 1,
               .greatest = 3600,
               .help = "seconds from SIGTERM to SIGKILL, and that what a command leaves in the "
                       "background may hold its output"},
    [MOST_OUTPUT] = {.name = "most-output",
                     .kind = SCOW_WHOLE,
                     .initial = 1e9,
                     .least = 1,
                     .greatest = 1e15,
                     .help = "end a command that writes more bytes than this for a line"},
    {.name = NULL}};

/* ---- the input ---- */

/* What is wrong with a line for this command; NULL: nothing. */
static const char *line_check(const struct template *template, const struct scow_item *item)
{
    if (item->size > LINE_SIZE_MOST)
        return "is longer than a gibibyte";
    if (template->places && memchr(item->bytes, '\0', item->size))
        return "has a zero byte, which no word of a command can";
    return NULL;
}

static int line_measure(const struct scow_host *host, const struct template *template,
                        const struct scow_input *input, int64_t index, struct line_meter *meter)
{
    struct scow_item item;
    const int status = host->read_item(host, index, &item);
    if (status != SCOW_OK)
        return status;
    const char *why = line_check(template, &item);
    if (why)
        return host->fail(host, "line %" PRId64 " of %s %s", index + 1, input->name, why);
    if (template->field_most > 1) {
        const int64_t fields = template_fields(item.bytes, item.size);
        if (fields < template->field_most)
            return host->fail(
                host,
                "line %" PRId64 " of %s has %" PRId64 " field%s between tabs, and --command asks "
                "for {%" PRId64 "}",
                index + 1, input->name, fields, fields == 1 ? "" : "s", template->field_most);
    }
    line_meter_add(meter, item.size);
    return SCOW_OK;
}

static int lines_measure(const struct scow_host *host, const struct template *template,
                         const struct scow_input *input)
{
    struct line_meter meter;
    if (!line_meter_init(&meter))
        return host->fail(host, "out of memory while measuring the lines of %s", input->name);
    int status = SCOW_OK;
    for (int64_t i = 0; i < input->extent[0] && status == SCOW_OK; i++)
        status = line_measure(host, template, input, i, &meter);
    if (status == SCOW_OK)
        status = host->share(host, &meter.bounds, sizeof meter.bounds);
    line_meter_release(&meter);
    return status;
}

static int limit_check(const struct scow_host *host, const char *name, const char *text)
{
    struct limit limit;
    if (limit_parse(&limit, text))
        return SCOW_OK;
    return host->fail(host, "--%s is '%s': it must be a number above 0, or a percentage like 200%%",
                      name, text);
}

static int template_check(const struct scow_host *host, const struct scow_value *values,
                          struct template *template)
{
    const char *text = values[COMMAND].text;
    if (!text)
        return host->fail(host, "--command is missing: 'prog {}' runs prog with every line, and "
                                "'sh -c {}' lines that are commands themselves");
    const char *why = template_parse(template, text);
    if (why)
        return host->fail(host, "--command '%s' %s", text, why);
    const struct mode *mode = modes[(int)values[PER].number];
    if (!mode->answers || !template->places)
        return SCOW_OK;
    template_release(template);
    return host->fail(host,
                      "--command '%s' has a place for a line, but with --per %s lines come on "
                      "standard input: leave it out, or use --per task",
                      text,
                      values[PER].text ? values[PER].text : per_words[(int)values[PER].number]);
}

static int command_describe(const struct scow_host *host, const struct scow_value *values,
                            const struct scow_input *input, int64_t *tasks)
{
    struct template template = {0};
    int status = limit_check(host, "timeout", values[TIMEOUT].text);
    if (status == SCOW_OK)
        status = limit_check(host, "halt", values[HALT].text);
    if (status == SCOW_OK && input->extent[0] < 1)
        status = host->fail(host, "%s has no lines", input->name);
    if (status == SCOW_OK)
        status = template_check(host, values, &template);
    if (status != SCOW_OK)
        return status;
    status = lines_measure(host, &template, input);
    template_release(&template);
    *tasks = input->extent[0];
    return status;
}

/* ---- the job ---- */

static void fields_make(struct job *job)
{
    const uint32_t text = (uint32_t)offsetof(struct record, text), keep = (uint32_t)job->keep;
    const uint32_t sizes = (uint32_t)offsetof(struct record, sizes);
    const struct scow_field all[] = {
        {"exit", SCOW_I32, (uint32_t)offsetof(struct record, exit), 1, 0},
        {"seconds", SCOW_F64, (uint32_t)offsetof(struct record, seconds), 1, SCOW_MEASURED},
        {"worker", SCOW_I32, (uint32_t)offsetof(struct record, worker), 1, SCOW_MEASURED},
        {"start", SCOW_F64, (uint32_t)offsetof(struct record, start_s), 1, SCOW_MEASURED},
        {"attempts", SCOW_I32, (uint32_t)offsetof(struct record, attempts), 1, SCOW_MEASURED},
        {"stdout_size", SCOW_I64, sizes, 1, 0},
        {"stderr_size", SCOW_I64, sizes + (uint32_t)sizeof(int64_t), 1, SCOW_MEASURED},
        {"stdout", SCOW_TEXT_BYTES, text, keep, 0},
        {"stderr", SCOW_TEXT_BYTES, text + keep, keep, SCOW_MEASURED}};
    const size_t count = keep > 0 ? COMMAND_FIELDS : COMMAND_FIELDS - 2;
    memcpy(job->fields, all, count * sizeof *all);
    job->record_size = (offsetof(struct record, text) + 2 * job->keep + 7) / 8 * 8;
}

static void job_make(struct job *job, const struct scow_setup *setup)
{
    const struct scow_value *values = setup->values;
    memcpy(&job->bounds, setup->shared, sizeof job->bounds);
    limit_parse(&job->timeout, values[TIMEOUT].text);
    limit_parse(&job->halt, values[HALT].text);
    job->command = values[COMMAND].text;
    job->halt_text = values[HALT].text;
    job->mode = modes[(int)values[PER].number];
    job->retries = (int64_t)values[RETRIES].number;
    job->grace_s = values[GRACE].number;
    job->jobs = (int)values[JOBS].number;
    job->output_most = (int64_t)values[MOST_OUTPUT].number;
    job->keep = (size_t)values[KEEP].number;
    job->words_most = template_size_most(&job->template, (size_t)job->bounds.line_most);
    fields_make(job);
}

static int command_open(const struct scow_host *host, const struct scow_setup *setup, void **opened)
{
    struct job *job = calloc(1, sizeof *job);
    if (!job)
        return host->fail(host, "out of memory while making the job of commands ready");
    int status = template_check(host, setup->values, &job->template);
    if (status == SCOW_OK && setup->shared_size != sizeof job->bounds)
        status = host->fail(host, "the job of commands is not what the master described");
    if (status != SCOW_OK) {
        template_release(&job->template);
        free(job);
        return status;
    }
    job_make(job, setup);
    *opened = job;
    return SCOW_OK;
}

static void command_close(void *opened)
{
    struct job *job = opened;
    template_release(&job->template);
    free(job);
}

static void command_method(const void *opened, char *text, size_t size)
{
    const struct job *job = opened;
    snprintf(text, size, "%s, %s", job->mode->method,
             job->template.shell ? "by the shell" : "without a shell");
}

static void command_results(const void *opened, struct scow_results *results)
{
    const struct job *job = opened;
    results->fields = job->fields;
    results->record_size = job->record_size;
    results->emits = true;
}

/* ---- packages ---- */

static size_t command_package_most(const void *opened, int64_t count)
{
    const struct job *job = opened;
    return line_bounds_most(&job->bounds, count);
}

static int command_pack(const struct scow_host *host, const void *opened, int64_t first,
                        int64_t count, void *package, size_t *size)
{
    const size_t most = command_package_most(opened, count);
    size_t used = (size_t)count * sizeof(uint32_t);
    for (int64_t i = 0; i < count; i++) {
        struct scow_item item;
        const int status = host->read_item(host, first + i, &item);
        if (status != SCOW_OK)
            return status;
        if (used > most || item.size >= most - used)
            return host->fail(host,
                              "line %" PRId64
                              " is longer than when the input was first read: it must "
                              "not change during a run",
                              first + i + 1);
        const uint32_t length = (uint32_t)item.size;
        memcpy((char *)package + (size_t)i * sizeof length, &length, sizeof length);
        memcpy((char *)package + used, item.bytes, item.size);
        ((char *)package)[used + item.size] = '\n';
        used += item.size + 1;
    }
    *size = used;
    return SCOW_OK;
}

/* ---- the worker ---- */

static size_t command_workspace(const void *opened, int threads)
{
    return worker_size(opened, threads);
}

static int command_start(const struct scow_host *host, const void *opened, void *workspace)
{
    return worker_start(workspace, host, opened);
}

static void command_stop(const void *opened, void *workspace)
{
    (void)opened;
    worker_stop(workspace);
}

static int command_compute(const struct scow_host *host, const void *opened,
                           const struct scow_batch *batch)
{
    (void)opened;
    return worker_compute(batch->workspace, host, batch);
}

const struct scow_task command_task = {
    SCOW_TASK,
    .name = "command",
    .version = "1",
    .summary = "any program over the lines of a file",
    .core_task = "one line, and the command that is run for it",
    .outcome = "Records: exit code, seconds, worker, time of start, attempts, and the first bytes "
               "of standard output and error. The results file holds the whole output. What fails "
               "is tried again as often as --retries says, counted and named, and does not stop "
               "the others.",
    .parameters = parameters,
    .input = SCOW_INPUT_LINES,
    .threads = SCOW_THREADS_OWN,
    .flags = SCOW_ONCE,
    .describe = command_describe,
    .open = command_open,
    .close = command_close,
    .method = command_method,
    .results = command_results,
    .package_size_most = command_package_most,
    .pack = command_pack,
    .workspace_size = command_workspace,
    .start = command_start,
    .stop = command_stop,
    .compute = command_compute,
    .render = command_render};

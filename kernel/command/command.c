#include "kernel/command/command.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernel/command/worker.h"

enum parameter {
    COMMAND,
    PER,
    TIMEOUT,
    RETRIES,
    HALT,
    KEEP,
    JOBS,
    GRACE,
    MOST_OUTPUT,
    FORMAT,
    COLSEP,
    HEADER,
    WRAP,
    WORKDIR,
    ENV,
    OUT_DIR
};

enum { RETRIES_MOST = 1000, KEEP_MOST = 1 << 16, JOBS_MOST = 1024 };

static const char *const per_words[] = {"task", "package", "worker", NULL};

static const char *const format_words[] = {"auto", "text", "csv", "tsv", "jsonl", NULL};

static const char *const header_words[] = {"no", "yes", NULL};

static const struct mode *const modes[] = {&mode_task, &mode_package, &mode_worker};

static const struct scow_parameter parameters[] = {
    [COMMAND] = {.name = "command",
                 .kind = SCOW_TEXT,
                 .help = "what to run: 'prog {}', with {} the line, {#} its number from 1, {1} {2} "
                         "its columns, {name} one of a header or of JSON; of a file's name {.} "
                         "without its ending, {/} without folders, {//} its folder, {/.} {1.} "
                         "{name/} ...; {{x}} is the text {x}; without any place, the line comes on "
                         "standard input; 'sh -c {}' runs lines that are commands themselves"},
    [PER] = {.name = "per",
             .kind = SCOW_WORD,
             .words = per_words,
             .help = "one process per: task (one line), package, or worker (long-lived); the last "
                     "two read lines and must answer each with one line, per worker at once "
                     "(python3 -u, stdbuf -oL, mawk -W interactive)"},
    [TIMEOUT] = {.name = "timeout",
                 .kind = SCOW_TEXT,
                 .help = "time limit of a command for one line: seconds, or '200%' of the median "
                         "of all workers so far (at least 1 s)"},
    [RETRIES] = {.name = "retries",
                 .kind = SCOW_WHOLE,
                 .greatest = RETRIES_MOST,
                 .help = "how often a line whose command failed is tried again"},
    [HALT] = {.name = "halt",
              .kind = SCOW_TEXT,
              .help = "end the run once N, or 'N%' (of three failures or more), of all workers' "
                      "commands have failed, or never; default: never, but scow go ends where the "
                      "first eight all fail"},
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
               .help = "seconds from SIGTERM to SIGKILL, and for which background processes of an "
                       "ended command may keep its output open"},
    [MOST_OUTPUT] = {.name = "most-output",
                     .kind = SCOW_WHOLE,
                     .initial = 1e9,
                     .least = 1,
                     .greatest = 1e15,
                     .help = "end a command that writes more bytes than this for a line"},
    [FORMAT] = {.name = "format",
                .kind = SCOW_WORD,
                .words = format_words,
                .help = "format of the lines: text (columns between tabs, as tsv), csv (RFC 4180), "
                        "jsonl (a JSON object each); auto: by the ending of the input's name"},
    [COLSEP] = {.name = "colsep",
                .kind = SCOW_TEXT,
                .help = "what separates columns: a character, or tab, comma, semicolon, space, "
                        "pipe; columns may stand in quotes, but not between tabs"},
    [HEADER] = {.name = "header",
                .kind = SCOW_WORD,
                .words = header_words,
                .help = "yes: the first line is no task, but names the columns"},
    [WRAP] = {.name = "wrap",
              .kind = SCOW_TEXT,
              .help = "words to put before every program: 'apptainer exec image.sif', 'nice'"},
    [WORKDIR] = {.name = "workdir",
                 .kind = SCOW_TEXT,
                 .help = "folder in which commands run; else that in which scow was started"},
    [ENV] = {.name = "env",
             .kind = SCOW_TEXT,
             .help = "variables for commands, beside those that scow was started with: 'A=1 "
                     "B=\"two words\"'"},
    [OUT_DIR] = {.name = "out-dir",
                 .kind = SCOW_TEXT,
                 .help = "give every command a path in this folder, SCOW_OUT, where it may make a "
                         "file or a folder of its own"},
    {.name = NULL}};

/* Parameters that do not change what a line costs, only what happens to lines that fail and what is
 * kept of output: a profile holds whatever they are. */
static const char *const run_parameters[] = {"timeout", "retries",     "halt", "keep",
                                             "grace",   "most-output", NULL};

/* ---- the input ---- */

static void form_release(struct form *form)
{
    template_release(&form->template);
    columns_release(&form->columns);
}

/* Is the line one for this command? False with `why` printed. */
static bool line_check(const struct form *form, const struct scow_item *item,
                       char why[COLUMNS_WHY_SIZE])
{
    const char *what = NULL;
    if (item->size > LINE_SIZE_MOST)
        what = "is longer than a gibibyte";
    else if (form->template.places && memchr(item->bytes, '\0', item->size))
        what = "has a zero byte, which a word of a command cannot contain";
    else if (form->mode->answers && memchr(item->bytes, '\n', item->size))
        what = "has a newline within quotes, which --per package or worker cannot pass on: use "
               "--per task";
    if (what)
        snprintf(why, COLUMNS_WHY_SIZE, "%s", what);
    const bool loose = form->template.field_most == 0 && !form->columns.quoted;
    return !what && (loose || columns_check(&form->columns, item->bytes, item->size, why));
}

/* The line has all columns that the command asks for. */
static int columns_suffice(const struct scow_host *host, const struct form *form,
                           const struct scow_item *item, const char *name, int64_t line)
{
    const struct columns *columns = &form->columns;
    const int64_t most = form->template.field_most;
    const char *name_asked = columns_at(columns, most);
    if (!columns->json && most > 1) {
        const int64_t count = columns_count(columns, item->bytes, item->size);
        const char quoted[] = {'\'', columns->separator, '\'', '\0'};
        char asked[64];
        snprintf(asked, sizeof asked, "%" PRId64, most);
        if (count < most)
            return host->fail(host,
                              "line %" PRId64 " of %s has %" PRId64
                              " column%s between %s, and --command asks for {%.60s}",
                              line, name, count, count == 1 ? "" : "s",
                              columns->quoted ? quoted : "tabs", name_asked ? name_asked : asked);
    }
    const int64_t missing =
        columns->json ? template_missing(&form->template, item->bytes, item->size) : 0;
    if (missing > 0)
        return host->fail(host, "line %" PRId64 " of %s has no key '%s', which --command asks for",
                          line, name, columns_at(columns, missing));
    return SCOW_OK;
}

static int line_measure(const struct scow_host *host, const struct form *form,
                        const struct scow_input *input, int64_t index, struct line_meter *meter)
{
    struct scow_item item;
    char why[COLUMNS_WHY_SIZE];
    int status = host->read_item(host, index, &item);
    if (status != SCOW_OK)
        return status;
    if (!line_check(form, &item, why))
        return host->fail(host, "line %" PRId64 " of %s %s", index + 1, input->name, why);
    status = columns_suffice(host, form, &item, input->name, index + 1);
    if (status == SCOW_OK)
        line_meter_add(meter, item.size);
    return status;
}

/* Bounds of lines, and behind them the names of columns. */
static int form_share(const struct scow_host *host, const struct form *form,
                      const struct line_bounds *bounds)
{
    const size_t size = sizeof *bounds + form->columns.names_size;
    char *shared = malloc(size);
    if (!shared)
        return host->fail(host, "out of memory while making the job of commands ready");
    memcpy(shared, bounds, sizeof *bounds);
    if (form->columns.names_size > 0)
        memcpy(shared + sizeof *bounds, form->columns.names, form->columns.names_size);
    const int status = host->share(host, shared, size);
    free(shared);
    return status;
}

static int lines_measure(const struct scow_host *host, const struct form *form,
                         const struct scow_input *input)
{
    struct line_meter meter;
    if (!line_meter_init(&meter))
        return host->fail(host, "out of memory while measuring the lines of %s", input->name);
    int status = SCOW_OK;
    for (int64_t i = form->header; i < input->extent[0] && status == SCOW_OK; i++)
        status = line_measure(host, form, input, i, &meter);
    if (status == SCOW_OK)
        status = form_share(host, form, &meter.bounds);
    line_meter_release(&meter);
    return status;
}

static int limit_check(const struct scow_host *host, const char *name, const char *text,
                       const char *percentage, double percent_most)
{
    struct limit limit;
    if (limit_parse(&limit, text) && !(limit.percent && limit.value > percent_most))
        return SCOW_OK;
    return host->refuse(host, name,
                        "--%s is '%s': it must be a number above 0, a percentage %s, or never",
                        name, text, percentage);
}

static int template_check(const struct scow_host *host, const struct scow_value *values,
                          struct form *form)
{
    const char *text = values[COMMAND].text;
    if (!text)
        return host->refuse(host, "command",
                            "--command is missing: 'prog {}' runs prog with every line, and "
                            "'sh -c {}' lines that are commands themselves");
    const char *wrap = values[WRAP].text, *why = NULL;
    size_t size;
    int count;
    free(wrap ? template_words(wrap, &size, &count, &why) : NULL);
    if (why)
        return host->refuse(host, "wrap", "--wrap '%s' %s", wrap, why);
    why = template_parse(&form->template, text, wrap, &form->columns);
    if (why)
        return host->refuse(host, "command", "--command '%s' %s", text, why);
    if (!form->mode->answers || !form->template.places)
        return SCOW_OK;
    return host->refuse(host, "command",
                        "--command '%s' has a place for a line, but with --per %s lines come on "
                        "standard input: leave it out, or use --per task",
                        text,
                        values[PER].text ? values[PER].text : per_words[(int)values[PER].number]);
}

/* How lines are read; columns have no names yet. */
static int form_begin(const struct scow_host *host, const struct scow_value *values,
                      const char *input, struct form *form)
{
    *form =
        (struct form){.mode = modes[(int)values[PER].number], .header = values[HEADER].number > 0};
    const char *why = columns_init(&form->columns, (enum columns_format)values[FORMAT].number,
                                   values[COLSEP].text, input);
    if (why)
        return host->refuse(host, "colsep", "--colsep '%s' %s", values[COLSEP].text, why);
    if (form->columns.json && form->header > 0)
        return host->refuse(host, "header",
                            "--header yes is for separated columns, and lines of %s are JSON "
                            "objects, whose keys are their names",
                            input);
    return SCOW_OK;
}

/* Names of columns are in the first line; what is only called JSON may have none. */
static int form_name(const struct scow_host *host, const struct scow_value *values,
                     const struct scow_input *input, struct form *form)
{
    struct scow_item item;
    char why[COLUMNS_WHY_SIZE];
    if (form->header == 0 && !form->columns.json)
        return SCOW_OK;
    const int status = host->read_item(host, 0, &item);
    if (status != SCOW_OK)
        return status;
    if (columns_name(&form->columns, item.bytes, item.size, why) ||
        (form->header == 0 && values[FORMAT].number == COLUMNS_AUTO))
        return SCOW_OK;
    return host->fail(host, "line 1 of %s %s", input->name, why);
}

static int environment_check(const struct scow_host *host, const struct scow_value *values,
                             int64_t tasks, struct environment *environment)
{
    char why[ENVIRONMENT_WHY_SIZE];
    const char *wrong = environment_make(environment, values[WORKDIR].text, values[ENV].text,
                                         values[OUT_DIR].text, tasks, why);
    return wrong ? host->refuse(host, "env", "%s", wrong) : SCOW_OK;
}

static int command_describe(const struct scow_host *host, const struct scow_value *values,
                            const struct scow_input *input, int64_t *tasks)
{
    struct form form = {0};
    struct environment environment = {0};
    int status = limit_check(host, "timeout", values[TIMEOUT].text, "like 200%", HUGE_VAL);
    if (status == SCOW_OK)
        status = limit_check(host, "halt", values[HALT].text, "up to 100%", 100);
    if (status == SCOW_OK)
        status = environment_check(host, values, input->extent[0], &environment);
    if (status == SCOW_OK)
        status = form_begin(host, values, input->name, &form);
    if (status == SCOW_OK && input->extent[0] <= form.header)
        status = host->fail(host, "%s has no lines%s", input->name,
                            form.header > 0 ? " behind its header" : "");
    if (status == SCOW_OK)
        status = form_name(host, values, input, &form);
    if (status == SCOW_OK)
        status = template_check(host, values, &form);
    if (status == SCOW_OK)
        status = lines_measure(host, &form, input);
    *tasks = input->extent[0] - form.header;
    form_release(&form);
    environment_release(&environment);
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
        {"peak_kib", SCOW_I32, (uint32_t)offsetof(struct record, peak_kib), 1, SCOW_MEASURED},
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
    job->retries = (int64_t)values[RETRIES].number;
    job->grace_s = values[GRACE].number;
    job->jobs = (int)values[JOBS].number;
    job->output_most = (int64_t)values[MOST_OUTPUT].number;
    job->keep = (size_t)values[KEEP].number;
    job->words_most = template_size_most(&job->form.template, (size_t)job->bounds.line_most);
    fields_make(job);
}

static int form_open(const struct scow_host *host, const struct scow_setup *setup,
                     struct form *form)
{
    const size_t bounds = sizeof(struct line_bounds);
    int status = form_begin(host, setup->values, setup->input.name, form);
    if (status == SCOW_OK && (setup->shared_size < bounds ||
                              !columns_copy(&form->columns, (const char *)setup->shared + bounds,
                                            setup->shared_size - bounds)))
        status = host->fail(host, "the job of commands is not what the master described");
    return status == SCOW_OK ? template_check(host, setup->values, form) : status;
}

static int command_open(const struct scow_host *host, const struct scow_setup *setup, void **opened)
{
    struct job *job = calloc(1, sizeof *job);
    if (!job)
        return host->fail(host, "out of memory while making the job of commands ready");
    int status = form_open(host, setup, &job->form);
    if (status == SCOW_OK)
        status = environment_check(host, setup->values, setup->tasks, &job->environment);
    if (status != SCOW_OK) {
        form_release(&job->form);
        environment_release(&job->environment);
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
    form_release(&job->form);
    environment_release(&job->environment);
    free(job);
}

static void command_method(const void *opened, char *text, size_t size)
{
    const struct job *job = opened;
    snprintf(text, size, "%s, %s", job->form.mode->method,
             job->form.template.shell ? "by the shell" : "without a shell");
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
    const struct job *job = opened;
    const size_t most = command_package_most(opened, count);
    size_t used = (size_t)count * sizeof(uint32_t);
    for (int64_t i = 0; i < count; i++) {
        struct scow_item item;
        const int status = host->read_item(host, job->form.header + first + i, &item);
        if (status != SCOW_OK)
            return status;
        if (used > most || item.size >= most - used)
            return host->fail(host,
                              "line %" PRId64
                              " is longer than when the input was first read: it must "
                              "not change during a run",
                              job->form.header + first + i + 1);
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
    .outcome = "Records: exit code, seconds, worker, time of start, attempts, peak of memory, the "
               "first bytes "
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
    .render = command_render,
    .run_parameters = run_parameters};

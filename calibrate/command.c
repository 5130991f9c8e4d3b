#include "calibrate/command.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "calibrate/calibration.h"
#include "planner/files/profile_json.h"
#include "planner/files/textfile.h"
#include "spmd/job/instructions.h"
#include "spmd/job/kernel.h"
#include "spmd/job/launch.h"
#include "spmd/job/method.h"
#include "spmd/job/values.h"

enum { SETTINGS_MOST = 16, PARAMETERS_MOST = 64 };

struct arguments {
    const char *kernel, *input, *output, *probes, *scratch, *isa;
    const char *blocks;                  /* the parameter "block", as scripts know it */
    const char *values[PARAMETERS_MOST]; /* as typed; NULL: the default */
    bool quick, quiet, staged, version;
};

/* ---- command line -------------------------------------------------------------------------- */

/* What -k says, anywhere, or the default. */
static const char *kernel_word(int argc, char **argv)
{
    for (int i = 1; i < argc; i++) {
        const char *word = argv[i];
        if ((strcmp(word, "-k") == 0 || strcmp(word, "--kernel") == 0) && i + 1 < argc)
            return argv[i + 1];
        if (strncmp(word, "--kernel=", 9) == 0)
            return word + 9;
        if (strncmp(word, "-k", 2) == 0 && word[2])
            return word + 2;
    }
    return kernel_default();
}

static size_t rows_fill(struct arguments *arguments, const struct scow_task *task,
                        struct option_row *rows)
{
    const struct option_row fixed[] = {
        {'k', "kernel", "NAME", OPTION_TEXT, &arguments->kernel,
         "core task to measure: a name from 'scow tasks', or a plug-in (./FILE.so)"},
        {'i', "input", "INPUT", OPTION_TEXT, &arguments->input,
         "input like the ones to be processed, if the core task has one"},
        {'o', "output", "FILE", OPTION_TEXT, &arguments->output,
         "profile to write (default: standard output)"},
        {0, "probes", "FILE", OPTION_TEXT, &arguments->probes,
         "write every timing there, tab-separated"},
        {0, "scratch", "DIR", OPTION_TEXT, &arguments->scratch,
         "directory like the run's output's, for trial writes (default: that of the profile)"},
        {0, "quick", NULL, OPTION_FLAG, &arguments->quick, "fewer package sizes and timings"},
        {0, "staged", NULL, OPTION_FLAG, &arguments->staged,
         "workers read their packages from the input by themselves, not from the master"},
        {0, "isa", "NAME", OPTION_TEXT, &arguments->isa,
         "instruction set to compute with: auto, avx512, avx2, generic (sse2)"},
        {'q', "quiet", NULL, OPTION_FLAG, &arguments->quiet, "only failures"},
        {0, "version", NULL, OPTION_FLAG, &arguments->version, "print versions and exit"},
    };
    size_t count = sizeof fixed / sizeof fixed[0];
    memcpy(rows, fixed, sizeof fixed);
    for (int i = 0; i < task_parameter_count(task) && i < PARAMETERS_MOST; i++) {
        const struct scow_parameter *row = &task->parameters[i];
        rows[count++] = (struct option_row){
            0, row->name, "VALUE", OPTION_TEXT, &arguments->values[i], row->help};
        if (strcmp(row->name, "block") == 0)
            rows[count++] = (struct option_row){
                0, "blocks", "B,B,...", OPTION_TEXT, &arguments->blocks, "the same as --block"};
    }
    return count;
}

static bool arguments_parse(const struct comm *comm, int argc, char **argv,
                            const struct scow_task *task, struct arguments *arguments, bool *over,
                            struct failure *failure)
{
    struct option_row rows[16 + PARAMETERS_MOST];
    const struct option_table table = {
        .usage = "scow calibrate [-k KERNEL] [-i INPUT] [options] -o PROFILE",
        .purpose =
            "Measure what envelopes, sends, links, receiving, computing and output cost on these "
            "ranks, as latency + rate x core tasks. Started as mpiexec -n P+1 scow calibrate ...",
        .rows = rows,
        .row_count = rows_fill(arguments, task, rows),
        .epilogue =
            "Numbers of a core task's parameters can be lists (--block 32,64): each combination "
            "is\nmeasured, and the planner chooses. Start it as the run will be started: same "
            "nodes, ranks\nper node and threads (OMP_NUM_THREADS).\nExit: 0 done, 1 failed, 2 "
            "usage, 4 input does not fit.\n",
    };
    char *operand = NULL;
    int operands = 0;
    if (!launch_options(comm, &table, argc, argv, &operand, 0, &operands, &arguments->version, over,
                        failure) ||
        *over)
        return failure->code == FAILURE_NONE;
    if ((task->input != SCOW_INPUT_NONE) != (arguments->input != NULL))
        return failure_set(
            failure, FAILURE_USAGE, "kernel %s %s: see scow calibrate --help", task->name,
            arguments->input ? "has no input: leave -i out" : "needs an input: add -i INPUT");
    return !arguments->isa || instructions_pin(arguments->isa, comm, failure);
}

/* ---- settings ------------------------------------------------------------------------------ */

/* All combinations of what the command line lists. */
struct settings {
    struct values items[SETTINGS_MOST];
    int count;
    const char *own[PARAMETERS_MOST]; /* parameters that are each setting's own */
    int own_count;
};

static bool is_number(const struct scow_parameter *row)
{
    return row->kind == SCOW_NUMBER || row->kind == SCOW_WHOLE;
}

/* One value as typed, `length` characters of it, appended. */
static bool value_add(struct parameter_list *list, const struct scow_parameter *row,
                      const char *typed, size_t length, struct failure *failure)
{
    char *word = strndup(typed, length), *end = NULL;
    if (!word)
        return failure_memory(failure, "reading the command line");
    const double number = strtod(word, &end);
    const bool good = !is_number(row) || (end != word && *end == '\0');
    if (!good)
        failure_set(failure, FAILURE_USAGE, "--%s needs a number, not '%.60s'", row->name, word);
    else if (!parameter_list_add(list, row->name, is_number(row) ? NULL : word, number))
        failure_memory(failure, "reading the command line");
    free(word);
    return failure->code == FAILURE_NONE;
}

/* With the parameters from `index` on still to be chosen. */
static bool settings_add(struct settings *settings, const struct scow_task *task,
                         const struct arguments *arguments, int index,
                         const struct parameter_list *chosen, struct failure *failure)
{
    if (index == task_parameter_count(task)) {
        if (settings->count == SETTINGS_MOST)
            return failure_set(failure, FAILURE_USAGE,
                               "more than %d combinations of parameters: list fewer values",
                               SETTINGS_MOST);
        return values_read(&settings->items[settings->count++], task, chosen, "command line", true,
                           failure);
    }
    const struct scow_parameter *row = &task->parameters[index];
    const char *typed = arguments->values[index];
    bool good = true;
    do {
        struct parameter_list more = {0};
        const size_t length = !typed ? 0 : is_number(row) ? strcspn(typed, ",") : strlen(typed);
        good = parameter_list_copy(&more, chosen) || failure_memory(failure, "reading parameters");
        good = good && (!typed || value_add(&more, row, typed, length, failure)) &&
               settings_add(settings, task, arguments, index + 1, &more, failure);
        parameter_list_release(&more);
        typed = typed && typed[length] == ',' ? typed + length + 1 : NULL;
    } while (good && typed);
    return good;
}

/* A block is always a setting's own, so that profiles with one and with several look alike. */
static void own_find(struct settings *settings, const struct scow_task *task,
                     const struct arguments *arguments)
{
    for (int i = 0; i < task_parameter_count(task); i++) {
        const struct scow_parameter *row = &task->parameters[i];
        const bool listed =
            arguments->values[i] && is_number(row) && strchr(arguments->values[i], ',');
        if (listed || strcmp(row->name, "block") == 0)
            settings->own[settings->own_count++] = row->name;
    }
}

static bool settings_twice(const struct settings *settings, const struct scow_task *task)
{
    const struct values *last = &settings->items[settings->count - 1];
    for (int k = 0; k < settings->count - 1; k++) {
        bool same = true;
        for (int i = 0; i < task_parameter_count(task); i++)
            same = same && settings->items[k].items[i].number == last->items[i].number;
        if (same)
            return true;
    }
    return false;
}

static bool settings_read(struct settings *settings, const struct scow_task *task,
                          struct arguments *arguments, struct failure *failure)
{
    struct parameter_list none = {0}, staged = {0};
    for (int i = 0; arguments->blocks && i < task_parameter_count(task); i++)
        if (strcmp(task->parameters[i].name, "block") == 0)
            arguments->values[i] = arguments->blocks;
    own_find(settings, task, arguments);
    bool good = !arguments->staged || parameter_list_add(&staged, VALUES_STAGED, "yes", 0) ||
                failure_memory(failure, "reading the command line");
    good = good &&
           settings_add(settings, task, arguments, 0, arguments->staged ? &staged : &none, failure);
    if (good && settings_twice(settings, task))
        good = failure_set(failure, FAILURE_USAGE,
                           "a list names the same value twice: once is enough");
    parameter_list_release(&staged);
    if (!good && failure->code == FAILURE_MISMATCH)
        failure->code = FAILURE_USAGE;
    return good;
}

static void settings_release(struct settings *settings)
{
    for (int i = 0; i < settings->count; i++)
        values_release(&settings->items[i]);
}

/* ---- outcome ------------------------------------------------------------------------------- */

/* Owned: where the profile goes, for the trial writes to go there too. NULL: out of memory. */
static char *scratch_directory(const struct arguments *arguments)
{
    if (arguments->scratch)
        return strdup(arguments->scratch);
    const char *slash = arguments->output ? strrchr(arguments->output, '/') : NULL;
    return slash ? strndup(arguments->output,
                           slash > arguments->output ? (size_t)(slash - arguments->output) : 1)
                 : strdup(".");
}

static bool text_write(char *text, const char *path, struct failure *failure)
{
    bool good =
        text ? textfile_write(path, text, failure) : failure_memory(failure, "writing the profile");
    free(text);
    return good;
}

/* Local to the master. */
static bool outcome_write(const struct arguments *arguments, const struct calibration *calibration,
                          struct failure *failure)
{
    if (arguments->probes &&
        !text_write(samples_print(&calibration->samples), arguments->probes, failure))
        return false;
    return text_write(profile_print(&calibration->profile),
                      arguments->output ? arguments->output : "-", failure);
}

/* Local to the master. Minutes of probing shall not end in a file that cannot be written. */
static bool outcome_check(const struct arguments *arguments, struct failure *failure)
{
    return (!arguments->probes || textfile_check(arguments->probes, failure)) &&
           (!arguments->output || textfile_check(arguments->output, failure));
}

/* Collective. */
static void calibrate_kernel(struct comm *comm, const struct kernel *kernel,
                             struct arguments *arguments, struct failure *failure)
{
    struct calibration calibration = {0};
    struct settings settings = {.count = 0};
    char *scratch = scratch_directory(arguments);
    if (!scratch)
        failure_memory(failure, "naming the scratch file");
    settings_read(&settings, kernel->task, arguments, failure);
    if (comm->rank == 0 && failure->code == FAILURE_NONE)
        outcome_check(arguments, failure);
    if (!comm_agree(comm, failure))
        goto out;
    const struct calibration_request request = {
        .kernel = kernel,
        .settings = settings.items,
        .setting_count = settings.count,
        .own = settings.own,
        .own_count = settings.own_count,
        .input = arguments->input,
        .scratch = scratch,
        .effort = arguments->quick ? probe_quick : probe_thorough,
        .threads = launch_threads(comm),
        .quiet = arguments->quiet,
    };
    if (calibration_make(&calibration, comm, &request, failure) && comm->rank == 0)
        outcome_write(arguments, &calibration, failure);
out:
    calibration_release(&calibration);
    settings_release(&settings);
    free(scratch);
}

static void calibrate_command(struct comm *comm, int argc, char **argv, struct failure *failure)
{
    struct arguments arguments = {0};
    struct kernel kernel = {0};
    bool over = false;
    kernel_open(&kernel, kernel_name_of(kernel_word(argc, argv)), NULL, "--kernel", failure);
    if (failure->code == FAILURE_MISMATCH)
        failure->code = FAILURE_USAGE;
    if (comm_agree(comm, failure) && kernel_agree(comm, &kernel, failure)) {
        arguments_parse(comm, argc, argv, kernel.task, &arguments, &over, failure);
        if (comm_agree(comm, failure) && !over)
            calibrate_kernel(comm, &kernel, &arguments, failure);
    }
    kernel_close(&kernel);
}

int calibrate_main(int argc, char **argv)
{
    struct comm comm;
    struct failure failure = FAILURE_INIT;
    launch_begin(&comm, &argc, &argv);
    calibrate_command(&comm, argc, argv, &failure);
    return launch_end(&comm, "scow calibrate", &failure);
}

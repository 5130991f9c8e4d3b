#include "spmd/job/kernel.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "kernel/tasks/table.h"
#include "planner/files/textfile.h"
#include "spmd/job/job.h"

struct kernel_name kernel_name_of(const char *word)
{
    const bool path = strchr(word, '/') != NULL;
    return (struct kernel_name){path ? NULL : word, path ? word : NULL, NULL};
}

static const struct scow_task *own; /* set once, when a user's own program starts */

bool kernel_own(const struct scow_task *task, struct failure *failure)
{
    if (!job_task_check(task, "this program's core task", failure))
        return false;
    if (task_find(task->name))
        return failure_set(
            failure, FAILURE_USAGE,
            "this program's core task '%s' has the name of a built-in one: rename it", task->name);
    task_add(task);
    own = task;
    return true;
}

const char *kernel_default(void)
{
    return own ? own->name : "matched-filter";
}

/* ---- plug-ins ------------------------------------------------------------------------------ */

static bool digest_make(struct kernel *kernel, const char *where, struct failure *failure)
{
    size_t length = 0;
    struct failure reading = FAILURE_INIT;
    char *bytes = textfile_read(kernel->plugin, &length, &reading);
    if (!bytes)
        return failure_set(failure, FAILURE_MISMATCH, "%s: plug-in %s", where, reading.text);
    textfile_sha256(bytes, length, kernel->sha256);
    free(bytes);
    return true;
}

/* The loader's error message begins with the path already. */
static bool symbol_find(struct kernel *kernel, const char *where, struct failure *failure)
{
    kernel->library = dlopen(kernel->plugin, RTLD_NOW | RTLD_LOCAL);
    if (!kernel->library)
        return failure_set(failure, FAILURE_MISMATCH, "%s: cannot be loaded as a plug-in: %s",
                           where, dlerror());
    kernel->task = dlsym(kernel->library, "scow_plugin");
    if (kernel->task)
        return true;
    return failure_set(
        failure, FAILURE_MISMATCH,
        "%s: plug-in '%s' has no symbol 'scow_plugin': define 'const struct scow_task "
        "scow_plugin' in it, visible",
        where, kernel->plugin);
}

static bool digest_agrees(const struct kernel *kernel, const char *wanted, const char *where,
                          struct failure *failure)
{
    return !wanted || strcmp(wanted, kernel->sha256) == 0 ||
           failure_set(failure, FAILURE_MISMATCH,
                       "%s: plug-in '%s' has changed since (sha256 %.12s..., was %.12s...): "
                       "calibrate and plan again, or name the earlier one with -k",
                       where, kernel->plugin, kernel->sha256, wanted);
}

static bool plugin_open(struct kernel *kernel, const char *path, const struct kernel_name *name,
                        const char *where, struct failure *failure)
{
    kernel->plugin = realpath(path, NULL);
    if (!kernel->plugin || access(kernel->plugin, R_OK) != 0)
        return failure_set(
            failure, FAILURE_MISMATCH,
            "%s: there is no plug-in '%s' to read: name it with -k ./FILE.so, on a file "
            "system that all nodes see",
            where, path);
    if (!digest_make(kernel, where, failure) ||
        !digest_agrees(kernel, name->sha256, where, failure) ||
        !symbol_find(kernel, where, failure) ||
        !job_task_check(kernel->task, kernel->plugin, failure))
        return false;
    if (!name->name || strcmp(name->name, kernel->task->name) == 0)
        return true;
    return failure_set(
        failure, FAILURE_MISMATCH,
        "%s: is for core task '%s', but plug-in '%s' is '%s': name the right one with -k", where,
        name->name, kernel->plugin, kernel->task->name);
}

bool kernel_open(struct kernel *kernel, struct kernel_name name, const char *instead,
                 const char *where, struct failure *failure)
{
    struct kernel opened = {0};
    const char *path = instead ? instead : name.plugin;
    if (!path)
        opened.task = job_task(name.name, where, failure);
    const bool good =
        (!path || plugin_open(&opened, path, &name, where, failure)) && opened.task != NULL;
    if (good)
        *kernel = opened;
    else
        kernel_close(&opened);
    return good;
}

bool kernel_input_check(const struct kernel *kernel, const char *input, const char *where,
                        struct failure *failure)
{
    const bool wanted = kernel->task->input != SCOW_INPUT_NONE;
    return wanted == (input != NULL) ||
           failure_set(failure, FAILURE_USAGE, "%s: core task '%s' %s", where, kernel->task->name,
                       wanted ? "needs an input: add -i INPUT" : "has no input: leave -i out");
}

void kernel_close(struct kernel *kernel)
{
    if (kernel->library)
        dlclose(kernel->library);
    free(kernel->plugin);
    *kernel = (struct kernel){0};
}

/* ---- describing ---------------------------------------------------------------------------- */

void kernel_list(struct text *text)
{
    size_t count = 0;
    const struct scow_task *const *all = task_list(&count);
    for (size_t i = 0; i < count; i++)
        text_add(text, "%-15s %s\n", all[i]->name, all[i]->summary);
    text_add(text, "%-15s %s\n", "./FILE.so", "a plug-in of your own: see jobs/guide/tasks.md");
}

static void default_describe(const struct scow_parameter *row, struct text *text)
{
    switch ((enum scow_parameter_kind)row->kind) {
    case SCOW_NUMBER:
    case SCOW_WHOLE:
        text_add(text, "%.15g to %.15g; default %.15g", row->least, row->greatest, row->initial);
        return;
    case SCOW_WORD:
        for (int i = 0; row->words[i]; i++)
            text_add(text, "%s%s", i > 0 ? ", " : "", row->words[i]);
        text_add(text, "; default %s", row->words[(int)row->initial]);
        return;
    case SCOW_TEXT:
    case SCOW_PATH:
        text_add(text, row->kind == SCOW_PATH ? "a file" : "a text");
        if (row->text)
            text_add(text, "; default %s", row->text);
        return;
    }
}

static const char *input_words(int kind)
{
    switch ((enum scow_input_kind)kind) {
    case SCOW_INPUT_NONE:
        return "none: the size of the job follows from the parameters";
    case SCOW_INPUT_IMAGE:
        return "an image or a stack: PNG, PGM, TIFF, .npy, NIfTI, or HDF5 data set (file.h5:/path)";
    case SCOW_INPUT_LINES:
        return "a text file, line by line";
    case SCOW_INPUT_SEQUENCES:
        return "sequences in a FASTA file";
    case SCOW_INPUT_FILE:
        return "a file";
    }
    return "";
}

static void task_describe(const struct scow_task *task, struct text *text)
{
    text_add(text, "%s: %s\n\n", task->name, task->summary);
    text_add(text, "version     %s\ninput       %s\ncore task   %s\nresults     %s\n",
             task->version, input_words(task->input), task->core_task, task->outcome);
    if (task->flags & SCOW_ONCE)
        text_add(
            text,
            "effects     beyond results: calibrating computes some core tasks for real; those that "
            "a lost worker or a killed run had begun are begun again\n");
    const int count = task_parameter_count(task);
    if (count > 0)
        text_add(text, "\nParameters, options of 'scow calibrate', kept in profile and plan:\n");
    for (int i = 0; i < count; i++) {
        const struct scow_parameter *row = &task->parameters[i];
        text_add(text, "  --%-16s %s\n%21s(", row->name, row->help, "");
        default_describe(row, text);
        text_add(text, "%s)\n", task_run_parameter(task, row->name) ? "; of 'scow run', too" : "");
    }
}

bool kernel_describe(const char *word, struct text *text, struct failure *failure)
{
    struct kernel kernel;
    if (!kernel_open(&kernel, kernel_name_of(word), NULL, "scow tasks", failure))
        return false;
    task_describe(kernel.task, text);
    if (kernel.plugin)
        text_add(text, "\nplug-in     %s\nsha256      %s\n", kernel.plugin, kernel.sha256);
    kernel_close(&kernel);
    return true;
}

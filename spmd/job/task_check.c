/* Checks what a core task says about itself: versions, names, callbacks, parameters. */
#include <math.h>
#include <stddef.h>
#include <string.h>

#include "kernel/tasks/table.h"
#include "spmd/job/job.h"

static bool name_is_good(const char *name)
{
    return name && name[0] && strlen(name) <= 60 &&
           strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789-") == strlen(name);
}

static bool task_refuse(const char *where, const char *why, struct failure *failure)
{
    return failure_set(failure, FAILURE_MISMATCH, "%s: is no core task that scow can use: %s",
                       where, why);
}

/* Names that are options of scow calibrate, or attributes of an output. */
static bool name_is_taken(const char *name)
{
    static const char *const taken[] = {
        "staged-too", "threads", "budget",   "input",   "image",    "kernel",  "output",
        "profile",    "probes",  "scratch",  "quick",   "quiet",    "isa",     "version",
        "verbose",    "help",    "blocks",   "plugin",  "checksum", "minimum", "method",
        "maximum",    "failed",  "complete", "html",    "reuse",    "rule",    "tail",
        "replan",     "ahead",   "stopped",  "resumed", "collect",  "levels"};
    for (size_t i = 0; i < sizeof taken / sizeof *taken; i++)
        if (strcmp(name, taken[i]) == 0)
            return true;
    return values_is_switch(name);
}

static bool parameter_check(const struct scow_parameter *row, const char *where,
                            struct failure *failure)
{
    size_t words = 0;
    while (row->words && row->words[words])
        words++;
    const bool number = row->kind == SCOW_NUMBER || row->kind == SCOW_WHOLE;
    if (!name_is_good(row->name) || !row->help)
        return task_refuse(where,
                           "a parameter's name is not made of a-z, 0-9 and '-', or it has no help",
                           failure);
    if (name_is_taken(row->name))
        return failure_set(failure, FAILURE_MISMATCH,
                           "%s: is no core task that scow can use: '%s' is an option of scow's "
                           "own: give the parameter another name",
                           where, row->name);
    if (row->kind < SCOW_NUMBER || row->kind > SCOW_PATH)
        return task_refuse(where, "a parameter is of no known kind", failure);
    if (number && (!(row->initial >= row->least && row->initial <= row->greatest) ||
                   (row->kind == SCOW_WHOLE && floor(row->initial) != row->initial)))
        return task_refuse(where, "a parameter's default is out of its range", failure);
    if (row->kind == SCOW_WORD && !(row->initial >= 0 && row->initial < (double)words))
        return task_refuse(where, "a parameter's default is none of its words", failure);
    return true;
}

static bool parameters_check(const struct scow_task *task, const char *where,
                             struct failure *failure)
{
    const struct scow_parameter *rows = task->parameters;
    if (task_parameter_count(task) > SCOW_PARAMETERS_MOST)
        return task_refuse(where, "it has more than 64 parameters", failure);
    for (int i = 0; i < task_parameter_count(task); i++) {
        if (!parameter_check(&rows[i], where, failure))
            return false;
        for (int before = 0; before < i; before++)
            if (strcmp(rows[before].name, rows[i].name) == 0)
                return failure_set(
                    failure, FAILURE_MISMATCH,
                    "%s: is no core task that scow can use: two of its parameters are called '%s'",
                    where, rows[i].name);
    }
    return true;
}

/* Names that are options of scow run. */
static bool name_is_of_run(const char *name)
{
    static const char *const taken[] = {"results", "resume",   "retry-lost",
                                        "until",   "patience", "scheduler"};
    for (size_t i = 0; i < sizeof taken / sizeof *taken; i++)
        if (strcmp(name, taken[i]) == 0)
            return true;
    return false;
}

static bool run_parameters_check(const struct scow_task *task, const char *where,
                                 struct failure *failure)
{
    const char *const *names = task_run_parameters(task);
    for (; names && *names; names++) {
        bool known = false;
        for (int i = 0; i < task_parameter_count(task); i++)
            known = known || strcmp(task->parameters[i].name, *names) == 0;
        if (!known || name_is_of_run(*names))
            return failure_set(failure, FAILURE_MISMATCH,
                               "%s: is no core task that scow can use: '%s', which it says is for "
                               "runs, is %s",
                               where, *names,
                               known
                                   ? "an option of scow run's own: give the parameter another name"
                                   : "none of its parameters");
    }
    return true;
}

/* The size of the structure in the version that it was built for. */
static size_t size_least(const struct scow_task *task)
{
    const uint32_t minor = task->abi & 0xffff;
    return minor < 1   ? offsetof(struct scow_task, run_parameters)
           : minor < 2 ? offsetof(struct scow_task, next)
                       : sizeof *task;
}

bool job_task_check(const struct scow_task *task, const char *where, struct failure *failure)
{
    if (task->abi >> 16 != SCOW_ABI_MAJOR || (task->abi & 0xffff) > SCOW_ABI_MINOR ||
        task->size < size_least(task))
        return failure_set(
            failure, FAILURE_MISMATCH,
            "%s: was built for version %u.%u of scow.h (%u bytes), and this scow has "
            "%u.%u (%zu bytes): build it again with this scow.h",
            where, task->abi >> 16, task->abi & 0xffff, task->size, SCOW_ABI_MAJOR, SCOW_ABI_MINOR,
            sizeof *task);
    if (!name_is_good(task->name))
        return task_refuse(where, "its name is not made of a-z, 0-9 and '-'", failure);
    if (!task->version || !task->summary || !task->core_task || !task->outcome)
        return task_refuse(where, "it does not say its version, summary, core task or outcome",
                           failure);
    if (!task->describe || !task->compute)
        return task_refuse(where, "it has no describe or no compute", failure);
    if (!task->pack != !task->package_size_most)
        return task_refuse(where, "pack and package_size_most go together", failure);
    if (!task->start != !task->stop && !task->workspace_size)
        return task_refuse(where, "start and stop work on a workspace", failure);
    if ((task->flags & SCOW_LEVELS) && !task_has_levels(task))
        return task_refuse(where, "a search in levels (SCOW_LEVELS) has `next`", failure);
    if (task->input < SCOW_INPUT_NONE || task->input > SCOW_INPUT_FILE)
        return task_refuse(where, "its input is of no known kind", failure);
    if (task->threads != SCOW_THREADS_HOST && task->threads != SCOW_THREADS_OWN)
        return task_refuse(where, "it uses threads in no known way", failure);
    return parameters_check(task, where, failure) && run_parameters_check(task, where, failure);
}

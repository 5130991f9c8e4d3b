#include "spmd/run/changes.h"

#include <stdlib.h>
#include <string.h>

#include "kernel/tasks/table.h"
#include "planner/base/nearest.h"
#include "spmd/job/values.h"

/* NULL: the task has no parameter of that name. */
static const struct scow_parameter *parameter_find(const struct scow_task *task, const char *name,
                                                   size_t length)
{
    for (int i = 0; i < task_parameter_count(task); i++) {
        const struct scow_parameter *row = &task->parameters[i];
        if (strlen(row->name) == length && strncmp(row->name, name, length) == 0)
            return row;
    }
    return NULL;
}

static bool is_listed(const struct changes *changes, const char *name)
{
    for (int i = 0; i < changes->count; i++)
        if (strcmp(changes->items[i].name, name) == 0)
            return true;
    return false;
}

static void row_add(struct changes *changes, const struct scow_parameter *parameter,
                    struct option_row *rows)
{
    const int k = changes->count++;
    changes->items[k].name = parameter->name;
    changes->items[k].length = strlen(parameter->name);
    rows[k] = (struct option_row){0,           parameter->name,          "VALUE",
                                  OPTION_TEXT, &changes->items[k].typed, parameter->help};
}

size_t changes_rows(struct changes *changes, struct option_row *rows)
{
    size_t count = 0;
    const struct scow_task *const *all = task_list(&count);
    *changes = (struct changes){.count = 0};
    for (size_t t = 0; t < count; t++)
        for (int i = 0; i < task_parameter_count(all[t]); i++) {
            const struct scow_parameter *row = &all[t]->parameters[i];
            if (task_run_parameter(all[t], row->name) && !is_listed(changes, row->name) &&
                changes->count < SCOW_PARAMETERS_MOST)
                row_add(changes, row, rows);
        }
    changes->known = changes->count;
    return (size_t)changes->count;
}

bool changes_keep(void *self, const char *name, size_t length, const char *value)
{
    struct changes *changes = self;
    if (changes->count == CHANGES_MOST)
        return false;
    changes->items[changes->count].name = name;
    changes->items[changes->count].length = length;
    changes->items[changes->count++].typed = value;
    return true;
}

bool changes_refuse_unknown(const struct changes *changes, struct failure *failure)
{
    if (changes->count == changes->known)
        return true;
    const int k = changes->known;
    return failure_set(failure, FAILURE_USAGE, "unknown option '--%.*s': see 'scow run --help'",
                       changes->items[k].length < 60 ? (int)changes->items[k].length : 60,
                       changes->items[k].name);
}

static bool not_of_task(const struct scow_task *task, const char *name, size_t length,
                        struct failure *failure)
{
    char hint[NEAREST_HINT_SIZE], word[64];
    const size_t most = sizeof word - 1;
    memcpy(word, name, length < most ? length : most);
    word[length < most ? length : most] = '\0';
    struct nearest nearest = {.word = word};
    const char *const *names = task_run_parameters(task);
    for (; names && *names; names++)
        nearest_try(&nearest, *names);
    return failure_set(failure, FAILURE_USAGE, "core task '%s' has no option '--%s' for runs: %s",
                       task->name, word,
                       nearest_hint(&nearest, "--", "see 'scow run --help'", hint));
}

static bool change_add(struct parameter_list *list, const struct scow_parameter *row,
                       const char *typed, struct failure *failure)
{
    struct parameter_list one = {0};
    char *end = NULL;
    const bool is_number = row->kind == SCOW_NUMBER || row->kind == SCOW_WHOLE;
    const double number = is_number ? strtod(typed, &end) : 0;
    if (is_number && (end == typed || *end != '\0'))
        return failure_set(failure, FAILURE_USAGE, "--%s needs a number, not '%.60s'", row->name,
                           typed);
    const bool good = parameter_list_add(&one, row->name, is_number ? NULL : typed, number) &&
                      parameter_list_merge(list, &one);
    parameter_list_release(&one);
    return good || failure_memory(failure, "reading the command line");
}

bool changes_read(const struct changes *changes, const struct scow_task *task,
                  struct parameter_list *list, struct failure *failure)
{
    for (int i = 0; i < changes->count; i++) {
        const char *name = changes->items[i].name, *typed = changes->items[i].typed;
        const size_t length = changes->items[i].length;
        const struct scow_parameter *row = parameter_find(task, name, length);
        if (!typed)
            continue;
        if (!row)
            return not_of_task(task, name, length, failure);
        if (!task_run_parameter(task, row->name))
            return failure_set(failure, FAILURE_USAGE,
                               "--%s changes what core tasks cost: give it to scow calibrate, and "
                               "plan again",
                               row->name);
        if (!change_add(list, row, typed, failure))
            return false;
    }
    return true;
}

#include "spmd/job/values.h"

#include <errno.h>
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "planner/base/nearest.h"

int task_parameter_count(const struct scow_task *task)
{
    int count = 0;
    while (task->parameters && task->parameters[count].name)
        count++;
    return count;
}

const char *const *task_run_parameters(const struct scow_task *task)
{
    /* The structure of an older version ends before this member. */
    return task->size >= offsetof(struct scow_task, run_parameters) + sizeof task->run_parameters
               ? task->run_parameters
               : NULL;
}

bool task_has_levels(const struct scow_task *task)
{
    return (task->flags & SCOW_LEVELS) &&
           task->size >= offsetof(struct scow_task, next) + sizeof task->next && task->next;
}

bool task_weighs(const struct scow_task *task)
{
    return task->size >= offsetof(struct scow_task, weigh) + sizeof task->weigh && task->weigh;
}

bool task_run_parameter(const struct scow_task *task, const char *name)
{
    const char *const *names = task_run_parameters(task);
    while (names && *names && strcmp(*names, name) != 0)
        names++;
    return names && *names;
}

/* What a sentence about a wrong parameter begins with: "--width", or "plan.json: width". */
struct subject {
    enum failure_code code;
    char text[160];
};

static struct subject subject_of(const char *where, const char *name)
{
    struct subject subject = {.code = where ? FAILURE_MISMATCH : FAILURE_USAGE};
    snprintf(subject.text, sizeof subject.text, "%.100s%s%s", where ? where : "",
             where ? ": " : "--", name);
    return subject;
}

static bool word_value(const struct scow_parameter *row, const char *word, const char *where,
                       struct scow_value *value, struct failure *failure)
{
    char hint[NEAREST_HINT_SIZE];
    struct nearest nearest = {.word = word};
    for (size_t count = 0; row->words[count]; count++) {
        if (strcmp(row->words[count], word) == 0) {
            *value = (struct scow_value){(double)count, row->words[count]};
            return true;
        }
        nearest_try(&nearest, row->words[count]);
    }
    const struct subject subject = subject_of(where, row->name);
    return failure_set(failure, subject.code, "%s cannot be '%s': %s", subject.text, word,
                       nearest_hint(&nearest, "", "'scow tasks' has its words", hint));
}

static bool number_value(const struct scow_parameter *row, const struct parameter *given,
                         const char *where, struct scow_value *value, struct failure *failure)
{
    const bool whole = row->kind == SCOW_WHOLE;
    const double number = given->number;
    const struct subject subject = subject_of(where, row->name);
    if (given->word || !(number >= row->least && number <= row->greatest) ||
        (whole && floor(number) != number))
        return failure_set(failure, subject.code, "%s must be a%s number from %.15g to %.15g",
                           subject.text, whole ? " whole" : "", row->least, row->greatest);
    value->number = number;
    return true;
}

/* A text that looks like a number was read as a number: prints it again. */
static char *text_of(const struct parameter *given)
{
    char digits[40];
    if (given->word)
        return strdup(given->word);
    snprintf(digits, sizeof digits, "%.15g", given->number);
    if (strtod(digits, NULL) != given->number)
        snprintf(digits, sizeof digits, "%.17g", given->number);
    return strdup(digits);
}

static bool text_value(struct values *values, int index, const struct parameter *given,
                       struct failure *failure)
{
    char *text = text_of(given);
    if (!text)
        return failure_memory(failure, "reading parameters");
    free(values->texts[index]);
    values->texts[index] = text;
    values->items[index].text = text;
    return true;
}

static bool path_value(struct values *values, int index, const struct scow_parameter *row,
                       const char *where, struct failure *failure)
{
    char *whole = realpath(values->texts[index], NULL);
    if (!whole || access(whole, R_OK) != 0) {
        const int error = errno;
        const struct subject subject = subject_of(where, row->name);
        failure_set(failure, subject.code, "%s '%s' cannot be read: %s; check the name",
                    subject.text, values->texts[index], strerror(error));
        free(whole);
        return false;
    }
    free(values->texts[index]);
    values->texts[index] = whole;
    values->items[index].text = whole;
    return true;
}

static bool value_read(struct values *values, int index, const struct scow_parameter *row,
                       const struct parameter *given, const char *where, bool paths,
                       struct failure *failure)
{
    const struct subject subject = subject_of(where, row->name);
    values->wheres[index] = where;
    switch ((enum scow_parameter_kind)row->kind) {
    case SCOW_NUMBER:
    case SCOW_WHOLE:
        return number_value(row, given, where, &values->items[index], failure);
    case SCOW_WORD:
        if (!given->word)
            return failure_set(failure, subject.code,
                               "%s must be a word such as '%s', not a number", subject.text,
                               row->words[0]);
        return word_value(row, given->word, where, &values->items[index], failure);
    case SCOW_TEXT:
        return text_value(values, index, given, failure);
    case SCOW_PATH:
        return text_value(values, index, given, failure) &&
               (!paths || path_value(values, index, row, where, failure));
    }
    return false;
}

/* The switch of that name if it belongs to the run and not to its task; NULL: it does not. */
static bool *switch_find(struct values *values, const char *name)
{
    if (strcmp(name, VALUES_STAGED) == 0)
        return &values->staged;
    return strcmp(name, VALUES_WRITE_BEHIND) == 0 ? &values->write_behind : NULL;
}

bool values_is_switch(const char *name)
{
    struct values values = {0};
    return switch_find(&values, name) != NULL || strcmp(name, RESULTS_PARAMETER) == 0 ||
           strcmp(name, ORDER_PARAMETER) == 0;
}

static bool switch_read(bool *on, const struct parameter *given, const char *where,
                        struct failure *failure)
{
    const bool yes = given->word && strcmp(given->word, "yes") == 0;
    const struct subject subject = subject_of(where, given->name);
    if (!yes && !(given->word && strcmp(given->word, "no") == 0))
        return failure_set(failure, subject.code, "%s must be 'yes' or 'no'", subject.text);
    *on = yes;
    return true;
}

static bool results_read(enum results *results, const struct parameter *given, const char *where,
                         struct failure *failure)
{
    const struct subject subject = subject_of(where, given->name);
    return (given->word && results_find(given->word, results)) ||
           failure_set(failure, subject.code, "%s must be 'none', 'package' or 'end'",
                       subject.text);
}

static bool order_read(struct order *order, const struct parameter *given, const char *where,
                       struct failure *failure)
{
    const struct subject subject = subject_of(where, given->name);
    return (given->word && order_parse(given->word, order)) ||
           failure_set(failure, subject.code,
                       "%s must be 'natural', 'stride:R' with R of at least 1, or 'random:SEED'",
                       subject.text);
}

static bool unknown_refuse(const struct scow_task *task, const char *name, const char *where,
                           struct failure *failure)
{
    char hint[NEAREST_HINT_SIZE];
    struct nearest nearest = {.word = name};
    for (int i = 0; i < task_parameter_count(task); i++)
        nearest_try(&nearest, task->parameters[i].name);
    return failure_set(failure, where ? FAILURE_MISMATCH : FAILURE_USAGE,
                       "%s: core task '%s' has no parameter '%s': %s",
                       where ? where : "command line", task->name, name,
                       nearest_hint(&nearest, "", "'scow tasks' lists them", hint));
}

static bool parameter_apply(struct values *values, const struct scow_task *task,
                            const struct parameter *given, const char *where, bool paths,
                            struct failure *failure)
{
    if (strcmp(given->name, RESULTS_PARAMETER) == 0)
        return results_read(&values->results, given, where, failure);
    if (strcmp(given->name, ORDER_PARAMETER) == 0)
        return order_read(&values->order, given, where, failure);
    if (values_is_switch(given->name))
        return switch_read(switch_find(values, given->name), given, where, failure);
    for (int i = 0; i < values->count; i++)
        if (strcmp(task->parameters[i].name, given->name) == 0)
            return value_read(values, i, &task->parameters[i], given, where, paths, failure);
    return unknown_refuse(task, given->name, where, failure);
}

static struct scow_value value_initial(const struct scow_parameter *row)
{
    struct scow_value value = {.number = row->initial, .text = row->text};
    if (row->kind == SCOW_WORD)
        value.text = row->words[(int)row->initial];
    return value;
}

static bool values_init(struct values *values, int count, struct failure *failure)
{
    *values = (struct values){.count = count, .order = {.stride = 1}};
    values->items = calloc((size_t)count + 1, sizeof *values->items);
    values->texts = calloc((size_t)count + 1, sizeof *values->texts);
    values->wheres = calloc((size_t)count + 1, sizeof *values->wheres);
    return (values->items && values->texts && values->wheres) ||
           failure_memory(failure, "reading parameters");
}

bool values_read(struct values *values, const struct scow_task *task,
                 const struct parameter_list *parameters, const char *where, bool paths,
                 struct failure *failure)
{
    if (!values_init(values, task_parameter_count(task), failure))
        return false;
    for (int i = 0; i < values->count; i++) {
        values->items[i] = value_initial(&task->parameters[i]);
        values->wheres[i] = where;
    }
    for (size_t i = 0; i < parameters->count; i++)
        if (!parameter_apply(values, task, &parameters->items[i], where, paths, failure))
            return false;
    return true;
}

bool values_change(struct values *values, const struct scow_task *task,
                   const struct parameter_list *parameters, struct failure *failure)
{
    bool good = true;
    for (size_t i = 0; good && i < parameters->count; i++)
        good = parameter_apply(values, task, &parameters->items[i], NULL, true, failure);
    return good;
}

const char *values_where(const struct values *values, const struct scow_task *task,
                         const char *name)
{
    for (int i = 0; i < values->count; i++)
        if (strcmp(task->parameters[i].name, name) == 0)
            return values->wheres[i];
    return NULL;
}

void values_resize(struct values *values, const struct scow_task *task, double tasks)
{
    for (int i = 0; task->input == SCOW_INPUT_NONE && i < values->count; i++) {
        const struct scow_parameter *row = &task->parameters[i];
        if (strcmp(row->name, "tasks") == 0 && row->kind == SCOW_WHOLE && tasks >= row->least &&
            tasks <= row->greatest)
            values->items[i].number = tasks;
    }
}

bool values_copy(struct values *to, const struct values *from, struct failure *failure)
{
    if (!values_init(to, from->count, failure))
        return false;
    to->staged = from->staged;
    to->write_behind = from->write_behind;
    to->results = from->results;
    to->order = from->order;
    for (int i = 0; i < from->count; i++) {
        to->items[i] = from->items[i];
        to->wheres[i] = from->wheres[i];
        if (!from->texts[i])
            continue;
        to->texts[i] = strdup(from->texts[i]);
        to->items[i].text = to->texts[i];
        if (!to->texts[i])
            return failure_memory(failure, "copying parameters");
    }
    return true;
}

bool values_describe(const struct values *values, const struct scow_task *task,
                     struct parameter_list *parameters, struct failure *failure)
{
    char order[ORDER_WORD];
    order_print(&values->order, order);
    for (int i = 0; i < values->count; i++) {
        const struct scow_parameter *row = &task->parameters[i];
        const bool number = row->kind == SCOW_NUMBER || row->kind == SCOW_WHOLE;
        const struct scow_value *value = &values->items[i];
        if (!number && !value->text)
            continue;
        if (!parameter_list_add(parameters, row->name, number ? NULL : value->text, value->number))
            return failure_memory(failure, "describing parameters");
    }
    if ((values->staged && !parameter_list_add(parameters, VALUES_STAGED, "yes", 0)) ||
        (values->write_behind && !parameter_list_add(parameters, VALUES_WRITE_BEHIND, "yes", 0)) ||
        (results_return(values->results) &&
         !parameter_list_add(parameters, RESULTS_PARAMETER, results_name(values->results), 0)) ||
        (order_differs(&values->order) &&
         !parameter_list_add(parameters, ORDER_PARAMETER, order, 0)))
        return failure_memory(failure, "describing parameters");
    return true;
}

void values_release(struct values *values)
{
    for (int i = 0; values->texts && i < values->count; i++)
        free(values->texts[i]);
    free(values->texts);
    free(values->wheres);
    free(values->items);
    *values = (struct values){0};
}

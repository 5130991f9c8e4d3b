#include "spmd/job/job.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "planner/base/nearest.h"

/* ", did you mean 'x'" or nothing. */
static const char *hint(char text[80], const char *word, const char *const *known, size_t count)
{
    const char *near = nearest_word(word, known, count);
    text[0] = '\0';
    if (near)
        snprintf(text, 80, " (did you mean '%s'?)", near);
    return text;
}

static bool word_value(const struct kernel_parameter *row, const char *word, const char *where,
                       double *value, struct failure *failure)
{
    size_t count = 0;
    for (; row->choices[count]; count++) {
        if (strcmp(row->choices[count], word) == 0) {
            *value = (double)count;
            return true;
        }
    }
    char near[80];
    return failure_set(failure, FAILURE_MISMATCH, "%s: '%s' is no %s%s", where, word, row->name,
                       hint(near, word, row->choices, count));
}

static bool parameter_value(const struct kernel_parameter *row, const struct parameter *given,
                            const char *where, double *value, struct failure *failure)
{
    if (row->choices) {
        if (!given->word)
            return failure_set(failure, FAILURE_MISMATCH,
                               "%s: %s must be a word such as '%s', not a number", where, row->name,
                               row->choices[0]);
        return word_value(row, given->word, where, value, failure);
    }
    bool whole = !row->whole || floor(given->number) == given->number;
    if (given->word || !(given->number >= row->least && given->number <= row->greatest) || !whole)
        return failure_set(failure, FAILURE_MISMATCH, "%s: %s must be a%s number from %g to %g",
                           where, row->name, row->whole ? " whole" : "", row->least, row->greatest);
    *value = given->number;
    return true;
}

static bool parameter_apply(const struct kernel *kernel, const struct parameter *given,
                            const char *where, struct kernel_setup *setup, struct failure *failure)
{
    const char *known[KERNEL_PARAMETER_MOST];
    for (int i = 0; i < kernel->parameter_count; i++) {
        const struct kernel_parameter *row = &kernel->parameters[i];
        if (strcmp(row->name, given->name) == 0)
            return parameter_value(row, given, where, &setup->values[i], failure);
        known[i] = row->name;
    }
    char near[80];
    return failure_set(failure, FAILURE_MISMATCH, "%s: kernel %s has no parameter '%s'%s", where,
                       kernel->name, given->name,
                       hint(near, given->name, known, (size_t)kernel->parameter_count));
}

bool job_parameters(const struct kernel *kernel, const struct parameter_list *parameters,
                    const char *where, struct kernel_setup *setup, struct failure *failure)
{
    for (int i = 0; i < kernel->parameter_count; i++)
        setup->values[i] = kernel->parameters[i].initial;
    for (size_t i = 0; i < parameters->count; i++)
        if (!parameter_apply(kernel, &parameters->items[i], where, setup, failure))
            return false;
    return true;
}

bool job_describe(const struct kernel *kernel, const struct kernel_setup *setup,
                  struct parameter_list *parameters, struct failure *failure)
{
    for (int i = 0; i < kernel->parameter_count; i++) {
        const struct kernel_parameter *row = &kernel->parameters[i];
        const char *word = row->choices ? row->choices[(int)setup->values[i]] : NULL;
        if (!parameter_list_add(parameters, row->name, word, setup->values[i]))
            return failure_memory(failure, "describing the kernel's parameters");
    }
    return true;
}

const struct kernel *job_kernel(const char *name, const char *where, struct failure *failure)
{
    const struct kernel *kernel = kernel_find(name);
    if (kernel)
        return kernel;
    size_t count = 0;
    const struct kernel *const *all = kernel_list(&count);
    const char *known[16];
    for (size_t i = 0; i < count && i < 16; i++)
        known[i] = all[i]->name;
    char near[80];
    failure_set(failure, FAILURE_MISMATCH, "%s: there is no kernel '%s'%s; this program has '%s'",
                where, name, hint(near, name, known, count), known[0]);
    return NULL;
}

bool job_init(struct job *job, const struct kernel *kernel, const struct kernel_setup *setup,
              const char *input, struct failure *failure)
{
    char why[240];
    if (!kernel->check(setup, why, sizeof why))
        return failure_set(failure, FAILURE_MISMATCH, "%s: %s", input, why);
    struct kernel_job *made = kernel->new_job(setup);
    if (!made)
        return failure_memory(failure, "preparing the kernel");
    *job = (struct job){kernel, *setup, made, kernel->task_count(setup)};
    return true;
}

void job_release(struct job *job)
{
    if (job->made)
        job->kernel->free_job(&job->made);
}

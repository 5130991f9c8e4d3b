#include "calibrate/task_options.h"

#include <stdio.h>
#include <string.h>

#include "spmd/job/kernel.h"
#include "spmd/job/values.h"

/* Is it -k, alone or behind letters that take no value, or --kernel? *value is then what stands
 * behind it in the word, or NULL. */
static bool names_kernel(const char *word, const char **value)
{
    static const char full[] = "--kernel", flags[] = "hq";
    const size_t length = sizeof full - 1;
    const char *behind = NULL;
    if (strncmp(word, full, length) == 0 && (word[length] == '=' || !word[length]))
        behind = word + length + (word[length] == '=');
    else if (word[0] == '-' && word[1 + strspn(word + 1, flags)] == 'k')
        behind = word + 2 + strspn(word + 1, flags);
    *value = behind && *behind ? behind : NULL;
    return behind != NULL;
}

const char *task_options_kernel(int argc, char **argv)
{
    for (int i = 1; i < argc; i++) {
        const char *value;
        if (names_kernel(argv[i], &value) && (value || i + 1 < argc))
            return value ? value : argv[i + 1];
    }
    return kernel_default();
}

size_t task_options_fill(const struct scow_task *task, struct option_row *rows,
                         const char *values[SCOW_PARAMETERS_MOST], const char **blocks)
{
    size_t count = 0;
    for (int i = 0; i < task_parameter_count(task); i++) {
        const struct scow_parameter *row = &task->parameters[i];
        rows[count++] =
            (struct option_row){0, row->name, "VALUE", OPTION_TEXT, &values[i], row->help};
        if (blocks && strcmp(row->name, "block") == 0)
            rows[count++] = (struct option_row){0,           "blocks", "B,B,...",
                                                OPTION_TEXT, blocks,   "the same as --block"};
    }
    return count;
}

void task_options_title(const struct scow_task *task, char title[TASK_OPTIONS_TITLE])
{
    snprintf(title, TASK_OPTIONS_TITLE,
             "Options of the core task %s ('scow tasks' lists others, for -k)", task->name);
}

#include "kernel/table.h"

#include <assert.h>
#include <string.h>

#include "kernel/matched/matched_filter.h"

/* Built-in ones, and room for others. */
enum { BUILT_IN = 1, TASKS_MOST = BUILT_IN + TASKS_ADDED_MOST };
static const struct scow_task *tasks[TASKS_MOST] = {&matched_filter_task};
static size_t task_count = BUILT_IN;

const struct scow_task *const *task_list(size_t *count)
{
    *count = task_count;
    return tasks;
}

const struct scow_task *task_find(const char *name)
{
    for (size_t i = 0; i < task_count; i++)
        if (strcmp(tasks[i]->name, name) == 0)
            return tasks[i];
    return NULL;
}

void task_add(const struct scow_task *task)
{
    const struct scow_task *known = task_find(task->name);
    assert(!known || known == task);
    assert(known || task_count < TASKS_MOST);
    if (!known && task_count < TASKS_MOST)
        tasks[task_count++] = task;
}

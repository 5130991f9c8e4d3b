#include "kernel/tasks/table.h"

#include <assert.h>
#include <string.h>

#include "kernel/command/command.h"
#include "kernel/jacobi/jacobi.h"
#include "kernel/library/library.h"
#include "kernel/mandelbrot/mandelbrot.h"
#include "kernel/matched/matched_filter.h"
#include "kernel/motif/motif.h"
#include "kernel/sleep/sleep.h"

static const struct scow_task *const built_in[] = {
    &matched_filter_task, &command_task, &mandelbrot_task, &motif_task,
    &motif_levels_task,   &library_task, &jacobi_task,     &sleep_task,
};

/* Those, and room for others. */
enum { BUILT_IN = sizeof built_in / sizeof built_in[0], TASKS_MOST = BUILT_IN + TASKS_ADDED_MOST };
static const struct scow_task *tasks[TASKS_MOST];
static size_t task_count;

/* The built-in ones come first. */
static void table_fill(void)
{
    for (; task_count < BUILT_IN; task_count++)
        tasks[task_count] = built_in[task_count];
}

const struct scow_task *const *task_list(size_t *count)
{
    table_fill();
    *count = task_count;
    return tasks;
}

const struct scow_task *task_find(const char *name)
{
    table_fill();
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

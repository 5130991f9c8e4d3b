/* All core tasks that this program knows: those that are built in, and those that were added. */
#ifndef KERNEL_TASKS_TABLE_H
#define KERNEL_TASKS_TABLE_H

#include "kernel/scow.h"

enum { TASKS_ADDED_MOST = 15 };

/* In the order of the table, those that were added last. Borrowed; good until the next one is
 * added. */
const struct scow_task *const *task_list(size_t *count);
/* The one of that name; NULL when there is none. Borrowed. */
const struct scow_task *task_find(const char *name);
/* One more: a plug-in's, or a task of the program's own. Borrowed for good. Nobody else has its
 * name (ask task_find), and at most TASKS_ADDED_MOST are added; adding the same one again does
 * nothing. */
void task_add(const struct scow_task *task);

#endif

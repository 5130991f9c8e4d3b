/*
 * What is missing of a job: ranges of core tasks, ascending, of which more and more is filled.
 */
#ifndef SPMD_MASTER_TASK_GAPS_H
#define SPMD_MASTER_TASK_GAPS_H

#include <stdbool.h>
#include <stddef.h>

#include "planner/model/task_range.h"

struct task_gaps {
    struct task_range *ranges; /* owned */
    int64_t count;
    size_t capacity;
};

/* These are missing, ascending and apart. To be released. False: out of memory. */
bool task_gaps_init(struct task_gaps *gaps, const struct task_range *ranges, int64_t count);
void task_gaps_release(struct task_gaps *gaps);
/* Are all core tasks of that range (there may be none) missing, in one gap? */
bool task_gaps_have(const struct task_gaps *gaps, struct task_range range);
/* They are not any more, which they were in one gap. False: out of memory, nothing changed. */
bool task_gaps_fill(struct task_gaps *gaps, struct task_range range);

#endif

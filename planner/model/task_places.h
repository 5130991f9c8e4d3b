/*
 * Ranges of core tasks as one job of their own: its task number k is the k-th of theirs, in their
 * order.
 */
#ifndef PLANNER_MODEL_TASK_PLACES_H
#define PLANNER_MODEL_TASK_PLACES_H

#include <stdbool.h>

#include "planner/model/task_range.h"

struct task_places {
    const struct task_range *ranges; /* borrowed */
    int64_t count;
    int64_t *before; /* owned; of each range, how many tasks lie before it, and of all */
};

/* To be released; zeroed, it has no range. False: out of memory; release all the same. */
bool task_places_init(struct task_places *places, const struct task_range *ranges, int64_t count);
void task_places_release(struct task_places *places);
/* The number of the range that has that task of the job of its own. */
int64_t task_places_range(const struct task_places *places, int64_t task);
/* Of these tasks of the job of its own, the first ones, as many as lie in one range: where they
 * are. */
struct task_range task_places_piece(const struct task_places *places, struct task_range wanted);

#endif

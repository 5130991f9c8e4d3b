/* Arrays that grow as items are appended. */
#ifndef PLANNER_BASE_ARRAY_H
#define PLANNER_BASE_ARRAY_H

#include <stddef.h>

/* Room for `count` items of `item_size` bytes: `items` (owned by the caller, NULL if *capacity is
 * 0) itself where they fit, or else what it was moved to, *capacity at least doubled. NULL: out of
 * memory, `items` and *capacity unchanged. */
void *array_reserve(void *items, size_t *capacity, size_t count, size_t item_size);
/* Room for one more item after `count` >= 0 items, for arrays that keep no capacity: every item
 * must have been appended after a call of this. Otherwise as array_reserve. */
void *array_extend(void *items, size_t count, size_t item_size);

#endif

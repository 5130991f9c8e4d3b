#include "planner/base/array.h"

#include <stdint.h>
#include <stdlib.h>

void *array_reserve(void *items, size_t *capacity, size_t count, size_t item_size)
{
    enum { LEAST = 16 };
    size_t wanted = *capacity > SIZE_MAX / 2 ? SIZE_MAX : 2 * *capacity;
    if (count <= *capacity)
        return items;
    if (wanted < count)
        wanted = count;
    if (wanted < LEAST)
        wanted = LEAST;
    if (wanted > SIZE_MAX / item_size)
        return NULL;
    void *moved = realloc(items, wanted * item_size);
    if (moved)
        *capacity = wanted;
    return moved;
}

/* The capacity is not stored: it is the power of two from the count upwards. */
void *array_extend(void *items, size_t count, size_t item_size)
{
    if ((count & (count - 1)) != 0)
        return items;
    const size_t wanted = count == 0 ? 1 : 2 * count;
    return wanted > SIZE_MAX / item_size ? NULL : realloc(items, wanted * item_size);
}

#include "planner/model/sample.h"

#include <stdlib.h>

#include "planner/base/array.h"

bool samples_add(struct samples *samples, const struct sample *sample)
{
    struct sample *room =
        array_reserve(samples->items, &samples->capacity, (size_t)samples->count + 1, sizeof *room);
    if (!room)
        return false;
    samples->items = room;
    samples->items[samples->count++] = *sample;
    return true;
}

void samples_release(struct samples *samples)
{
    free(samples->items);
    *samples = (struct samples){0};
}

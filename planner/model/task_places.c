#include "planner/model/task_places.h"

#include <stdlib.h>

bool task_places_init(struct task_places *places, const struct task_range *ranges, int64_t count)
{
    *places = (struct task_places){.ranges = ranges, .count = count};
    places->before = calloc((size_t)count + 1, sizeof *places->before);
    for (int64_t k = 0; places->before && k < count; k++)
        places->before[k + 1] = places->before[k] + ranges[k].count;
    return places->before != NULL;
}

void task_places_release(struct task_places *places)
{
    free(places->before);
    *places = (struct task_places){.count = 0};
}

int64_t task_places_range(const struct task_places *places, int64_t task)
{
    int64_t low = 0, high = places->count - 1;
    while (low < high) {
        const int64_t middle = low + (high - low + 1) / 2;
        if (places->before[middle] <= task)
            low = middle;
        else
            high = middle - 1;
    }
    return low;
}

struct task_range task_places_piece(const struct task_places *places, struct task_range wanted)
{
    const int64_t at = task_places_range(places, wanted.first);
    const int64_t offset = wanted.first - places->before[at];
    const int64_t there = places->ranges[at].count - offset;
    return (struct task_range){places->ranges[at].first + offset,
                               there < wanted.count ? there : wanted.count};
}

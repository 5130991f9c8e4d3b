#include "spmd/master/pending.h"

#include <stdlib.h>

#include "planner/base/array.h"

bool pending_add(struct pending *pending, const struct pending_report *report)
{
    struct pending_report *items =
        array_reserve(pending->items, &pending->capacity, pending->count + 1, sizeof *items);
    if (!items)
        return false;
    pending->items = items;
    pending->items[pending->count++] = *report;
    return true;
}

static struct pending_report item_take(struct pending *pending, size_t at)
{
    const struct pending_report taken = pending->items[at];
    pending->items[at] = pending->items[--pending->count];
    return taken;
}

bool pending_take(struct pending *pending, double now_s, struct pending_report *report)
{
    size_t first = 0;
    for (size_t k = 1; k < pending->count; k++)
        if (pending->items[k].there_s < pending->items[first].there_s)
            first = k;
    if (pending->count == 0 || pending->items[first].there_s > now_s)
        return false;
    *report = item_take(pending, first);
    return true;
}

bool pending_take_of(struct pending *pending, const struct package *package,
                     struct pending_report *report)
{
    for (size_t k = 0; k < pending->count; k++)
        if (pending->items[k].package.index == package->index) {
            *report = item_take(pending, k);
            return true;
        }
    return false;
}

void pending_release(struct pending *pending)
{
    free(pending->items);
    *pending = (struct pending){NULL, 0, 0};
}

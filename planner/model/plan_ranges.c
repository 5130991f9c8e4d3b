#include "planner/model/plan_ranges.h"

#include <stdlib.h>

#include "planner/base/array.h"
#include "planner/model/plan_cursor.h"
#include "planner/model/task_places.h"

static bool range_add(struct plan_ranges *ranges, struct task_range range)
{
    struct task_range *last = ranges->count > 0 ? &ranges->items[ranges->count - 1] : NULL;
    if (last && last->first + last->count == range.first) {
        last->count += range.count;
        return true;
    }
    struct task_range *items =
        array_reserve(ranges->items, &ranges->capacity, ranges->count + 1, sizeof *items);
    if (!items)
        return false;
    ranges->items = items;
    items[ranges->count++] = range;
    return true;
}

/* Adds the core tasks of a package, whose places are counted from the first of all ranges. */
static bool package_add(const struct task_places *places, struct task_range wanted,
                        struct plan_ranges *ranges)
{
    bool good = true;
    while (good && wanted.count > 0) {
        const struct task_range piece = task_places_piece(places, wanted);
        good = range_add(ranges, piece);
        wanted.first += piece.count;
        wanted.count -= piece.count;
    }
    return good;
}

struct plan_ranges *plan_ranges_of(const struct plan *plan, const struct plan_ranges *ranges)
{
    struct task_places places;
    struct plan_cursor cursor = PLAN_CURSOR(plan);
    struct plan_ranges *made = calloc((size_t)plan->worker_count, sizeof *made);
    bool good = task_places_init(&places, ranges->items, (int64_t)ranges->count) && made;
    while (good && plan_cursor_next(&cursor))
        good =
            package_add(&places, (struct task_range){(int64_t)cursor.first, (int64_t)cursor.load},
                        &made[cursor.slot]);
    task_places_release(&places);
    if (good)
        return made;
    plan_ranges_free(made, plan->worker_count);
    return NULL;
}

void plan_ranges_free(struct plan_ranges *ranges, int64_t count)
{
    for (int64_t k = 0; ranges && k < count; k++)
        free(ranges[k].items);
    free(ranges);
}

/* ---- groups -------------------------------------------------------------------------------- */

/* The slot whose group has that master, or contains a group that has it; -1: there is none. */
static int64_t place_of(const struct plan *plan, int64_t master)
{
    for (size_t k = 0; k < plan->child_count; k++)
        if (plan->children[k].master == master || plan_has_master(&plan->children[k], master))
            return (int64_t)k;
    return -1;
}

/* *ranges are those of `plan`; they become those of the group. */
static bool group_descend(const struct plan *plan, int64_t master, struct plan_ranges *ranges)
{
    const int64_t place = place_of(plan, master);
    if (place < 0)
        return true;
    struct plan_ranges *places = plan_ranges_of(plan, ranges);
    if (!places)
        return false;
    free(ranges->items);
    *ranges = places[place];
    places[place] = (struct plan_ranges){.items = NULL};
    plan_ranges_free(places, plan->worker_count);
    return group_descend(&plan->children[place], master, ranges);
}

bool plan_ranges_group(const struct plan *whole, int64_t master, struct plan_ranges *ranges)
{
    *ranges = (struct plan_ranges){.items = NULL};
    return range_add(ranges, (struct task_range){(int64_t)whole->first, (int64_t)whole->tasks}) &&
           group_descend(whole, master, ranges);
}

#include "planner/schedulers/search/pieces.h"

#include <stdlib.h>
#include <string.h>

#include "planner/base/array.h"
#include "planner/model/plan_cursor.h"

bool pieces_add(struct pieces *pieces, int64_t slot, int64_t count)
{
    const struct piece *last = pieces->count > 0 ? &pieces->items[pieces->count - 1] : NULL;
    const int64_t first = last ? last->first + last->count : 0;
    if (count == 0)
        return true;
    struct piece *items =
        array_reserve(pieces->items, &pieces->capacity, pieces->count + 1, sizeof *items);
    if (!items)
        return false;
    pieces->items = items;
    items[pieces->count++] = (struct piece){.slot = slot, .first = first, .count = count};
    return true;
}

bool pieces_of_plan(struct pieces *pieces, const struct plan *plan)
{
    struct plan_cursor cursor = PLAN_CURSOR(plan);
    *pieces = (struct pieces){.items = NULL};
    while (plan_cursor_next(&cursor))
        if (!pieces_add(pieces, cursor.slot, (int64_t)cursor.load))
            return false;
    return true;
}

void pieces_release(struct pieces *pieces)
{
    free(pieces->items);
    *pieces = (struct pieces){.items = NULL};
}

/* How many pieces from `at` on have ascending slots, and so make one round. */
static size_t round_length(const struct pieces *pieces, size_t at)
{
    size_t end = at + 1;
    while (end < pieces->count && pieces->items[end].slot > pieces->items[end - 1].slot)
        end++;
    return end - at;
}

/* Takes ownership of the loads. */
static void round_put(struct plan *plan, double *loads)
{
    const size_t bytes = (size_t)plan->worker_count * sizeof *loads;
    struct plan_round *last = plan->round_count > 0 ? &plan->rounds[plan->round_count - 1] : NULL;
    if (last && last->loads && memcmp(last->loads, loads, bytes) == 0) {
        last->repeat++;
        free(loads);
        return;
    }
    plan->rounds[plan->round_count++] = (struct plan_round){1, loads};
}

bool pieces_to_rounds(const struct pieces *pieces, struct plan *plan)
{
    size_t rounds = 0;
    for (size_t at = 0; at < pieces->count; at += round_length(pieces, at))
        rounds++;
    plan->rounds = calloc(rounds + 1, sizeof *plan->rounds);
    for (size_t at = 0, length; plan->rounds && at < pieces->count; at += length) {
        double *loads = calloc((size_t)plan->worker_count, sizeof *loads);
        if (!loads)
            return false;
        length = round_length(pieces, at);
        for (size_t k = at; k < at + length; k++)
            loads[pieces->items[k].slot] = (double)pieces->items[k].count;
        round_put(plan, loads);
    }
    return plan->rounds != NULL;
}

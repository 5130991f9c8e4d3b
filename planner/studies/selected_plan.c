#include "planner/studies/selected_plan.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "planner/model/selection.h"

static int64_t least(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static int64_t measured_sum(const struct kinds *kinds, const int64_t *counts, size_t end)
{
    int64_t sum = 0;
    for (size_t k = 0; k < end; k++)
        sum += least(counts[k], kinds->items[k].count);
    return sum;
}

/* The number of worker `place` of a kind, where `counts` of each kind are used: measured workers of
 * all kinds first, then those beyond the measured ones. */
static int64_t number_of(const struct kinds *kinds, const int64_t *counts, size_t kind,
                         int64_t place)
{
    const int64_t measured = least(counts[kind], kinds->items[kind].count);
    return place < measured ? measured_sum(kinds, counts, kind) + place
                            : measured_sum(kinds, counts, kinds->count) + place - measured;
}

/* numbers[w]: 1 where worker w has a package, 0 where it has none. */
static void loaded_mark(const struct plan *plan, int64_t *numbers)
{
    for (int64_t slot = 0; slot < plan->worker_count; slot++)
        if (plan_slot_loaded(plan, slot))
            numbers[plan->workers[slot]] = 1;
}

/* Removes the slots whose workers have number -1, and gives the others their numbers. */
static void slots_keep(struct plan *plan, const int64_t *numbers)
{
    int64_t kept = 0;
    for (int64_t slot = 0; slot < plan->worker_count; slot++) {
        const int64_t number = numbers[plan->workers[slot]];
        if (number < 0)
            continue;
        for (size_t r = 0; r < plan->round_count; r++)
            plan->rounds[r].loads[kept] = plan->rounds[r].loads[slot];
        plan->workers[kept++] = number;
    }
    plan->worker_count = kept;
}

bool selected_plan_settle(struct plan *plan, const struct kinds *kinds, const int64_t *counts,
                          int64_t *used)
{
    int64_t all = 0;
    for (size_t k = 0; k < kinds->count; k++)
        all += counts[k];
    assert(all > 0); /* every plan has workers */
    int64_t *numbers = calloc((size_t)all, sizeof *numbers);
    int64_t *place = calloc(kinds->count, sizeof *place);
    if (!numbers || !place) {
        free(numbers);
        free(place);
        return false;
    }
    loaded_mark(plan, numbers);
    memset(used, 0, kinds->count * sizeof *used);
    for (int64_t worker = 0; worker < all; worker++)
        used[kinds_of(kinds, counts, worker)] += numbers[worker];
    for (int64_t worker = 0; worker < all; worker++) {
        const size_t kind = kinds_of(kinds, counts, worker);
        numbers[worker] = numbers[worker] ? number_of(kinds, used, kind, place[kind]++) : -1;
    }
    slots_keep(plan, numbers);
    free(numbers);
    free(place);
    return true;
}

/* The rank, among the selected workers, of the one that those beyond the measured ones are like. */
static int64_t like_rank(const struct kinds *kinds, const int64_t *used, size_t kind)
{
    return measured_sum(kinds, used, kind) + kinds->like - kinds->items[kind].first;
}

static bool beyond_note(struct plan *plan, const struct kinds *kinds, const int64_t *used)
{
    free(plan->beyond.name);
    plan->beyond = (struct plan_beyond){.workers = 0};
    for (size_t k = 0; k < kinds->count; k++) {
        const struct kind *kind = &kinds->items[k];
        if (used[k] <= kind->count)
            continue;
        plan->beyond = (struct plan_beyond){.measured = measured_sum(kinds, used, kinds->count),
                                            .workers = used[k] - kind->count,
                                            .rank = like_rank(kinds, used, k),
                                            .name = kind->name ? strdup(kind->name) : NULL};
        return plan->beyond.name || !kind->name;
    }
    return true;
}

/* Notes which measured workers the plan uses. Nothing is noted where they are the first ones of the
 * profile, with no unmeasured workers behind them that could be taken for other measured ones. */
static bool selection_note(struct plan *plan, const struct kinds *kinds, const int64_t *used,
                           int64_t all)
{
    struct plan_selection selection = {.runs = NULL};
    for (size_t k = 0; k < kinds->count; k++) {
        const struct kind *kind = &kinds->items[k];
        const int64_t measured = least(used[k], kind->count);
        if (measured > 0 && !selection_add(&selection, kind->first, kind->first + measured - 1)) {
            selection_release(&selection);
            return false;
        }
    }
    const bool first = selection.count == 1 && selection.runs[0].first == 0;
    if (first && (plan->beyond.workers == 0 || selection.runs[0].last == all - 1))
        selection_release(&selection);
    plan->selected = selection;
    return true;
}

bool selected_plan_note(struct plan *plan, const struct kinds *kinds, const int64_t *used)
{
    return beyond_note(plan, kinds, used) && selection_note(plan, kinds, used, kinds->measured);
}

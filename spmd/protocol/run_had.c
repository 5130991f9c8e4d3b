#include "spmd/protocol/run_had.h"

#include <math.h>
#include <stdlib.h>

#include "planner/base/json_text.h"
#include "planner/base/text.h"

/* Relative to the time of computing: a rank that was ready for less of it had its work done by
 * others, or slept. */
static const double ready_least = 0.1;
/* Linux counts no more exactly. */
static const double share_steps = 1e4;

bool run_had_add(struct run_had_list *list, int64_t workers, int64_t worker, struct run_had had)
{
    if (!(had.worked_s > 0) || had.queued_s < 0)
        return true;
    if (!list->items)
        list->items = calloc((size_t)workers, sizeof *list->items);
    if (!list->items)
        return false;
    list->count = workers;
    list->items[worker].worked_s += had.worked_s;
    list->items[worker].queued_s += had.queued_s;
    list->items[worker].computed_s += fmax(0, had.computed_s);
    return true;
}

bool run_had_merge(struct run_had_list *list, const struct run_had_list *other)
{
    for (int64_t k = 0; k < other->count; k++)
        if (!run_had_add(list, other->count, k, other->items[k]))
            return false;
    return true;
}

double run_had_share_of(struct run_had had)
{
    const double ready_s = had.worked_s + had.queued_s;
    return had.worked_s > 0 && had.queued_s >= 0 && ready_s >= ready_least * had.computed_s
               ? fmax(1, nearbyint(had.worked_s / ready_s * share_steps)) / share_steps
               : 0;
}

double run_had_share(const struct run_had_list *list, int64_t worker)
{
    return worker < list->count ? run_had_share_of(list->items[worker]) : 0;
}

char *run_had_json(const struct run_had_list *list)
{
    struct text text = TEXT_INIT;
    if (list->count == 0)
        return NULL;
    struct json_text json = json_open(&text, "[", ", ");
    for (int64_t k = 0; k < list->count; k++) {
        const double share = run_had_share(list, k);
        json_number(&json, NULL, share > 0 ? share : (double)NAN);
    }
    json_close(&json, "]");
    return text_take(&text);
}

void run_had_release(struct run_had_list *list)
{
    free(list->items);
    *list = (struct run_had_list){.items = NULL};
}

#include "planner/report/resumed.h"

#include <stdlib.h>
#include <string.h>

#include "planner/base/array.h"
#include "planner/model/beyond.h"

struct sent {
    int64_t package, worker, tasks;
};

static int sent_compare(const void *a, const void *b)
{
    const struct sent *first = a, *second = b;
    return (first->package > second->package) - (first->package < second->package);
}

struct sent_list {
    struct sent *items; /* owned */
    size_t count, capacity;
};

static bool sent_take(void *self, const struct trace *block)
{
    struct sent_list *list = self;
    struct sent *items =
        array_reserve(list->items, &list->capacity, list->count + block->count, sizeof *items);
    if (!items)
        return false;
    list->items = items;
    for (size_t k = 0; k < block->count; k++) {
        const struct trace_event *event = &block->events[k];
        if (event->operation == OPERATION_COMPUTE && event->rank > 0)
            items[list->count++] = (struct sent){event->package, event->rank - 1, event->tasks};
    }
    return true;
}

/* Packages in the order of sending; owned. NULL: there are none, or out of memory. */
static struct sent *packages_find(const struct run_record *record, size_t *count)
{
    struct failure none = FAILURE_INIT;
    struct sent_list list = {.items = calloc(1, sizeof *list.items), .capacity = 1};
    const struct trace_taker taker = {sent_take, &list};
    if (!list.items || !run_record_play(record, &taker, &none)) {
        free(list.items);
        return NULL;
    }
    *count = list.count;
    qsort(list.items, list.count, sizeof *list.items, sent_compare);
    return list.items;
}

static void rounds_drop(struct plan *plan)
{
    for (size_t k = 0; k < plan->round_count; k++)
        free(plan->rounds[k].loads);
    free(plan->rounds);
    free(plan->workers);
    plan->rounds = NULL;
    plan->workers = NULL;
    plan->round_count = 0;
    plan->worker_count = 0;
    plan->tasks = 0;
    plan->predicted = (struct plan_prediction){.known = false};
}

static bool workers_make(struct plan *plan, const struct sent *packages, size_t count)
{
    for (size_t k = 0; k < count; k++)
        if (packages[k].worker >= plan->worker_count)
            plan->worker_count = packages[k].worker + 1;
    plan->workers = calloc((size_t)plan->worker_count + 1, sizeof *plan->workers);
    for (int64_t w = 0; plan->workers && w < plan->worker_count; w++)
        plan->workers[w] = w;
    return plan->workers != NULL;
}

static bool round_add(struct plan *plan, size_t *capacity)
{
    struct plan_round *rounds =
        array_reserve(plan->rounds, capacity, plan->round_count + 1, sizeof *rounds);
    if (!rounds)
        return false;
    plan->rounds = rounds;
    struct plan_round *round = &rounds[plan->round_count];
    *round = (struct plan_round){1, calloc((size_t)plan->worker_count + 1, sizeof(double))};
    plan->round_count += round->loads != NULL;
    return round->loads != NULL;
}

/* Ranks that the profile does not have may have worked, too. */
static bool beyond_note(struct run_record *record)
{
    struct failure none = FAILURE_INIT;
    struct plan *plan = &record->plan;
    const int64_t workers = plan_workers_needed(plan);
    if (!record->has_profile)
        return true;
    if (!beyond_extend(&record->profile, workers, plan->beyond.rank, &none))
        return false;
    const struct plan_beyond beyond = beyond_of(&record->profile, workers);
    free(plan->beyond.name);
    plan->beyond = beyond;
    plan->beyond.name = beyond.name ? strdup(beyond.name) : NULL;
    return plan->beyond.name || !beyond.name;
}

bool run_record_last_part(struct run_record *record)
{
    struct plan *plan = &record->plan;
    size_t count = 0, capacity = 0;
    struct sent *packages = packages_find(record, &count);
    rounds_drop(plan);
    bool good = packages && workers_make(plan, packages, count);
    int64_t last = 0;
    for (size_t k = 0; good && k < count; k++) {
        if (k == 0 || packages[k].worker <= last)
            good = round_add(plan, &capacity);
        last = packages[k].worker;
        if (good)
            plan->rounds[plan->round_count - 1].loads[last] = (double)packages[k].tasks;
        plan->tasks += (double)packages[k].tasks;
    }
    good = good && beyond_note(record);
    free(packages);
    free(record->rule);
    record->rule = NULL;
    record->sent = true;
    return good;
}

bool run_record_sent(struct run_record *record)
{
    const struct plan_prediction predicted = record->plan.predicted;
    const bool good = run_record_last_part(record);
    record->plan.predicted = predicted;
    return good;
}

bool run_record_cut_short(struct run_record *record)
{
    struct trace *trace = &record->trace;
    size_t count = 0, kept = 0;
    struct sent *packages = packages_find(record, &count);
    if (!packages)
        return false;
    for (size_t k = 0; k < trace->count; k++) {
        const struct sent wanted = {.package = trace->events[k].package};
        const struct sent *found = bsearch(&wanted, packages, count, sizeof wanted, sent_compare);
        if (!found)
            continue;
        trace->events[kept] = trace->events[k];
        trace->events[kept++].package = found - packages;
    }
    trace->count = kept;
    free(packages);
    return true;
}

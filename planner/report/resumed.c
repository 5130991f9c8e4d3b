#include "planner/report/resumed.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "planner/base/array.h"
#include "planner/base/limits.h"
#include "planner/model/beyond.h"

struct sent {
    int64_t package, worker, tasks;
};

static int sent_compare(const void *a, const void *b)
{
    const struct sent *first = a, *second = b;
    return (first->package > second->package) - (first->package < second->package);
}

/* What a worker was sent. */
struct share {
    double tasks, largest; /* core tasks: in all, and in its largest package */
};

/* Packages in the order of sending, as long as there are not too many to be listed. */
struct sent_list {
    struct sent *items; /* owned; NULL: they are too many */
    size_t count, capacity;
    struct share *shares; /* owned; by worker */
    size_t share_capacity;
    int64_t workers, packages;
};

/* How many packages are listed, and how many loads their rounds may have: some tens of
 * megabytes. */
enum { LISTED_MOST = 1 << 18, LOADS_MOST = 1 << 22 };

static void sent_list_release(struct sent_list *list)
{
    free(list->items);
    free(list->shares);
}

static bool share_add(struct sent_list *list, const struct sent *sent)
{
    struct share *shares = array_reserve(list->shares, &list->share_capacity,
                                         (size_t)sent->worker + 1, sizeof *shares);
    if (!shares)
        return false;
    list->shares = shares;
    for (; list->workers <= sent->worker; list->workers++)
        shares[list->workers] = (struct share){0, 0};
    shares[sent->worker].tasks += (double)sent->tasks;
    shares[sent->worker].largest = fmax(shares[sent->worker].largest, (double)sent->tasks);
    list->packages++;
    return true;
}

static bool sent_add(struct sent_list *list, const struct sent *sent)
{
    if (!list->items)
        return true;
    if (list->count == LISTED_MOST) {
        free(list->items);
        list->items = NULL;
        return true;
    }
    struct sent *items =
        array_reserve(list->items, &list->capacity, list->count + 1, sizeof *items);
    if (!items)
        return false;
    list->items = items;
    items[list->count++] = *sent;
    return true;
}

static bool sent_take(void *self, const struct trace *block)
{
    struct sent_list *list = self;
    for (size_t k = 0; k < block->count; k++) {
        const struct trace_event *event = &block->events[k];
        const struct sent sent = {event->package, (int64_t)event->rank - 1, event->tasks};
        if (event->operation == OPERATION_COMPUTE && event->rank > 0 &&
            event->rank <= LIMIT_WORKERS && !(share_add(list, &sent) && sent_add(list, &sent)))
            return false;
    }
    return true;
}

/* To be released in any case. False: out of memory. */
static bool packages_find(const struct run_record *record, struct sent_list *list)
{
    struct failure none = FAILURE_INIT;
    const struct trace_taker taker = {sent_take, list};
    *list = (struct sent_list){.items = calloc(1, sizeof *list->items), .capacity = 1};
    if (!list->items || !run_trace_read(record, &taker, &none))
        return false;
    if (list->items)
        qsort(list->items, list->count, sizeof *list->items, sent_compare);
    return true;
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

static bool workers_make(struct plan *plan, int64_t count)
{
    plan->worker_count = count;
    plan->workers = calloc((size_t)count + 1, sizeof *plan->workers);
    for (int64_t w = 0; plan->workers && w < count; w++)
        plan->workers[w] = w;
    return plan->workers != NULL;
}

static bool round_add(struct plan *plan, int64_t repeat, size_t *capacity)
{
    struct plan_round *rounds =
        array_reserve(plan->rounds, capacity, plan->round_count + 1, sizeof *rounds);
    if (!rounds)
        return false;
    plan->rounds = rounds;
    struct plan_round *round = &rounds[plan->round_count];
    *round = (struct plan_round){repeat, calloc((size_t)plan->worker_count + 1, sizeof(double))};
    plan->round_count += round->loads != NULL;
    return round->loads != NULL;
}

/* Notes ranks that worked although the profile does not have them. */
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

/* A round ends where a worker gets a second package, or one that comes before it in the order. */
static bool rounds_list(struct plan *plan, const struct sent_list *list)
{
    size_t capacity = 0;
    int64_t last = 0;
    for (size_t k = 0; k < list->count; k++) {
        const struct sent *sent = &list->items[k];
        if ((k == 0 || sent->worker <= last) && !round_add(plan, 1, &capacity))
            return false;
        last = sent->worker;
        plan->rounds[plan->round_count - 1].loads[last] = (double)sent->tasks;
    }
    return true;
}

static int64_t rounds_needed(const struct sent_list *list)
{
    int64_t rounds = 0, last = 0;
    for (size_t k = 0; k < list->count; k++) {
        rounds += k == 0 || list->items[k].worker <= last;
        last = list->items[k].worker;
    }
    return rounds;
}

static bool is_listed(const struct sent_list *list)
{
    return list->items && rounds_needed(list) <= LOADS_MOST / (list->workers + 1);
}

static int64_t workers_used(const struct sent_list *list)
{
    int64_t used = 0;
    for (int64_t k = 0; k < list->workers; k++)
        used += list->shares[k].tasks > 0;
    return used;
}

/* Each worker has its largest package in the first round, and equal ones in the others. */
static bool rounds_spread(struct plan *plan, const struct sent_list *list)
{
    size_t capacity = 0;
    const int64_t used = workers_used(list);
    const int64_t others = used > 0 ? (list->packages - 1) / used : 0;
    if (!round_add(plan, 1, &capacity) || (others > 0 && !round_add(plan, others, &capacity)))
        return false;
    for (int64_t k = 0; k < list->workers; k++) {
        const struct share *share = &list->shares[k];
        plan->rounds[0].loads[k] = others > 0 ? share->largest : share->tasks;
        if (others > 0)
            plan->rounds[1].loads[k] = (share->tasks - share->largest) / (double)others;
    }
    plan->real_valued = true;
    return true;
}

bool run_record_last_part(struct run_record *record)
{
    struct plan *plan = &record->plan;
    struct sent_list list;
    rounds_drop(plan);
    bool good = packages_find(record, &list) && workers_make(plan, list.workers);
    for (int64_t k = 0; good && k < list.workers; k++)
        plan->tasks += list.shares[k].tasks;
    record->spread = good && !is_listed(&list);
    good = good && (record->spread ? rounds_spread(plan, &list) : rounds_list(plan, &list)) &&
           beyond_note(record);
    sent_list_release(&list);
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
    struct sent_list list;
    size_t kept = 0;
    const bool good = packages_find(record, &list) && list.items;
    for (size_t k = 0; good && k < trace->count; k++) {
        const struct sent wanted = {.package = trace->events[k].package};
        const struct sent *found =
            bsearch(&wanted, list.items, list.count, sizeof wanted, sent_compare);
        if (!found)
            continue;
        trace->events[kept] = trace->events[k];
        trace->events[kept++].package = found - list.items;
    }
    trace->count = good ? kept : trace->count;
    sent_list_release(&list);
    return good;
}

void run_record_spread_tell(const struct run_record *record, struct text *text)
{
    if (record->spread)
        text_add(text,
                 "\nThe packages were too many to be listed: above, each worker has its largest "
                 "one, and its other core tasks in equal ones.\n");
}

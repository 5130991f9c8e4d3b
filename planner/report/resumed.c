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

/* Packages in the order of sending; owned. NULL: there are none, or out of memory. */
static struct sent *packages_find(const struct trace *trace, size_t *count)
{
    struct sent *packages = calloc(trace->count + 1, sizeof *packages);
    *count = 0;
    for (size_t k = 0; packages && k < trace->count; k++) {
        const struct trace_event *event = &trace->events[k];
        if (event->operation == OPERATION_COMPUTE && event->rank > 0)
            packages[(*count)++] = (struct sent){event->package, event->rank - 1, event->tasks};
    }
    if (packages)
        qsort(packages, *count, sizeof *packages, sent_compare);
    return packages;
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
    struct sent *packages = packages_find(&record->trace, &count);
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
    struct sent *packages = packages_find(trace, &count);
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

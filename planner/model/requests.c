#include "planner/model/requests.h"

#include <math.h>
#include <stdlib.h>

#include "planner/base/array.h"

/* The events of one package in a trace; worker -1: there are none. */
struct request_package {
    int64_t worker, first, tasks;
    double begun_s, sent_s,
        end_s; /* when the master begins it and has sent it; when the worker has done it */
};

/* The number of packages in the block; numbers continue those of earlier blocks. */
static size_t packages_of(const struct request_finding *finding, const struct trace *block)
{
    int64_t most = -1;
    for (size_t k = 0; k < block->count; k++) {
        const int64_t at = block->events[k].package - finding->packages;
        if (at > most && at < (int64_t)block->count)
            most = at;
    }
    return (size_t)(most + 1);
}

static void event_take(struct request_package *package, const struct trace_event *event)
{
    if (event->operation == OPERATION_RESULT || event->operation == OPERATION_COLLECT)
        return;
    if (event->rank == 0) {
        package->begun_s = fmin(package->begun_s, event->start_s);
        package->sent_s = fmax(package->sent_s, event->end_s);
    } else if (event->operation != OPERATION_LINK && event->operation != OPERATION_IDLE &&
               event->operation != OPERATION_START) {
        package->worker = event->rank - 1;
        package->first = event->first;
        package->tasks = event->tasks;
        package->end_s = fmax(package->end_s, event->end_s);
    }
}

/* Owned; NULL: out of memory. */
static struct request_package *package_list(const struct request_finding *finding,
                                            const struct trace *block, size_t count)
{
    struct request_package *list = calloc(count + 1, sizeof *list);
    for (size_t k = 0; list && k < count; k++)
        list[k] = (struct request_package){-1, 0, 0, HUGE_VAL, -HUGE_VAL, -HUGE_VAL};
    for (size_t k = 0; list && k < block->count; k++) {
        const int64_t at = block->events[k].package - finding->packages;
        if (at >= 0 && at < (int64_t)count)
            event_take(&list[at], &block->events[k]);
    }
    return list;
}

static bool workers_reserve(struct request_finding *finding, const struct trace *block)
{
    const size_t ahead = (size_t)finding->ahead;
    int64_t count = finding->workers;
    for (size_t k = 0; k < block->count; k++)
        count = block->events[k].rank > count ? block->events[k].rank : count;
    struct request_package *latest =
        realloc(finding->latest, ((size_t)count * ahead + 1) * sizeof *latest);
    finding->latest = latest ? latest : finding->latest;
    int64_t *had = realloc(finding->had, ((size_t)count + 1) * sizeof *had);
    finding->had = had ? had : finding->had;
    if (!latest || !had)
        return false;
    for (; finding->workers < count; finding->workers++)
        had[finding->workers] = 0;
    return true;
}

static bool request_add(struct requests *requests, const struct request_package *asked,
                        const struct request_package *answer, double busy_s)
{
    const struct request request = {asked->worker, asked->first, asked->tasks,
                                    fmax(answer->begun_s - fmax(busy_s, asked->end_s), 0),
                                    busy_s - asked->end_s};
    struct request *items =
        array_reserve(requests->items, &requests->capacity, requests->count + 1, sizeof *items);
    if (!items)
        return false;
    requests->items = items;
    requests->items[requests->count++] = request;
    return true;
}

static bool requests_pair(struct request_finding *finding, const struct request_package *list,
                          size_t count, struct requests *requests)
{
    const int ahead = finding->ahead;
    for (size_t k = 0; k < count; k++) {
        const struct request_package *package = &list[k];
        const double before_s = k > 0 ? list[k - 1].sent_s : finding->sent_s;
        if (package->worker < 0)
            continue;
        int64_t *had = &finding->had[package->worker];
        struct request_package *slot = &finding->latest[package->worker * ahead + *had % ahead];
        const bool asked = (*had)++ >= ahead && isfinite(package->begun_s) && isfinite(before_s);
        if (asked && !request_add(requests, slot, package, before_s))
            return false;
        *slot = *package;
    }
    return true;
}

void request_finding_init(struct request_finding *finding, int ahead)
{
    *finding = (struct request_finding){.ahead = ahead, .sent_s = -HUGE_VAL};
}

bool request_finding_take(struct request_finding *finding, const struct trace *block,
                          struct requests *requests)
{
    const size_t count = packages_of(finding, block);
    struct request_package *list = package_list(finding, block, count);
    const bool good =
        list && workers_reserve(finding, block) && requests_pair(finding, list, count, requests);
    if (good && count > 0) {
        finding->sent_s = list[count - 1].sent_s;
        finding->packages += (int64_t)count;
    }
    free(list);
    return good;
}

void request_finding_release(struct request_finding *finding)
{
    free(finding->latest);
    free(finding->had);
    *finding = (struct request_finding){.ahead = 0};
}

bool requests_find(const struct trace *trace, int ahead, struct requests *requests)
{
    struct request_finding finding;
    struct requests made = {NULL, 0, 0};
    request_finding_init(&finding, ahead);
    const bool good = request_finding_take(&finding, trace, &made);
    request_finding_release(&finding);
    if (!good)
        requests_release(&made);
    *requests = made;
    return good;
}

void requests_release(struct requests *requests)
{
    free(requests->items);
    *requests = (struct requests){NULL, 0, 0};
}

double requests_sum(const struct requests *requests)
{
    double sum = 0;
    for (size_t k = 0; k < requests->count; k++)
        sum += requests->items[k].seconds;
    return sum;
}

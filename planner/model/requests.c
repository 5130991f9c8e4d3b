#include "planner/model/requests.h"

#include <math.h>
#include <stdlib.h>

#include "planner/base/array.h"

/* Events of one package in a trace; worker -1: none. */
struct dealt {
    int64_t worker, first, tasks;
    double begun_s, sent_s, end_s; /* the master begins and has sent it; the worker is done */
};

static size_t packages_of(const struct trace *trace)
{
    int64_t most = -1;
    for (size_t k = 0; k < trace->count; k++)
        if (trace->events[k].package > most && trace->events[k].package < (int64_t)trace->count)
            most = trace->events[k].package;
    return (size_t)(most + 1);
}

static void event_take(struct dealt *dealt, const struct trace_event *event)
{
    if (event->rank == 0) {
        dealt->begun_s = fmin(dealt->begun_s, event->start_s);
        dealt->sent_s = fmax(dealt->sent_s, event->end_s);
    } else if (event->operation != OPERATION_LINK && event->operation != OPERATION_IDLE &&
               event->operation != OPERATION_START) {
        dealt->worker = event->rank - 1;
        dealt->first = event->first;
        dealt->tasks = event->tasks;
        dealt->end_s = fmax(dealt->end_s, event->end_s);
    }
}

/* Owned; NULL: out of memory. */
static struct dealt *dealt_list(const struct trace *trace, size_t count, int64_t *workers)
{
    struct dealt *list = calloc(count + 1, sizeof *list);
    *workers = 0;
    for (size_t k = 0; list && k < count; k++)
        list[k] = (struct dealt){-1, 0, 0, HUGE_VAL, -HUGE_VAL, -HUGE_VAL};
    for (size_t k = 0; list && k < trace->count; k++) {
        const struct trace_event *event = &trace->events[k];
        if (event->package < 0 || (size_t)event->package >= count)
            continue;
        event_take(&list[event->package], event);
        *workers = event->rank > *workers ? event->rank : *workers;
    }
    return list;
}

static bool request_add(struct requests *requests, const struct dealt *asked,
                        const struct dealt *answer, double busy_s)
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

/* `lines`: per worker a ring of its latest packages, `had` how many there were. */
static bool requests_pair(const struct dealt *list, size_t count, int ahead, size_t *lines,
                          int64_t *had, struct requests *requests)
{
    for (size_t k = 0; k < count; k++) {
        const struct dealt *dealt = &list[k];
        if (dealt->worker < 0)
            continue;
        size_t *slot = &lines[dealt->worker * ahead + had[dealt->worker] % ahead];
        const bool asked = had[dealt->worker]++ >= ahead && isfinite(dealt->begun_s) &&
                           isfinite(list[k - 1].sent_s);
        if (asked && !request_add(requests, &list[*slot], dealt, list[k - 1].sent_s))
            return false;
        *slot = k;
    }
    return true;
}

bool requests_find(const struct trace *trace, int ahead, struct requests *requests)
{
    const size_t count = packages_of(trace);
    int64_t workers;
    struct dealt *list = dealt_list(trace, count, &workers);
    size_t *lines = calloc((size_t)workers * (size_t)ahead + 1, sizeof *lines);
    int64_t *had = calloc((size_t)workers + 1, sizeof *had);
    struct requests made = {NULL, 0, 0};
    const bool good = list && lines && had && requests_pair(list, count, ahead, lines, had, &made);
    free(list);
    free(lines);
    free(had);
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

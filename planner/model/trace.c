#include "planner/model/trace.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "planner/base/array.h"

const char *operation_name(enum operation operation)
{
    static const char *const names[] = {"envelope", "send", "link",  "receive", "compute",
                                        "output",   "idle", "start", "request", "answer"};
    assert(operation <= OPERATION_ANSWER);
    return names[operation];
}

bool operation_find(const char *name, enum operation *operation)
{
    for (int k = 0; k <= OPERATION_ANSWER; k++) {
        if (strcmp(name, operation_name((enum operation)k)) == 0) {
            *operation = (enum operation)k;
            return true;
        }
    }
    return false;
}

bool trace_add(struct trace *trace, const struct trace_event *event)
{
    struct trace_event *events =
        array_reserve(trace->events, &trace->capacity, trace->count + 1, sizeof *events);
    if (!events)
        return false;
    trace->events = events;
    trace->events[trace->count++] = *event;
    return true;
}

int64_t trace_packages(const struct trace *trace)
{
    int64_t packages = 0;
    for (size_t k = 0; k < trace->count; k++)
        packages += trace->events[k].operation == OPERATION_COMPUTE && trace->events[k].rank > 0;
    return packages;
}

/* Sort by start; an output comes before other events of the same start. */
static int by_worker_and_start(const void *a, const void *b)
{
    const struct trace_event *x = *(const struct trace_event *const *)a;
    const struct trace_event *y = *(const struct trace_event *const *)b;
    const bool x_writes = x->operation == OPERATION_OUTPUT;
    const bool y_writes = y->operation == OPERATION_OUTPUT;
    if (x->rank != y->rank)
        return x->rank < y->rank ? -1 : 1;
    if (x->start_s != y->start_s)
        return x->start_s < y->start_s ? -1 : 1;
    return (y_writes > x_writes) - (y_writes < x_writes);
}

/* The worker's receiving, computing and writing by worker and time; owned. */
static const struct trace_event **work_sorted(const struct trace *trace, size_t *count)
{
    const struct trace_event **work = calloc(trace->count + 1, sizeof(void *));
    *count = 0;
    for (size_t k = 0; work && k < trace->count; k++) {
        const struct trace_event *event = &trace->events[k];
        if (event->rank > 0 && event->end_s > event->start_s &&
            (event->operation == OPERATION_RECEIVE || event->operation == OPERATION_COMPUTE ||
             event->operation == OPERATION_OUTPUT))
            work[(*count)++] = event;
    }
    if (work)
        qsort(work, *count, sizeof(void *), by_worker_and_start);
    return work;
}

/* At most the output's own length, also in a damaged trace. */
static void event_hide(const struct trace_event *written, const struct trace_event *by,
                       double *hidden_s)
{
    const double until_s = written->end_s < by->end_s ? written->end_s : by->end_s;
    const double all_s = written->end_s - written->start_s;
    *hidden_s += until_s - by->start_s;
    *hidden_s = *hidden_s < all_s ? *hidden_s : all_s;
}

double *trace_hidden(const struct trace *trace)
{
    size_t count;
    double *hidden = calloc(trace->count + 1, sizeof *hidden);
    const struct trace_event **work = work_sorted(trace, &count);
    const struct trace_event *written = NULL; /* while the next ones may go on */
    for (size_t k = 0; hidden && work && k < count; k++) {
        const struct trace_event *event = work[k];
        if (event->operation == OPERATION_OUTPUT || (written && written->rank != event->rank))
            written = event->operation == OPERATION_OUTPUT ? event : NULL;
        else if (written && written->end_s > event->start_s)
            event_hide(written, event, &hidden[written - trace->events]);
    }
    free(work);
    if (!work) {
        free(hidden);
        return NULL;
    }
    return hidden;
}

void trace_release(struct trace *trace)
{
    free(trace->events);
    *trace = (struct trace){NULL, 0, 0};
}

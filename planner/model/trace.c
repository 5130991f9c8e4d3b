#include "planner/model/trace.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "planner/base/array.h"

const char *operation_name(enum operation operation)
{
    static const char *const names[] = {"envelope", "send", "link",    "receive", "compute",
                                        "output",   "idle", "request", "answer"};
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

void trace_release(struct trace *trace)
{
    free(trace->events);
    *trace = (struct trace){NULL, 0, 0};
}

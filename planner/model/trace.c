#include "planner/model/trace.h"

#include <assert.h>
#include <stdlib.h>

const char *operation_name(enum operation operation)
{
    static const char *const names[OPERATION_COUNT] = {"envelope", "send",   "link", "receive",
                                                       "compute",  "output", "idle"};
    assert(operation < OPERATION_COUNT);
    return names[operation];
}

bool trace_add(struct trace *trace, const struct trace_event *event)
{
    if (trace->count == trace->capacity) {
        size_t capacity = 2 * trace->capacity + 64;
        struct trace_event *events = realloc(trace->events, capacity * sizeof *events);
        if (!events)
            return false;
        trace->events = events;
        trace->capacity = capacity;
    }
    trace->events[trace->count++] = *event;
    return true;
}

void trace_release(struct trace *trace)
{
    free(trace->events);
    *trace = (struct trace){NULL, 0, 0};
}

#include "planner/model/trace.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "planner/base/array.h"

const char *operation_name(enum operation operation)
{
    static const char *const names[] = {
        [OPERATION_ENVELOPE] = "envelope", [OPERATION_SEND] = "send",
        [OPERATION_LINK] = "link",         [OPERATION_RECEIVE] = "receive",
        [OPERATION_COMPUTE] = "compute",   [OPERATION_OUTPUT] = "output",
        [OPERATION_RESULT] = "result",     [OPERATION_COLLECT] = "collect",
        [OPERATION_IDLE] = "idle",         [OPERATION_START] = "start",
        [OPERATION_REQUEST] = "request",   [OPERATION_ANSWER] = "answer"};
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

bool trace_finish(struct trace *trace)
{
    const bool good = trace->count == 0 || trace->on->take(trace->on->self, trace);
    trace->count = 0;
    return good;
}

/* Does the event begin another package while the block is full? */
static bool block_ends(const struct trace *trace, const struct trace_event *event)
{
    return trace->on && trace->count >= TRACE_BLOCK_EVENTS &&
           trace->events[trace->count - 1].package != event->package;
}

bool trace_add(struct trace *trace, const struct trace_event *event)
{
    if (block_ends(trace, event) && !trace_finish(trace))
        return false;
    struct trace_event *events =
        array_reserve(trace->events, &trace->capacity, trace->count + 1, sizeof *events);
    if (!events)
        return false;
    trace->events = events;
    trace->events[trace->count++] = *event;
    return true;
}

/* Sorts by worker and start; of equal starts an output comes first. */
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

/* The workers' receiving, computing and writing, sorted by worker and time; owned. */
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

/* Makes room for as many workers as the block has. False: out of memory. */
static bool outputs_reserve(struct trace_outputs *outputs, const struct trace *block)
{
    int64_t count = outputs->count;
    for (size_t k = 0; k < block->count; k++)
        count = block->events[k].rank > count ? block->events[k].rank : count;
    if (count == outputs->count && outputs->workers)
        return true;
    struct trace_output *workers =
        realloc(outputs->workers, ((size_t)count + 1) * sizeof *outputs->workers);
    if (!workers)
        return false;
    for (int64_t k = outputs->count; k <= count; k++)
        workers[k] = (struct trace_output){0, 0, 0};
    *outputs = (struct trace_outputs){workers, count};
    return true;
}

/* The part of the output that is hidden by that event; never more than there is of it, even if the
 * trace is damaged. */
static double output_hide(struct trace_output *output, const struct trace_event *by)
{
    const double until_s = output->end_s < by->end_s ? output->end_s : by->end_s;
    const double hidden_s = until_s - by->start_s;
    const double taken_s = hidden_s < output->shown_s ? hidden_s : output->shown_s;
    output->shown_s -= taken_s;
    return taken_s;
}

/* Adds what that event of the block hides of an output. */
static void event_hide(const struct trace_event *written, const struct trace_event *by,
                       double *hidden_s)
{
    const double until_s = written->end_s < by->end_s ? written->end_s : by->end_s;
    const double all_s = written->end_s - written->start_s;
    *hidden_s += until_s - by->start_s;
    *hidden_s = *hidden_s < all_s ? *hidden_s : all_s;
}

/* An output that may go on while the next events happen: of this block or of an earlier one. */
struct writing {
    const struct trace_event *written; /* NULL: it is not of this block */
    struct trace_output *before;       /* NULL: it is not of an earlier block */
};

static void event_follow(struct writing *writing, const struct trace_event *event,
                         const struct trace *block, double *hidden)
{
    if (event->operation == OPERATION_OUTPUT)
        *writing = (struct writing){event, NULL};
    else if (writing->written && writing->written->end_s > event->start_s)
        event_hide(writing->written, event, &hidden[writing->written - block->events]);
    else if (writing->before && writing->before->end_s > event->start_s)
        writing->before->late_s += output_hide(writing->before, event);
}

/* Keeps the last output of this block: the next block may hide more of it. */
static void output_keep(struct trace_output *output, const struct writing *writing,
                        const struct trace *block, const double *hidden)
{
    const struct trace_event *written = writing->written;
    if (!written)
        return;
    output->end_s = written->end_s;
    output->shown_s = written->end_s - written->start_s - hidden[written - block->events];
}

static void outputs_follow(struct trace_outputs *outputs, const struct trace *block,
                           const struct trace_event **work, size_t count, double *hidden)
{
    struct writing writing = {NULL, NULL};
    for (int64_t k = 0; k < outputs->count; k++)
        outputs->workers[k].late_s = 0;
    for (size_t k = 0; k < count; k++) {
        if (k == 0 || work[k - 1]->rank != work[k]->rank)
            writing = (struct writing){NULL, &outputs->workers[work[k]->rank - 1]};
        event_follow(&writing, work[k], block, hidden);
        if (k + 1 == count || work[k + 1]->rank != work[k]->rank)
            output_keep(&outputs->workers[work[k]->rank - 1], &writing, block, hidden);
    }
}

double *trace_hidden_next(const struct trace *block, struct trace_outputs *outputs)
{
    size_t count;
    double *hidden = calloc(block->count + 1, sizeof *hidden);
    const struct trace_event **work = work_sorted(block, &count);
    const bool good = hidden && work && outputs_reserve(outputs, block);
    if (good)
        outputs_follow(outputs, block, work, count, hidden);
    free(work);
    if (!good) {
        free(hidden);
        return NULL;
    }
    return hidden;
}

double *trace_hidden(const struct trace *trace)
{
    struct trace_outputs outputs = {NULL, 0};
    double *hidden = trace_hidden_next(trace, &outputs);
    trace_outputs_release(&outputs);
    return hidden;
}

void trace_outputs_release(struct trace_outputs *outputs)
{
    free(outputs->workers);
    *outputs = (struct trace_outputs){NULL, 0};
}

void trace_release(struct trace *trace)
{
    free(trace->events);
    *trace = (struct trace){.count = 0};
}

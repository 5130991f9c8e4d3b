/* What workers need before their first package. A program that must load is ready when it answers
 * for the first time; how much of that time was its start is known from a later answer, perhaps of
 * a later package. */
#include <math.h>

#include "spmd/master/master_state.h"
#include "spmd/protocol/emulation.h"

static struct master_start *start_of(const struct master *master, const struct package *package)
{
    return &master->starts[package->worker];
}

/* Does the report contain all that the worker's start is known by? */
static bool start_is_told(const struct master *master, const struct wire_result *report)
{
    return report->times.prepared_s > master->origin_s;
}

/* Corrects an event of the worker's first package, when it is known when that was begun. */
static void event_mend(struct trace_event *event, double start_s, double receive_s)
{
    const double begun_s = fmin(start_s, event->end_s);
    switch (event->operation) {
    case OPERATION_IDLE:
        event->start_s = fmax(event->start_s, start_s);
        event->end_s = fmax(event->start_s, start_s);
        break;
    case OPERATION_RECEIVE:
        event->start_s = fmax(event->start_s, start_s);
        event->end_s = event->start_s + receive_s;
        break;
    case OPERATION_COMPUTE:
        event->start_s = fmax(event->start_s, fmin(begun_s + receive_s, event->end_s));
        break;
    default:
        break;
    }
}

/* Corrects the events in the trace, wherever they are kept. */
static void events_correct(struct master *master, const struct master_start *start)
{
    struct trace *remembered = &master->outcome->trace;
    for (int k = 0; k < start->count; k++)
        if (start->first[k].number < (int64_t)remembered->count)
            remembered->events[start->first[k].number] = start->first[k].event;
    if (master->run->tracing)
        trace_writer_correct(master->run->tracing, start->first, start->count);
}

/* Corrects the worker's first package, which was traced as if it had begun when it arrived. */
static void package_mend(struct master *master, struct master_start *start, double start_s)
{
    double receive_s = 0;
    for (int k = 0; k < start->count; k++) {
        struct trace_event *event = &start->first[k].event;
        if (event->operation == OPERATION_RECEIVE)
            receive_s = event->end_s - event->start_s;
        event_mend(event, start_s, receive_s);
    }
    events_correct(master, start);
}

/* Notes that the worker's start lasted until start_s on the trace's clock; `package` is its first
 * one. */
static void start_keep(struct master *master, const struct package *package, double start_s)
{
    start_of(master, package)->known = true;
    master_event(master, (int)package->worker + 1, OPERATION_START, package, master->origin_s,
                 master->origin_s + start_s);
}

/* Does the same where its first package is already in the trace. */
static void start_mend(struct master *master, int member, double start_s)
{
    struct master_start *start = &master->starts[member - 1];
    if (start->count == 0)
        return;
    package_mend(master, start, start_s);
    const struct trace_event *begun = &start->first[0].event;
    const struct package package = {.worker = member - 1,
                                    .round = begun->round,
                                    .index = begun->package,
                                    .first = begun->first,
                                    .count = begun->tasks};
    start_keep(master, &package, start_s);
}

void master_start_trace(struct master *master, const struct wire_result *report)
{
    struct master_start *start = start_of(master, &report->package);
    const double start_s = report->times.prepared_s - master->origin_s;
    const bool first = !start->reported;
    start->reported = true;
    if (start->known || !start_is_told(master, report))
        return;
    if (first)
        start_keep(master, &report->package, start_s);
    else
        start_mend(master, (int)report->package.worker + 1, start_s);
}

/* The event of computing the worker's first package. */
static const struct trace_event *first_computed(const struct master_start *start)
{
    for (int k = 0; k < start->count; k++)
        if (start->first[k].event.operation == OPERATION_COMPUTE)
            return &start->first[k].event;
    return NULL;
}

void master_starts_settle(struct master *master)
{
    const struct emulation *costs = master->run->costs;
    for (int member = 1; costs && member <= master->run->members->count; member++) {
        const struct master_start *start = &master->starts[member - 1];
        const double expected_s = emulation_cost(costs, OPERATION_START, member - 1, 1);
        if (start->known || !start->reported || !(expected_s > 0))
            continue;
        const struct trace_event *first = first_computed(start);
        const double compute_s =
            first ? emulation_cost(costs, OPERATION_COMPUTE, member - 1, first->tasks) : 0;
        if (first && first->end_s - compute_s > first->start_s)
            start_mend(master, member, first->end_s - compute_s);
    }
}

double master_started_s(const struct master *master, const struct wire_result *report)
{
    const struct wire_times *times = &report->times;
    const struct package *package = &report->package;
    const struct emulation *costs = master->run->costs;
    if (start_of(master, package)->told || start_is_told(master, report) || !costs ||
        !(emulation_cost(costs, OPERATION_START, package->worker, package->count) > 0))
        return times->start_s;
    const double expected_s =
        emulation_cost(costs, OPERATION_COMPUTE, package->worker, package->count);
    return fmax(times->start_s, times->computed_s - expected_s);
}

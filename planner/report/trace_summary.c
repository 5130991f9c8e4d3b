#include "planner/report/trace_summary.h"

#include <math.h>
#include <stdlib.h>

#include "planner/base/limits.h"
#include "planner/simulate/periods.h"

static bool operation_of_worker(int32_t operation)
{
    return operation == OPERATION_RECEIVE || operation == OPERATION_COMPUTE ||
           operation == OPERATION_OUTPUT;
}

static bool event_check(const struct trace_event *event, struct failure *failure)
{
    bool good = event->rank >= 0 && event->rank <= LIMIT_WORKERS && event->operation >= 0 &&
                event->operation < OPERATION_COUNT && event->round >= 0 &&
                event->round < LIMIT_ROUNDS && isfinite(event->start_s) && isfinite(event->end_s) &&
                (event->rank > 0 ||
                 (!operation_of_worker(event->operation) && event->operation != OPERATION_START));
    return good || failure_set(failure, FAILURE_MISMATCH,
                               "the trace has an impossible event: the file is damaged, "
                               "run again");
}

static bool trace_extent(const struct trace *trace, struct trace_summary *summary,
                         struct failure *failure)
{
    for (size_t k = 0; k < trace->count; k++) {
        const struct trace_event *event = &trace->events[k];
        if (!event_check(event, failure))
            return false;
        if (event->rank > summary->worker_count)
            summary->worker_count = event->rank;
        if (event->round >= summary->round_count)
            summary->round_count = event->round + 1;
    }
    return true;
}

static double trace_start(const struct trace *trace)
{
    double start_s = HUGE_VAL;
    for (size_t k = 0; k < trace->count; k++)
        if (trace->events[k].operation == OPERATION_ENVELOPE)
            start_s = fmin(start_s, trace->events[k].start_s);
    return isfinite(start_s) ? start_s : 0;
}

/* `hidden_s` of it is behind other work of the worker. Where a transfer is recorded on the master's
 * side, its event has rank 0 and counts for no worker in particular. */
static void event_add(struct trace_summary *summary, const struct trace_event *event,
                      double start_s, double hidden_s)
{
    double duration_s = event->end_s - event->start_s - hidden_s;
    if (event->operation == OPERATION_IDLE)
        return;
    summary->seconds[event->operation] += duration_s;
    summary->hidden_s += hidden_s;
    if (event->rank == 0)
        return;
    struct worker_summary *worker = &summary->workers[event->rank - 1];
    worker->seconds[event->operation] += duration_s;
    worker->hidden_s += hidden_s;
    if (!operation_of_worker(event->operation))
        return;
    double end_s = event->end_s - start_s;
    worker->end_s = fmax(worker->end_s, end_s);
    summary->makespan_s = fmax(summary->makespan_s, end_s);
    summary->round_ends_s[event->round] = fmax(summary->round_ends_s[event->round], end_s);
    if (event->operation == OPERATION_COMPUTE) {
        worker->packages++;
        worker->tasks += event->tasks;
    }
}

static double worker_busy(const struct worker_summary *worker)
{
    return worker->seconds[OPERATION_RECEIVE] + worker->seconds[OPERATION_COMPUTE] +
           worker->seconds[OPERATION_OUTPUT];
}

static void workers_sum(struct trace_summary *summary)
{
    double busiest_s = 0, busy_s = 0, last_s = -1;
    summary->last_worker = -1;
    for (int64_t k = 0; k < summary->worker_count; k++) {
        struct worker_summary *worker = &summary->workers[k];
        double here_s = worker_busy(worker);
        if (worker->packages == 0)
            continue;
        worker->seconds[OPERATION_IDLE] =
            fmax(summary->makespan_s - here_s - worker->seconds[OPERATION_START], 0);
        summary->seconds[OPERATION_IDLE] += worker->seconds[OPERATION_IDLE];
        summary->workers_used++;
        busy_s += here_s;
        busiest_s = fmax(busiest_s, here_s);
        if (worker->end_s > last_s) {
            last_s = worker->end_s;
            summary->last_worker = k;
        }
    }
    if (!(busy_s > 0) || !(summary->makespan_s > 0))
        return;
    double used = (double)summary->workers_used;
    double master_s = summary->seconds[OPERATION_ENVELOPE] + summary->seconds[OPERATION_SEND];
    double network_s = fmax(master_s, summary->seconds[OPERATION_LINK]);
    summary->worker_busy_share = busy_s / (used * summary->makespan_s);
    summary->network_utilization = fmin(network_s / summary->makespan_s, 1);
    summary->imbalance = busiest_s * used / busy_s - 1;
}

bool trace_summary_make(const struct trace *trace, const struct plan *plan,
                        struct trace_summary *summary, struct failure *failure)
{
    struct trace_summary made = {0};
    if (!trace_extent(trace, &made, failure))
        return false;
    made.workers = calloc((size_t)made.worker_count + 1, sizeof *made.workers);
    made.round_ends_s = calloc((size_t)made.round_count + 1, sizeof *made.round_ends_s);
    double *hidden = trace_hidden(trace);
    if (!made.workers || !made.round_ends_s || !hidden ||
        !periods_of_trace(trace, plan, &made.worker_utilization)) {
        trace_summary_release(&made);
        free(hidden);
        return failure_memory(failure, "reading a trace");
    }
    double start_s = trace_start(trace);
    for (size_t k = 0; k < trace->count; k++)
        event_add(&made, &trace->events[k], start_s, hidden[k]);
    free(hidden);
    workers_sum(&made);
    *summary = made;
    return true;
}

void trace_summary_release(struct trace_summary *summary)
{
    free(summary->workers);
    free(summary->round_ends_s);
    *summary = (struct trace_summary){0};
}

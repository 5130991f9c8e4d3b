#include "planner/report/trace_summary.h"

#include <math.h>
#include <stdlib.h>

#include "planner/base/limits.h"

static bool operation_of_worker(int32_t operation)
{
    return operation == OPERATION_RECEIVE || operation == OPERATION_COMPUTE ||
           operation == OPERATION_OUTPUT;
}

bool trace_event_check(const struct trace_event *event, struct failure *failure)
{
    bool good = event->rank >= 0 && event->rank <= LIMIT_WORKERS && event->operation >= 0 &&
                event->operation < OPERATION_COUNT &&
                (event->round >= 0 || (trace_event_own(event) && event->round == -1)) &&
                event->round < LIMIT_ROUNDS && isfinite(event->start_s) && isfinite(event->end_s) &&
                (event->rank > 0 || trace_event_own(event) ||
                 (!operation_of_worker(event->operation) && event->operation != OPERATION_START));
    return good || failure_set(failure, FAILURE_MISMATCH,
                               "the trace has an impossible event: the file is damaged, "
                               "run again");
}

/* Finds how many workers and rounds there are, including those of the block. */
static bool extent_find(const struct trace *block, struct trace_summary *summary,
                        struct failure *failure)
{
    for (size_t k = 0; k < block->count; k++) {
        const struct trace_event *event = &block->events[k];
        if (!trace_event_check(event, failure))
            return false;
        if (event->rank > summary->worker_count)
            summary->worker_count = event->rank;
        if (event->round >= summary->round_count)
            summary->round_count = event->round + 1;
    }
    return true;
}

/* Makes room for more workers than `had`, the new ones being 0. */
static bool workers_reserve(struct trace_summary *summary, int64_t had)
{
    if (summary->workers && summary->worker_count == had)
        return true;
    struct worker_summary *workers =
        realloc(summary->workers, ((size_t)summary->worker_count + 1) * sizeof *workers);
    if (!workers)
        return false;
    summary->workers = workers;
    for (int64_t k = had; k <= summary->worker_count; k++)
        workers[k] = (struct worker_summary){.packages = 0};
    return true;
}

static int64_t rounds_listed(const struct trace_summary *summary)
{
    return summary->round_count < ROUNDS_LISTED ? summary->round_count : ROUNDS_LISTED;
}

static bool rounds_reserve(struct trace_summing *summing)
{
    struct trace_summary *summary = &summing->made;
    const int64_t wanted = rounds_listed(summary);
    if (summary->round_ends_s && wanted == summing->round_room)
        return true;
    double *ends_s = realloc(summary->round_ends_s, ((size_t)wanted + 1) * sizeof *ends_s);
    if (!ends_s)
        return false;
    summary->round_ends_s = ends_s;
    for (int64_t k = summing->round_room; k <= wanted; k++)
        ends_s[k] = 0;
    summing->round_room = wanted;
    return true;
}

/* Operations that take no time are not in a simulation's trace, and rank 0 of a tree packs
 * nothing. */
static bool is_first(int32_t operation)
{
    return operation == OPERATION_ENVELOPE || operation == OPERATION_SEND ||
           operation == OPERATION_LINK;
}

static void start_find(struct trace_summing *summing, const struct trace *block)
{
    for (size_t k = 0; k < block->count; k++)
        if (is_first(block->events[k].operation))
            summing->start_s = fmin(summing->start_s, block->events[k].start_s);
}

/* Adds the master's own computing. */
static void own_add(struct trace_summary *summary, const struct trace_event *event, double start_s)
{
    summary->own_s += event->end_s - event->start_s;
    summary->own_tasks += event->tasks;
    summary->makespan_s = fmax(summary->makespan_s, event->end_s - start_s);
}

/* `hidden_s` of the event is hidden by other work of the worker. Where transfers are recorded at
 * the master, their events have rank 0 and belong to no worker. */
static void event_add(struct trace_summary *summary, const struct trace_event *event,
                      double start_s, double hidden_s)
{
    double duration_s = event->end_s - event->start_s - hidden_s;
    if (event->operation == OPERATION_IDLE)
        return;
    if (trace_event_own(event)) {
        own_add(summary, event, start_s);
        return;
    }
    if (event->operation == OPERATION_RESULT || event->operation == OPERATION_COLLECT)
        summary->makespan_s = fmax(summary->makespan_s, event->end_s - start_s);
    summary->seconds[event->operation] += duration_s;
    summary->hidden_s += hidden_s;
    if (event->rank == 0)
        return;
    struct worker_summary *worker = &summary->workers[event->rank - 1];
    worker->seconds[event->operation] += duration_s;
    worker->hidden_s += hidden_s;
    worker->hands_out = worker->hands_out || event->operation == OPERATION_ENVELOPE;
    if (!operation_of_worker(event->operation))
        return;
    double end_s = event->end_s - start_s;
    worker->end_s = fmax(worker->end_s, end_s);
    summary->makespan_s = fmax(summary->makespan_s, end_s);
    if (event->round < ROUNDS_LISTED)
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
        if (worker->packages == 0 || worker->hands_out)
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
    double master_s = summary->seconds[OPERATION_ENVELOPE] + summary->seconds[OPERATION_SEND] +
                      summary->seconds[OPERATION_COLLECT];
    double network_s = fmax(master_s, summary->seconds[OPERATION_LINK]);
    summary->worker_busy_share = busy_s / (used * summary->makespan_s);
    summary->network_utilization = fmin(network_s / summary->makespan_s, 1);
    summary->imbalance = busiest_s * used / busy_s - 1;
}

/* Corrects outputs of earlier blocks, parts of which this block has hidden. */
static void late_add(struct trace_summary *summary, const struct trace_outputs *outputs)
{
    for (int64_t k = 0; k < outputs->count; k++) {
        const double late_s = outputs->workers[k].late_s;
        struct worker_summary *worker = &summary->workers[k];
        if (!(late_s > 0))
            continue;
        summary->seconds[OPERATION_OUTPUT] -= late_s;
        summary->hidden_s += late_s;
        worker->seconds[OPERATION_OUTPUT] -= late_s;
        worker->hidden_s += late_s;
    }
}

void trace_summing_init(struct trace_summing *summing, const struct plan *plan)
{
    *summing = (struct trace_summing){.start_s = HUGE_VAL};
    period_sums_init(&summing->periods, plan);
}

bool trace_summing_take(struct trace_summing *summing, const struct trace *block,
                        struct failure *failure)
{
    struct trace_summary *made = &summing->made;
    const int64_t had = made->workers ? made->worker_count : 0;
    if (!extent_find(block, made, failure))
        return false;
    double *hidden = trace_hidden_next(block, &summing->outputs);
    const bool good = hidden && workers_reserve(made, had) && rounds_reserve(summing) &&
                      period_sums_take(&summing->periods, block, hidden);
    start_find(summing, block);
    const double start_s = isfinite(summing->start_s) ? summing->start_s : 0;
    for (size_t k = 0; good && k < block->count; k++)
        event_add(made, &block->events[k], start_s, hidden[k]);
    if (good)
        late_add(made, &summing->outputs);
    free(hidden);
    return good || failure_memory(failure, "reading a trace");
}

void trace_summing_end(struct trace_summing *summing, struct trace_summary *summary)
{
    const struct periods periods = period_sums_end(&summing->periods);
    summing->made.worker_utilization = periods.worker_utilization;
    summing->made.master_utilization = periods.master_utilization;
    workers_sum(&summing->made);
    *summary = summing->made;
    summing->made = (struct trace_summary){0};
}

void trace_summing_release(struct trace_summing *summing)
{
    period_sums_release(&summing->periods);
    trace_outputs_release(&summing->outputs);
    trace_summary_release(&summing->made);
}

bool trace_summary_make(const struct trace *trace, const struct plan *plan,
                        struct trace_summary *summary, struct failure *failure)
{
    struct trace_summing summing;
    trace_summing_init(&summing, plan);
    const bool good = trace_summing_take(&summing, trace, failure);
    if (good)
        trace_summing_end(&summing, summary);
    trace_summing_release(&summing);
    return good;
}

void trace_summary_release(struct trace_summary *summary)
{
    free(summary->workers);
    free(summary->round_ends_s);
    *summary = (struct trace_summary){0};
}

struct worker_summary trace_summary_worker(const struct trace_summary *summary, int64_t worker)
{
    return worker < summary->worker_count ? summary->workers[worker]
                                          : (struct worker_summary){.packages = 0};
}

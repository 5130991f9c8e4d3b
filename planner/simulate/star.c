#include "planner/simulate/star.h"

#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

bool star_init(struct star *star, const struct platform *platform, int64_t worker_count)
{
    const int buffers = platform->buffers;
    *star = (struct star){
        .worker_count = worker_count, .buffers = buffers, .write_behind = platform->write_behind};
    star->workers = calloc((size_t)worker_count, sizeof *star->workers);
    star->starts = calloc((size_t)worker_count * (size_t)buffers, sizeof *star->starts);
    if (star->workers && star->starts)
        return true;
    star_release(star);
    return false;
}

void star_restart(struct star *star, const struct platform *platform, const int64_t *workers)
{
    const size_t count = (size_t)star->worker_count;
    memset(star->workers, 0, count * sizeof *star->workers);
    memset(star->starts, 0, count * (size_t)star->buffers * sizeof *star->starts);
    star->master_s = star->port_s = star->master_busy_s = star->port_busy_s = 0;
    star->results_s = star->own_s = star->own_end_s = 0;
    for (int64_t k = 0; k < star->worker_count; k++) {
        struct star_worker *worker = &star->workers[k];
        worker->prepared_s = platform_start(platform, workers ? workers[k] : k);
        worker->free_s = worker->prepared_s;
    }
}

void star_release(struct star *star)
{
    free(star->workers);
    free(star->starts);
    *star = (struct star){0};
}

struct star_cost star_cost_of(const struct platform_window *window,
                              const struct platform_class *class, double load)
{
    return (struct star_cost){cost_of(window->envelope, load), cost_of(window->send, load),
                              cost_of(class->link, load),      cost_of(class->receive, load),
                              cost_of(class->compute, load),   cost_of(class->output, load),
                              cost_of(class->result, load),    cost_of(window->collect, load)};
}

void star_cost_place(struct star_cost *cost, const struct platform *platform,
                     const struct platform_window *window, const struct platform_class *class,
                     double first, double load)
{
    cost->compute_s *= platform_weight(platform, class->compute, first, load);
    if (!work_differs(&platform->bytes))
        return;
    cost->envelope_s *= platform_bulk(platform, window->envelope, first, load);
    cost->send_s *= platform_bulk(platform, window->send, first, load);
    cost->link_s *= platform_bulk(platform, class->link, first, load);
    cost->receive_s *= platform_bulk(platform, class->receive, first, load);
}

struct star_cost star_cost_of_group(const struct platform_window *window,
                                    const struct platform_class *class)
{
    const struct platform_told told = platform_told(window, class);
    /* Latencies that were drawn may be below 0. */
    return (struct star_cost){.send_s = fmax(0, told.send_s), .link_s = fmax(0, told.link_s)};
}

double *star_cost_part(struct star_cost *cost, enum operation operation)
{
    static const size_t parts[OPERATION_COLLECT + 1] = {
        offsetof(struct star_cost, envelope_s), offsetof(struct star_cost, send_s),
        offsetof(struct star_cost, link_s),     offsetof(struct star_cost, receive_s),
        offsetof(struct star_cost, compute_s),  offsetof(struct star_cost, output_s),
        offsetof(struct star_cost, result_s),   offsetof(struct star_cost, collect_s)};
    return (double *)((char *)cost + parts[operation]);
}

bool star_trace(const struct star_times *times, int64_t worker, struct trace_event event,
                struct trace *trace)
{
    const struct {
        enum operation operation;
        double start_s, end_s;
    } events[] = {{OPERATION_START, 0, times->prepared_s},
                  {OPERATION_ENVELOPE, times->envelope_s, times->send_s},
                  {OPERATION_SEND, times->send_s, times->sent_s},
                  {OPERATION_LINK, times->link_s, times->arrived_s},
                  {OPERATION_IDLE, times->idle_s, times->start_s},
                  {OPERATION_RECEIVE, times->start_s, times->received_s},
                  {OPERATION_COMPUTE, times->received_s, times->computed_s},
                  {OPERATION_OUTPUT, times->handed_s, times->end_s},
                  {OPERATION_RESULT, times->result_s, times->returned_s},
                  {OPERATION_COLLECT, times->collect_s, times->collected_s}};
    const int32_t master_rank = event.rank;
    for (size_t k = 0; k < sizeof events / sizeof *events; k++) {
        enum operation operation = events[k].operation;
        bool master = operation == OPERATION_ENVELOPE || operation == OPERATION_SEND ||
                      operation == OPERATION_COLLECT;
        event.rank = master ? master_rank : (int32_t)worker + 1;
        event.operation = (int32_t)operation;
        event.start_s = events[k].start_s;
        event.end_s = events[k].end_s;
        if (event.end_s > event.start_s && !trace_add(trace, &event))
            return false;
    }
    return true;
}

static void worker_sum(const struct star_worker *worker, struct simulation *sum, double *busiest_s)
{
    if (sum->workers_used == 0 || worker->end_s < sum->earliest_end_s)
        sum->earliest_end_s = worker->end_s;
    sum->latest_end_s = star_later(sum->latest_end_s, worker->end_s);
    if (worker->busy_s > *busiest_s) {
        *busiest_s = worker->busy_s;
        sum->output_s = worker->output_s;
    }
    sum->worker_busy_s += worker->busy_s;
    sum->start_s += worker->prepared_s;
    sum->packages += worker->packages;
    sum->workers_used++;
}

/* Is called last, because it needs the latest end. */
static void idle_sum(const struct star *star, struct simulation *sum)
{
    double ends_s = 0, squares_s2 = 0, used = (double)sum->workers_used;
    for (int64_t k = 0; k < star->worker_count; k++)
        ends_s += star->workers[k].packages > 0 ? star->workers[k].end_s : 0;
    for (int64_t k = 0; k < star->worker_count; k++) {
        const struct star_worker *worker = &star->workers[k];
        if (worker->packages == 0)
            continue;
        double deviation_s = worker->end_s - ends_s / used;
        squares_s2 += deviation_s * deviation_s;
        sum->idle_first_s += worker->first_s - worker->prepared_s;
        sum->idle_between_s += star_later(worker->end_s - worker->first_s - worker->busy_s, 0);
        sum->idle_last_s += sum->latest_end_s - worker->end_s;
    }
    sum->end_variation = ends_s > 0 ? sqrt(squares_s2 / used) / (ends_s / used) : 0;
}

void star_sum(const struct star *star, struct simulation *simulation)
{
    struct simulation sum = {.master_busy_s = star->master_busy_s,
                             .own_s = star->own_s,
                             .port_busy_s = star->port_busy_s};
    double busiest_s = -1;
    for (int64_t k = 0; k < star->worker_count; k++)
        if (star->workers[k].packages > 0)
            worker_sum(&star->workers[k], &sum, &busiest_s);
    sum.makespan_s = star_later(star_later(sum.latest_end_s, star->results_s), star->own_end_s);
    idle_sum(star, &sum);
    *simulation = sum;
}

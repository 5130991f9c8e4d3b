#include "planner/simulate/loop.h"

#include <math.h>

#include "planner/simulate/events.h"

bool loop_needs_events(const struct platform *platform)
{
    return results_return(platform->results) || platform->operating != OPERATING_SINGLE_PORT;
}

bool loop_init(struct loop *loop, const struct platform *platform, int64_t workers)
{
    *loop = (struct loop){.trace = NULL};
    if (!star_init(&loop->star, platform, workers))
        return false;
    if (!loop_needs_events(platform))
        return true;
    loop->events = events_new(platform, workers);
    if (!loop->events)
        star_release(&loop->star);
    return loop->events != NULL;
}

void loop_release(struct loop *loop)
{
    star_release(&loop->star);
    events_free(&loop->events);
}

void loop_restart(struct loop *loop, const struct platform *platform, const int64_t *workers)
{
    star_restart(&loop->star, platform, workers);
    loop->package = (struct loop_package){.worker = 0};
    if (loop->events)
        events_restart(loop->events);
}

double loop_makespan(const struct loop *loop)
{
    double makespan_s = loop->star.results_s;
    for (int64_t k = 0; k < loop->star.worker_count; k++)
        if (loop->star.workers[k].packages > 0)
            makespan_s = star_later(makespan_s, loop->star.workers[k].end_s);
    return makespan_s;
}

/* ---- package after package ----------------------------------------------------------------- */

/* What each operation lasts when it begins as it does, one after the other. */
static void cost_stretch(const struct star *star, const struct loop_source *source, int64_t worker,
                         struct star_cost *cost)
{
    const struct star_worker *to = &star->workers[worker];
    double at_s = star->master_s;
    cost->envelope_s = source->lasts(source->self, -1, OPERATION_ENVELOPE, at_s, cost->envelope_s);
    at_s += cost->envelope_s;
    cost->send_s = source->lasts(source->self, -1, OPERATION_SEND, at_s, cost->send_s);
    const struct star_before before = {at_s + cost->send_s, star->port_s,
                                       star->starts[worker * star->buffers + to->oldest],
                                       to->free_s};
    at_s = star_step(before, 0).link_s;
    cost->link_s = source->lasts(source->self, worker, OPERATION_LINK, at_s, cost->link_s);
    at_s = star_step(before, cost->link_s).start_s;
    cost->receive_s = source->lasts(source->self, worker, OPERATION_RECEIVE, at_s, cost->receive_s);
    at_s += cost->receive_s;
    cost->compute_s = source->lasts(source->self, worker, OPERATION_COMPUTE, at_s, cost->compute_s);
    at_s = star_later(at_s + cost->compute_s, to->end_s);
    cost->output_s = source->lasts(source->self, worker, OPERATION_OUTPUT, at_s, cost->output_s);
}

static bool package_play(struct loop *loop, const struct loop_source *source,
                         struct failure *failure)
{
    struct loop_package *package = &loop->package;
    struct star_times times;
    struct star_cost stretched;
    if (source->lasts) {
        stretched = *package->cost;
        cost_stretch(&loop->star, source, package->worker, &stretched);
        package->cost = &stretched;
    }
    star_send(&loop->star, package->worker, package->cost, &times);
    if (loop->trace && !loop_trace(loop, package, &times))
        return failure_memory(failure, "tracing the simulation");
    return !source->sent || source->sent(source->self, loop, package, &times, failure);
}

bool loop_trace(struct loop *loop, const struct loop_package *package,
                const struct star_times *times)
{
    const struct trace_event event = {.rank = loop->master,
                                      .round = package->round,
                                      .package = package->index,
                                      .first = (int64_t)package->first,
                                      .tasks = (int64_t)package->load};
    struct star_times traced = *times;
    if (package->unawaited)
        traced.idle_s = traced.start_s;
    return star_trace(&traced, package->rank - 1, event, loop->trace);
}

static bool wait_forever(struct failure *failure)
{
    return failure_set(failure, FAILURE_INFEASIBLE,
                       "no worker is left for the remaining tasks: simulate more workers");
}

/* `alone`: nothing happened since the last wait but that time went on. */
static bool package_await(struct loop *loop, const struct loop_source *source, bool *alone,
                          struct failure *failure)
{
    const double event_s = source->event_s(source->self), due_s = source->due_s(source->self);
    const double from_s = loop->star.master_s;
    if (!isfinite(event_s) && (*alone || !isfinite(due_s)))
        return wait_forever(failure);
    *alone = !isfinite(event_s);
    loop->star.master_s = star_later(from_s, fmin(event_s, due_s));
    if (source->waited)
        source->waited(source->self, loop->star.master_s - from_s);
    return true;
}

static bool packages_run(struct loop *loop, const struct loop_source *source,
                         struct failure *failure)
{
    for (bool alone = false;;) {
        const enum loop_answer answer = source->next(source->self, loop, &loop->package, failure);
        if (answer == LOOP_SEND) {
            if (!package_play(loop, source, failure))
                return false;
            alone = false;
        } else if (answer != LOOP_WAIT) {
            return answer != LOOP_FAILED;
        } else if (!package_await(loop, source, &alone, failure)) {
            return false;
        }
    }
}

bool loop_run(struct loop *loop, const struct loop_source *source, struct failure *failure)
{
    return loop->events ? events_run(loop, source, failure) : packages_run(loop, source, failure);
}

#include "planner/simulate/loop.h"

#include <math.h>
#include <stdlib.h>

#include "planner/simulate/events.h"

bool loop_init(struct loop *loop, const struct platform *platform, int64_t workers)
{
    *loop = (struct loop){.messages = platform->worker_count + 1};
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
    free(loop->arrivals);
    loop->arrivals = NULL;
}

void loop_restart(struct loop *loop, const struct platform *platform, const int64_t *workers)
{
    star_restart(&loop->star, platform, workers);
    loop->package = (struct loop_package){.worker = 0};
    for (int64_t k = 0; loop->arrivals && k < loop->messages; k++)
        loop->arrivals[k] = 0;
    loop->arrival_next = 0;
    if (loop->events)
        events_restart(loop->events);
}

/* ---- core tasks of the master's own ---------------------------------------------------------- */

/* Begins the list of the times at which packages arrive, with none. */
static bool arrivals_make(struct loop *loop, const struct loop_source *source,
                          struct failure *failure)
{
    if (!source->computes || loop->arrivals)
        return true;
    loop->arrivals = calloc((size_t)loop->messages, sizeof *loop->arrivals);
    return loop->arrivals || failure_memory(failure, "simulating");
}

static void arrival_note(struct loop *loop, double arrived_s)
{
    if (!loop->arrivals)
        return;
    loop->arrivals[loop->arrival_next] = arrived_s;
    loop->arrival_next = (loop->arrival_next + 1) % loop->messages;
}

/* ---- package after package ----------------------------------------------------------------- */

/* Stretches the times of operations by the shares of processors and links that there are when each
 * begins, one after the other. */
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

static bool package_simulate(struct loop *loop, const struct loop_source *source,
                             struct failure *failure)
{
    struct loop_package *package = &loop->package;
    struct star_times times;
    struct star_cost stretched;
    if (loop->arrivals && !loop_compute(loop, source, loop->arrivals[loop->arrival_next], failure))
        return false;
    if (source->lasts) {
        stretched = *package->cost;
        cost_stretch(&loop->star, source, package->worker, &stretched);
        package->cost = &stretched;
    }
    star_send(&loop->star, package->worker, package->cost, &times);
    arrival_note(loop, times.arrived_s);
    if (loop->trace && !loop_trace(loop, package, &times))
        return failure_memory(failure, "tracing the simulation");
    return !source->sent || source->sent(source->self, loop, package, &times, failure);
}

static bool wait_forever(struct failure *failure)
{
    return failure_set(failure, FAILURE_INFEASIBLE,
                       "no worker is left for the remaining tasks: simulate more workers");
}

/* `alone`: nothing but the passing of time can end the wait, and so it was at the last wait. */
static bool package_await(struct loop *loop, const struct loop_source *source, bool *alone,
                          struct failure *failure)
{
    const double event_s = source->event_s(source->self), due_s = source->due_s(source->self);
    if (!isfinite(event_s) && (*alone || !isfinite(due_s)))
        return wait_forever(failure);
    *alone = !isfinite(event_s);
    if (!loop_compute(loop, source, fmin(event_s, due_s), failure))
        return false;
    const double from_s = loop->star.master_s;
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
            if (!package_simulate(loop, source, failure))
                return false;
            alone = false;
        } else if (answer == LOOP_END) {
            return loop_compute(loop, source, HUGE_VAL, failure);
        } else if (answer != LOOP_WAIT && answer != LOOP_HANDED_OUT) {
            return answer != LOOP_FAILED;
        } else if (!package_await(loop, source, &alone, failure)) {
            return false;
        }
    }
}

bool loop_run(struct loop *loop, const struct loop_source *source, struct failure *failure)
{
    if (loop->events)
        return events_run(loop, source, failure);
    return arrivals_make(loop, source, failure) && packages_run(loop, source, failure);
}

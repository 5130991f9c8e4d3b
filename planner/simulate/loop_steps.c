/* What is the same package after package (loop.c) and from event to event (events.c). */
#include <math.h>

#include "planner/simulate/loop.h"

bool loop_needs_events(const struct platform *platform)
{
    return results_return(platform->results) || platform->operating != OPERATING_SINGLE_PORT;
}

double loop_makespan(const struct loop *loop)
{
    double makespan_s = star_later(loop->star.results_s, loop->star.own_end_s);
    for (int64_t k = 0; k < loop->star.worker_count; k++)
        if (loop->star.workers[k].packages > 0)
            makespan_s = star_later(makespan_s, loop->star.workers[k].end_s);
    return makespan_s;
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

static bool span_trace(const struct loop *loop, const struct own_span *span, double start_s)
{
    const struct trace_event event = {.operation = OPERATION_COMPUTE,
                                      .round = -1,
                                      .package = -1,
                                      .first = (int64_t)span->first,
                                      .tasks = (int64_t)span->tasks,
                                      .start_s = start_s,
                                      .end_s = start_s + span->seconds};
    return !loop->trace || trace_add(loop->trace, &event);
}

bool loop_compute(struct loop *loop, const struct loop_source *source, double until_s,
                  struct failure *failure)
{
    struct star *star = &loop->star;
    struct own_span span;
    while (source->computes && star->master_s < until_s &&
           source->computes(source->self, star->master_s, until_s, &span)) {
        if (!span_trace(loop, &span, star->master_s))
            return failure_memory(failure, "tracing the simulation");
        star->master_s += span.seconds;
        star->own_s += span.seconds;
        star->own_end_s = star->master_s;
    }
    return true;
}

#include "planner/report/replay.h"

#include <math.h>
#include <stdlib.h>

#include "planner/model/platform.h"

/* When a package's transfer could begin, and when its end was seen; NaN: there was none. */
struct transfer {
    double left_s, arrived_s;
};

static double *cost_member(struct star_cost *cost, int32_t operation)
{
    double *const members[OPERATION_IDLE] = {&cost->envelope_s, &cost->send_s,    &cost->link_s,
                                             &cost->receive_s,  &cost->compute_s, &cost->output_s};
    return members[operation];
}

/* A package that was computed twice is of a run that lost a worker. */
static void event_take(struct replay *replay, struct transfer *transfers,
                       const struct trace_event *event)
{
    struct replay_package *package = &replay->packages[event->package];
    const int64_t worker = (int64_t)event->rank - 1;
    if (event->operation == OPERATION_IDLE)
        return;
    double *cost_s = cost_member(&package->cost, event->operation);
    if (*cost_s > 0 || (worker >= 0 && package->worker >= 0 && package->worker != worker))
        replay->complete = false;
    *cost_s = fmax(event->end_s - event->start_s, 0);
    package->round = event->round;
    package->first = event->first;
    package->tasks = event->tasks;
    if (worker >= 0)
        package->worker = worker;
    if (event->operation == OPERATION_LINK)
        transfers[event->package] = (struct transfer){event->start_s, event->end_s};
}

/* How long each package held the port. */
static void links_derive(struct replay *replay, struct transfer *transfers)
{
    double later_s = HUGE_VAL, free_s = -HUGE_VAL;
    for (size_t k = replay->count; k-- > 0;) {
        if (isnan(transfers[k].left_s))
            continue;
        later_s = fmin(later_s, transfers[k].arrived_s);
        transfers[k].arrived_s = later_s;
    }
    for (size_t k = 0; k < replay->count; k++) {
        if (isnan(transfers[k].left_s))
            continue;
        const double from_s = fmax(transfers[k].left_s, free_s);
        replay->packages[k].cost.link_s = fmax(transfers[k].arrived_s - from_s, 0);
        free_s = fmax(free_s, transfers[k].arrived_s);
    }
}

/* False: there are no packages that could be listed. */
static bool packages_count(struct replay *replay, const struct trace *measured)
{
    for (size_t k = 0; k < measured->count; k++) {
        const struct trace_event *event = &measured->events[k];
        if (event->package < 0 || (size_t)event->package >= measured->count)
            return false;
        if ((size_t)event->package >= replay->count)
            replay->count = (size_t)event->package + 1;
        if (event->rank > replay->worker_count)
            replay->worker_count = event->rank;
    }
    return replay->count > 0 && replay->worker_count > 0;
}

bool replay_init(struct replay *replay, const struct trace *measured, struct failure *failure)
{
    struct replay made = {.buffers = PLATFORM_BUFFERS, .complete = true};
    if (!packages_count(&made, measured)) {
        *replay = (struct replay){.complete = false};
        return true;
    }
    made.packages = calloc(made.count, sizeof *made.packages);
    struct transfer *transfers = calloc(made.count, sizeof *transfers);
    if (!made.packages || !transfers) {
        free(transfers);
        replay_release(&made);
        return failure_memory(failure, "reading a trace");
    }
    for (size_t k = 0; k < made.count; k++) {
        made.packages[k].worker = -1;
        transfers[k].left_s = (double)NAN;
    }
    for (size_t k = 0; k < measured->count; k++)
        event_take(&made, transfers, &measured->events[k]);
    for (size_t k = 0; k < made.count; k++)
        made.complete = made.complete && made.packages[k].worker >= 0;
    links_derive(&made, transfers);
    free(transfers);
    *replay = made;
    return true;
}

bool replay_trace(const struct replay *replay, struct trace *trace, struct failure *failure)
{
    struct star star;
    struct star_times times;
    bool good = star_init(&star, replay->worker_count, replay->buffers);
    for (size_t k = 0; good && k < replay->count; k++) {
        const struct replay_package *package = &replay->packages[k];
        const struct trace_event event = {.round = package->round,
                                          .package = (int64_t)k,
                                          .first = package->first,
                                          .tasks = package->tasks};
        star_send(&star, package->worker, &package->cost, &times);
        good = star_trace(&times, package->worker, event, trace);
    }
    star_release(&star);
    return good || failure_memory(failure, "simulating a run again");
}

void replay_release(struct replay *replay)
{
    free(replay->packages);
    *replay = (struct replay){.complete = false};
}

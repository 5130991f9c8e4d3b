#include "planner/report/replay.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "planner/simulate/events.h"

/* When a package's transfer could begin, and when its end was noticed; NaN: there was none. */
struct replay_transfer {
    double left_s, arrived_s;
};

/* ---- what the run says --------------------------------------------------------------------- */

/* The latest loss before the package was begun; it may be sent again only after that. */
static double loss_before(const struct replay_setup *setup, double start_s)
{
    double before_s = 0;
    for (int64_t k = 0; k < setup->loss_count && setup->losses[k].time_s <= start_s; k++)
        before_s = setup->losses[k].time_s;
    return before_s;
}

/* A worker's start comes before its first package. */
static void start_take(struct replay *replay, const struct trace_event *event)
{
    const int64_t worker = (int64_t)event->rank - 1;
    if (worker < 0 || worker >= replay->setup.workers)
        return;
    replay->prepared_s[worker] = fmax(event->end_s - event->start_s, 0);
    if (replay->loop.star.workers && !replay->setup.price)
        replay->loop.star.workers[worker].prepared_s = replay->loop.star.workers[worker].free_s =
            replay->prepared_s[worker];
}

/* A package that was computed twice belongs to a run that lost a worker. */
static void event_take(struct replay *replay, const struct trace_event *event)
{
    struct replay_package *package = &replay->packages[event->package - replay->first];
    const int64_t worker = (int64_t)event->rank - 1;
    if (event->operation == OPERATION_START)
        start_take(replay, event);
    if (event->operation == OPERATION_IDLE || event->operation == OPERATION_START)
        return;
    double *cost_s = star_cost_part(&package->cost, (enum operation)event->operation);
    if (*cost_s > 0 || (worker >= 0 && package->worker >= 0 && package->worker != worker))
        replay->complete = false;
    *cost_s = fmax(event->end_s - event->start_s, 0);
    package->round = event->round;
    package->first = event->first;
    package->tasks = event->tasks;
    if (worker >= 0)
        package->worker = worker;
    if (event->operation == OPERATION_LINK)
        replay->transfers[event->package - replay->first] =
            (struct replay_transfer){event->start_s, event->end_s};
    if (event->operation == OPERATION_ENVELOPE && replay->setup.loss_count > 0)
        package->not_before_s = loss_before(&replay->setup, event->start_s);
}

/* For how long each of the first `count` packages that are kept occupied the port; where every
 * worker has a port, as long as its transfer seems to have taken. */
static void links_derive(struct replay *replay, int64_t count)
{
    double later_s = HUGE_VAL;
    if (operating_traits(replay->setup.operating)->port_each)
        return;
    for (int64_t k = replay->count; k-- > 0;) {
        if (isnan(replay->transfers[k].left_s))
            continue;
        later_s = fmin(later_s, replay->transfers[k].arrived_s);
        replay->transfers[k].arrived_s = later_s;
    }
    for (int64_t k = 0; k < count; k++) {
        const struct replay_transfer *transfer = &replay->transfers[k];
        if (isnan(transfer->left_s))
            continue;
        const double from_s = fmax(transfer->left_s, replay->port_s);
        replay->packages[k].cost.link_s = fmax(transfer->arrived_s - from_s, 0);
        replay->port_s = fmax(replay->port_s, transfer->arrived_s);
    }
}

static void losses_find(struct replay *replay, int64_t count)
{
    for (int64_t k = 0; k < count && replay->setup.loss_count > 0; k++) {
        struct replay_package *package = &replay->packages[k];
        package->lost = package->worker < 0 && package->tasks > 0;
        package->again = package->not_before_s > 0 && package->first < replay->end;
        if (package->first + package->tasks > replay->end)
            replay->end = package->first + package->tasks;
    }
}

/* Notes which of the first `count` packages that are kept are known to be their workers' last
 * ones. */
static void lasts_note(struct replay *replay, int64_t count)
{
    for (int64_t k = 0; k < count; k++) {
        struct replay_package *package = &replay->packages[k];
        package->last =
            package->worker >= 0 && replay->setup.lasts[package->worker] == replay->first + k;
    }
}

/* Finds which of the last packages are their workers' last ones. False: out of memory. */
static bool lasts_find(struct replay *replay)
{
    bool *seen = calloc((size_t)replay->setup.workers + 1, sizeof *seen);
    if (!seen)
        return false;
    for (int64_t k = replay->count; k-- > 0;) {
        struct replay_package *package = &replay->packages[k];
        if (package->worker < 0 || package->lost)
            continue;
        package->last = !seen[package->worker];
        seen[package->worker] = true;
    }
    free(seen);
    return true;
}

static void package_price(const struct platform *platform, struct replay_package *package)
{
    const double tasks = (double)package->tasks;
    const struct platform_window *window = platform_nearest(platform, tasks);
    const int64_t last = platform->worker_count - 1;
    const int64_t worker = package->worker < last ? package->worker : last;
    const struct platform_class *class = platform_worker(window, worker > 0 ? worker : 0);
    package->cost = star_cost_of(window, class, tasks);
    star_cost_place(&package->cost, platform, window, class, (double)package->first, tasks);
    if (package->lost)
        package->cost = (struct star_cost){.envelope_s = package->cost.envelope_s,
                                           .send_s = package->cost.send_s};
}

/* ---- the same again ------------------------------------------------------------------------ */

/* The master waits until it is known that there is something to send or, after a loss, until the
 * worker has done what it had. */
static void package_await(struct replay *replay, const struct replay_package *package,
                          int64_t worker)
{
    struct star *star = &replay->loop.star;
    star->master_s = star_later(star->master_s, package->not_before_s);
    if (package->again)
        star->master_s = star_later(star->master_s, replay->ends_s[worker][PLATFORM_BUFFERS - 1]);
}

static void end_note(double ends_s[PLATFORM_BUFFERS], double end_s)
{
    for (int k = PLATFORM_BUFFERS - 1; k > 0; k--)
        ends_s[k] = ends_s[k - 1];
    ends_s[0] = end_s;
}

static void package_leave_alone(const struct replay_alone *alone, struct replay_package *package)
{
    package->cost.compute_s *= alone->compute;
    package->cost.link_s *= alone->link;
    package->cost.result_s *= alone->link;
}

/* Sets the package's times as it is replayed: as measured, as predicted, or as if nobody else had
 * used the machines. */
static void package_settle(const struct replay_setup *setup, struct replay_package *package)
{
    const int64_t worker = package->worker;
    if (setup->price)
        package_price(setup->price, package);
    if (setup->alone && worker >= 0 && worker < setup->alone_count)
        package_leave_alone(&setup->alone[worker], package);
    if (setup->package)
        setup->package(setup->self, package);
}

/* The packages of a block as the source of a loop. */
struct replaying {
    struct replay *replay;
    int64_t at, count; /* in replay->packages: the next one, and the end of the block */
    bool last;         /* no other block follows */
};

static enum loop_answer package_next(void *self, struct loop *loop, struct loop_package *next,
                                     struct failure *failure)
{
    struct replaying *replaying = self;
    struct replay *replay = replaying->replay;
    const struct replay_setup *setup = &replay->setup;
    (void)loop;
    (void)failure;
    if (replaying->at == replaying->count)
        return replaying->last ? LOOP_END : LOOP_PAUSE;
    struct replay_package *package = &replay->packages[replaying->at];
    package_settle(setup, package);
    const int64_t worker = package->lost ? setup->workers : package->worker;
    package_await(replay, package, worker);
    *next = (struct loop_package){.worker = worker,
                                  .rank = worker + 1,
                                  .first = (double)package->first,
                                  .load = (double)package->tasks,
                                  .round = package->round,
                                  .index = replay->first + replaying->at++,
                                  .unawaited = package->lost,
                                  .last = package->last,
                                  .cost = &package->cost};
    return LOOP_SEND;
}

static bool package_sent(void *self, struct loop *loop, const struct loop_package *package,
                         const struct star_times *times, struct failure *failure)
{
    const struct replaying *replaying = self;
    (void)loop;
    (void)failure;
    end_note(replaying->replay->ends_s[package->worker], times->end_s);
    return true;
}

static bool own_next(void *self, double at_s, double until_s, struct own_span *span)
{
    const struct replaying *replaying = self;
    return own_share_next(replaying->replay->setup.own, at_s, until_s, span);
}

/* ---- blocks -------------------------------------------------------------------------------- */

/* Makes room for the block's packages. False: out of memory; *numbered false: packages could not be
 * listed. */
static bool packages_reserve(struct replay *replay, const struct trace *block, bool *numbered)
{
    const int64_t most = replay->count + (int64_t)block->count;
    int64_t count = replay->count;
    for (size_t k = 0; k < block->count; k++) {
        const struct trace_event *event = &block->events[k];
        const int64_t at = event->package - replay->first;
        if (trace_event_own(event))
            continue;
        *numbered = *numbered && event->package >= replay->first && at < most &&
                    event->rank <= replay->setup.workers;
        count = *numbered && at >= count ? at + 1 : count;
    }
    struct replay_package *packages =
        realloc(replay->packages, ((size_t)count + 1) * sizeof *packages);
    replay->packages = packages ? packages : replay->packages;
    struct replay_transfer *transfers =
        realloc(replay->transfers, ((size_t)count + 1) * sizeof *transfers);
    replay->transfers = transfers ? transfers : replay->transfers;
    if (!packages || !transfers)
        return false;
    for (; replay->count < count; replay->count++) {
        packages[replay->count] = (struct replay_package){.worker = -1};
        transfers[replay->count].left_s = (double)NAN;
    }
    return true;
}

static void packages_check(struct replay *replay, int64_t count)
{
    for (int64_t k = 0; k < count; k++)
        replay->complete =
            replay->complete && (replay->packages[k].worker >= 0 || replay->packages[k].lost);
}

static bool packages_replay(struct replay *replay, int64_t count, bool last)
{
    const struct replay_setup *setup = &replay->setup;
    struct replaying replaying = {.replay = replay, .count = count, .last = last};
    struct failure none = FAILURE_INIT;
    const struct loop_source source = {.next = package_next,
                                       .sent = package_sent,
                                       .computes = setup->own ? own_next : NULL,
                                       .self = &replaying};
    if (setup->trace)
        return loop_run(&replay->loop, &source, &none);
    for (int64_t k = 0; k < count; k++)
        package_settle(setup, &replay->packages[k]);
    return true;
}

/* Replays the first `count` packages that are kept; `last`: there are no others. */
static bool packages_pass(struct replay *replay, int64_t count, bool last, struct failure *failure)
{
    links_derive(replay, count);
    losses_find(replay, count);
    packages_check(replay, count);
    if (replay->setup.lasts)
        lasts_note(replay, count);
    if (replay->complete && ((last && !replay->setup.lasts && !lasts_find(replay)) ||
                             !packages_replay(replay, count, last)))
        return failure_memory(failure, "simulating a run again");
    replay->count -= count;
    replay->first += count;
    memmove(replay->packages, replay->packages + count,
            (size_t)replay->count * sizeof *replay->packages);
    memmove(replay->transfers, replay->transfers + count,
            (size_t)replay->count * sizeof *replay->transfers);
    return true;
}

/* Workers begin when they are ready. */
static bool star_begin(struct replay *replay)
{
    const struct replay_setup *setup = &replay->setup;
    replay->like = setup->price ? *setup->price : (struct platform){.window_count = 0};
    replay->like.buffers = setup->buffers > 0 ? setup->buffers : PLATFORM_BUFFERS;
    replay->like.write_behind = setup->write_behind;
    replay->like.results = setup->results;
    replay->like.operating = setup->operating;
    replay->ends_s = calloc((size_t)setup->workers + 1, sizeof *replay->ends_s);
    if (!loop_init(&replay->loop, &replay->like, setup->workers + 1) || !replay->ends_s)
        return false;
    if (replay->loop.events)
        events_restart(replay->loop.events);
    replay->loop.trace = setup->trace;
    for (int64_t k = 0; k < setup->workers && setup->price; k++)
        replay->loop.star.workers[k].prepared_s = replay->loop.star.workers[k].free_s =
            platform_start(setup->price, k);
    return true;
}

bool replay_init(struct replay *replay, const struct replay_setup *setup, struct failure *failure)
{
    *replay = (struct replay){.setup = *setup, .port_s = -HUGE_VAL, .complete = true};
    replay->prepared_s = calloc((size_t)setup->workers + 1, sizeof *replay->prepared_s);
    if (replay->prepared_s && (!setup->trace || star_begin(replay)))
        return true;
    replay_release(replay);
    return failure_memory(failure, "reading a trace");
}

bool replay_take(struct replay *replay, const struct trace *block, struct failure *failure)
{
    bool numbered = true;
    if (!replay->complete)
        return true;
    if (replay->count > REPLAY_LAG &&
        !packages_pass(replay, replay->count - REPLAY_LAG, false, failure))
        return false;
    if (!packages_reserve(replay, block, &numbered))
        return failure_memory(failure, "reading a trace");
    replay->complete = replay->complete && numbered;
    for (size_t k = 0; numbered && k < block->count; k++)
        if (!trace_event_own(&block->events[k]))
            event_take(replay, &block->events[k]);
    return true;
}

bool replay_end(struct replay *replay, struct failure *failure)
{
    if (replay->first + replay->count == 0 || replay->setup.workers < 1)
        replay->complete = false;
    return !replay->complete || packages_pass(replay, replay->count, true, failure);
}

void replay_release(struct replay *replay)
{
    free(replay->packages);
    free(replay->transfers);
    free(replay->prepared_s);
    free(replay->ends_s);
    loop_release(&replay->loop);
    *replay = (struct replay){.complete = false};
}

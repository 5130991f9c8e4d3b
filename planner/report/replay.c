#include "planner/report/replay.h"

#include <math.h>
#include <stdlib.h>

#include "planner/model/platform.h"

/* When a package's transfer could begin, and when its end was seen; NaN: there was none. */
struct transfer {
    double left_s, arrived_s;
};

/* A package that was computed twice is of a run that lost a worker. */
static void event_take(struct replay *replay, struct transfer *transfers,
                       const struct trace_event *event)
{
    struct replay_package *package = &replay->packages[event->package];
    const int64_t worker = (int64_t)event->rank - 1;
    if (event->operation == OPERATION_START && worker >= 0)
        replay->prepared_s[worker] = fmax(event->end_s - event->start_s, 0);
    if (event->operation == OPERATION_IDLE || event->operation == OPERATION_START)
        return;
    double *cost_s = star_cost_part(&package->cost, (enum operation)event->operation);
    if (*cost_s > 0 || (worker >= 0 && package->worker >= 0 && package->worker != worker))
        replay->twice = true;
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

static void completeness_find(struct replay *replay)
{
    replay->complete = !replay->twice;
    for (size_t k = 0; k < replay->count; k++)
        replay->complete =
            replay->complete && (replay->packages[k].worker >= 0 || replay->packages[k].lost);
}

bool replay_init(struct replay *replay, const struct trace *measured, struct failure *failure)
{
    struct replay made = {.buffers = PLATFORM_BUFFERS};
    if (!packages_count(&made, measured)) {
        *replay = (struct replay){.complete = false};
        return true;
    }
    made.packages = calloc(made.count, sizeof *made.packages);
    made.prepared_s = calloc((size_t)made.worker_count, sizeof *made.prepared_s);
    struct transfer *transfers = calloc(made.count, sizeof *transfers);
    if (!made.packages || !made.prepared_s || !transfers) {
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
    completeness_find(&made);
    links_derive(&made, transfers);
    free(transfers);
    *replay = made;
    return true;
}

/* The latest loss before a package was begun. */
static double loss_before(const struct run_loss *losses, int64_t count, double start_s)
{
    double before_s = 0;
    for (int64_t k = 0; k < count && losses[k].time_s <= start_s; k++)
        before_s = losses[k].time_s;
    return before_s;
}

void replay_lose(struct replay *replay, const struct trace *measured, const struct run_loss *losses,
                 int64_t count)
{
    int64_t end = 0;
    if (count == 0 || replay->count == 0)
        return;
    for (size_t k = 0; k < measured->count; k++) {
        const struct trace_event *event = &measured->events[k];
        if (event->operation == OPERATION_ENVELOPE)
            replay->packages[event->package].not_before_s =
                loss_before(losses, count, event->start_s);
    }
    for (size_t k = 0; k < replay->count; k++) {
        struct replay_package *package = &replay->packages[k];
        package->lost = package->worker < 0 && package->tasks > 0;
        package->again = package->not_before_s > 0 && package->first < end;
        if (package->first + package->tasks > end)
            end = package->first + package->tasks;
    }
    completeness_find(replay);
}

void replay_price(struct replay *replay, const struct platform *platform)
{
    for (int64_t k = 0; k < replay->worker_count; k++)
        replay->prepared_s[k] = platform_start(platform, k);
    for (size_t k = 0; k < replay->count; k++) {
        struct replay_package *package = &replay->packages[k];
        const double tasks = (double)package->tasks;
        const struct platform_window *window = platform_nearest(platform, tasks);
        const int64_t last = platform->worker_count - 1;
        const int64_t worker = package->worker < last ? package->worker : last;
        package->cost =
            star_cost_of(window, platform_worker(window, worker > 0 ? worker : 0), tasks);
        if (package->lost)
            package->cost = (struct star_cost){.envelope_s = package->cost.envelope_s,
                                               .send_s = package->cost.send_s};
    }
}

/* Of each worker, and of all that are lost together. */
struct replaying {
    struct star star;
    double (*ends_s)[PLATFORM_BUFFERS]; /* owned; its last ends, the latest first */
};

/* Before it is known that there is something to send, or that its worker is through with others,
 * the master waits. */
static void package_await(struct replaying *replaying, const struct replay_package *package,
                          int64_t worker)
{
    struct star *star = &replaying->star;
    star->master_s = star_later(star->master_s, package->not_before_s);
    if (package->again)
        star->master_s =
            star_later(star->master_s, replaying->ends_s[worker][PLATFORM_BUFFERS - 1]);
}

static void end_note(double ends_s[PLATFORM_BUFFERS], double end_s)
{
    for (int k = PLATFORM_BUFFERS - 1; k > 0; k--)
        ends_s[k] = ends_s[k - 1];
    ends_s[0] = end_s;
}

static bool package_replay(struct replaying *replaying, const struct replay *replay, size_t index,
                           struct trace *trace)
{
    const struct replay_package *package = &replay->packages[index];
    const int64_t worker = package->lost ? replay->worker_count : package->worker;
    const struct trace_event event = {.round = package->round,
                                      .package = (int64_t)index,
                                      .first = package->first,
                                      .tasks = package->tasks};
    struct star_times times;
    package_await(replaying, package, worker);
    star_send(&replaying->star, worker, &package->cost, &times);
    end_note(replaying->ends_s[worker], times.end_s);
    if (package->lost) /* nobody waited for it */
        times.idle_s = times.start_s;
    return star_trace(&times, worker, event, trace);
}

bool replay_trace(const struct replay *replay, struct trace *trace, struct failure *failure)
{
    struct replaying replaying;
    const struct platform like = {.buffers = replay->buffers, .write_behind = replay->write_behind};
    bool good = star_init(&replaying.star, &like, replay->worker_count + 1);
    replaying.ends_s = calloc((size_t)replay->worker_count + 1, sizeof *replaying.ends_s);
    good = good && replaying.ends_s;
    for (int64_t k = 0; good && k < replay->worker_count; k++)
        replaying.star.workers[k].prepared_s = replaying.star.workers[k].free_s =
            replay->prepared_s[k];
    for (size_t k = 0; good && k < replay->count; k++)
        good = package_replay(&replaying, replay, k, trace);
    star_release(&replaying.star);
    free(replaying.ends_s);
    return good || failure_memory(failure, "simulating a run again");
}

void replay_release(struct replay *replay)
{
    free(replay->packages);
    free(replay->prepared_s);
    *replay = (struct replay){.complete = false};
}

#include "planner/simulate/events.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "planner/base/array.h"
#include "planner/model/operating.h"

/* What may begin next. Of those that can begin at the same time, the first in this list begins. */
enum event_kind { EVENT_RESULT, EVENT_COLLECT, EVENT_WORK, EVENT_TRANSFER, EVENT_ENVELOPE };

/* An event can begin at at_s at the earliest: what it needs may be occupied then, and is looked at
 * when it comes up. */
struct event {
    double at_s;
    enum event_kind kind;
    double ready_s; /* since when it has waited */
    int64_t job;
};

/* A package, from its envelope until nothing more happens to it. */
struct job {
    struct loop_package package;
    struct star_cost cost; /* of the package */
    struct star_times times;
    int64_t follower; /* the next of those that have arrived at the worker; -1: none */
    double load;      /* core tasks whose results return with it; 0: none */
    bool begun, over;
};

struct place {
    int64_t sent, begun;        /* packages that were transferred, and begun */
    int64_t head, tail;         /* packages that have arrived and are not begun; -1: none */
    int64_t newest;             /* the last job that it got; -1: none */
    double load;                /* core tasks whose results it has still to return */
    double result_s, collect_s; /* sums over its packages */
    double in_s, out_s; /* when the master's ports for it are free, if each worker has its own */
    bool owes;          /* it must return a result before it goes on */
    int64_t under_way;  /* packages that it has not computed */
    bool last;          /* it gets no other package */
};

struct events {
    const struct platform *platform; /* borrowed */
    const struct operating_traits *traits;
    struct place *places; /* owned, one per worker of the star */
    int64_t workers;
    struct event *heap; /* owned; a heap by the earliest begin */
    size_t heap_count, heap_capacity;
    struct job *jobs; /* owned; the jobs from number `first` on */
    size_t job_capacity;
    int64_t first, end;    /* numbers */
    int64_t next_transfer; /* number */
    double transfer_s;     /* when the last transfer began: none overtakes it, with any ports */
    double in_s;           /* the master's incoming port is free */
    bool ended, waits;     /* nothing more will be sent; the master waits */
    bool handed_out;       /* nothing more will be sent unless a worker is lost */
    bool alone;            /* when it last waited, nothing but time could end that */
    double wait_s;         /* until when it waits, as far as is known */
};

/* What all functions of one simulation need. */
struct simulating {
    struct loop *loop;
    struct star *star;
    struct events *events;
    const struct loop_source *source;
    struct failure *failure;
};

struct events *events_new(const struct platform *platform, int64_t workers)
{
    struct events *made = calloc(1, sizeof *made);
    if (!made)
        return NULL;
    made->platform = platform;
    made->traits = operating_traits(platform->operating);
    made->workers = workers;
    made->places = calloc((size_t)workers, sizeof *made->places);
    if (!made->places)
        events_free(&made);
    return made;
}

void events_free(struct events **events)
{
    struct events *gone = *events;
    if (!gone)
        return;
    free(gone->places);
    free(gone->heap);
    free(gone->jobs);
    free(gone);
    *events = NULL;
}

void events_restart(struct events *events)
{
    events->heap_count = 0;
    events->first = events->end = events->next_transfer = 0;
    events->in_s = events->transfer_s = 0;
    events->ended = events->waits = events->alone = events->handed_out = false;
    for (int64_t k = 0; k < events->workers; k++)
        events->places[k] = (struct place){.head = -1, .tail = -1, .newest = -1};
}

void events_stand(struct events *events, double now_s)
{
    events_restart(events);
    events->in_s = now_s;
    for (int64_t k = 0; k < events->workers; k++) {
        events->places[k].sent = events->places[k].begun = events->platform->buffers;
        events->places[k].in_s = events->places[k].out_s = now_s;
    }
}

static struct job *job_at(const struct events *events, int64_t number)
{
    return &events->jobs[number - events->first];
}

/* ---- what could begin ---------------------------------------------------------------------- */

static bool event_before(const struct event *a, const struct event *b)
{
    if (a->at_s != b->at_s)
        return a->at_s < b->at_s;
    if (a->kind != b->kind)
        return a->kind < b->kind;
    return a->ready_s != b->ready_s ? a->ready_s < b->ready_s : a->job < b->job;
}

/* Moves the event down the heap to its place. */
static void heap_sink(struct events *events, struct event event)
{
    size_t at = 0;
    for (size_t child; (child = 2 * at + 1) < events->heap_count; at = child) {
        if (child + 1 < events->heap_count &&
            event_before(&events->heap[child + 1], &events->heap[child]))
            child++;
        if (!event_before(&events->heap[child], &event))
            break;
        events->heap[at] = events->heap[child];
    }
    if (events->heap_count > 0)
        events->heap[at] = event;
}

static bool heap_push(struct simulating *simulating, enum event_kind kind, double ready_s,
                      int64_t job)
{
    struct events *events = simulating->events;
    struct event *heap =
        array_reserve(events->heap, &events->heap_capacity, events->heap_count + 1, sizeof *heap);
    if (!heap)
        return failure_memory(simulating->failure, "simulating");
    const struct event event = {ready_s, kind, ready_s, job};
    size_t at = events->heap_count++;
    events->heap = heap;
    for (; at > 0 && event_before(&event, &heap[(at - 1) / 2]); at = (at - 1) / 2)
        heap[at] = heap[(at - 1) / 2];
    heap[at] = event;
    return true;
}

static void heap_pop(struct events *events)
{
    events->heap_count--;
    heap_sink(events, events->heap[events->heap_count]);
}

/* When the port for messages to the worker is free: its own one or the master's only one. port_in
 * is the same for results. */
static double *port_out(const struct simulating *simulating, int64_t worker)
{
    return simulating->events->traits->port_each ? &simulating->events->places[worker].out_s
                                                 : &simulating->star->port_s;
}

static double *port_in(const struct simulating *simulating, int64_t worker)
{
    if (simulating->events->traits->half_duplex)
        return &simulating->star->port_s;
    return simulating->events->traits->port_each ? &simulating->events->places[worker].in_s
                                                 : &simulating->events->in_s;
}

/* When an event of the heap can begin, as things stand. */
static double event_start(const struct simulating *simulating, const struct event *event)
{
    const struct operating_traits *traits = simulating->events->traits;
    const struct star *star = simulating->star;
    const int64_t worker = job_at(simulating->events, event->job)->package.worker;
    double at_s = event->ready_s;
    if (event->kind == EVENT_WORK)
        return star_later(at_s, star->workers[worker].free_s);
    if (event->kind == EVENT_COLLECT)
        return star_later(at_s, star->master_s);
    at_s = star_later(at_s, *port_in(simulating, worker));
    if (traits->master_takes)
        at_s = star_later(at_s, star->master_s);
    return traits->worker_returns ? star_later(at_s, star->workers[worker].free_s) : at_s;
}

/* The first event that can begin. What an event needs is only ever occupied for longer, so that
 * events further down the heap cannot begin before the time that they are sorted by. */
static bool heap_first(const struct simulating *simulating, struct event *first)
{
    struct events *events = simulating->events;
    while (events->heap_count > 0) {
        *first = events->heap[0];
        const double at_s = event_start(simulating, first);
        if (!(at_s > first->at_s))
            return true;
        first->at_s = at_s;
        heap_sink(events, *first);
    }
    return false;
}

/* The transfer of the next package in the order of sending; false: its worker has no free buffer
 * yet. */
static bool transfer_first(const struct simulating *simulating, struct event *first)
{
    const struct events *events = simulating->events;
    const struct star *star = simulating->star;
    if (events->next_transfer == events->end)
        return false;
    const struct job *job = job_at(events, events->next_transfer);
    const int64_t worker = job->package.worker;
    const struct place *place = &events->places[worker];
    double at_s = star_later(star_later(job->times.sent_s, events->transfer_s),
                             *port_out(simulating, worker));
    if (events->traits->master_sends)
        at_s = star_later(at_s, star->master_s);
    if (events->traits->worker_takes) {
        if (place->head >= 0 || place->owes)
            return false;
        at_s = star_later(at_s, star->workers[worker].free_s);
    } else if (place->sent >= star->buffers) {
        const int64_t before = place->sent - star->buffers;
        if (place->begun <= before)
            return false;
        at_s = star_later(at_s, star->starts[worker * star->buffers + before % star->buffers]);
    }
    *first = (struct event){at_s, EVENT_TRANSFER, 0, events->next_transfer};
    return true;
}

/* When a master that computes has a free buffer for another package, because an earlier one has
 * arrived. HUGE_VAL: that is not known yet. */
static double room_s(const struct simulating *simulating)
{
    const struct events *events = simulating->events;
    const int64_t before = events->end - simulating->loop->messages;
    if (!simulating->source->computes || before < events->first)
        return 0;
    return before < events->next_transfer ? job_at(events, before)->times.arrived_s : HUGE_VAL;
}

/* The next envelope, or the end of the master's waiting. */
static bool envelope_first(const struct simulating *simulating, struct event *first)
{
    const struct events *events = simulating->events;
    const double begun_s = events->waits ? events->wait_s : room_s(simulating);
    const double at_s = star_later(begun_s, simulating->star->master_s);
    if (events->ended || (events->traits->master_sends && events->next_transfer < events->end) ||
        !isfinite(at_s))
        return false;
    *first = (struct event){at_s, EVENT_ENVELOPE, 0, events->end};
    return true;
}

static bool event_first(const struct simulating *simulating, struct event *first)
{
    struct event event;
    bool found = heap_first(simulating, first);
    if (transfer_first(simulating, &event) && (!found || event_before(&event, first))) {
        *first = event;
        found = true;
    }
    if (envelope_first(simulating, &event) && (!found || event_before(&event, first))) {
        *first = event;
        found = true;
    }
    return found;
}

/* ---- what it does -------------------------------------------------------------------------- */

static double lasts(const struct simulating *simulating, int64_t worker, enum operation operation,
                    double start_s, double seconds)
{
    const struct loop_source *source = simulating->source;
    return source->lasts ? source->lasts(source->self, worker, operation, start_s, seconds)
                         : seconds;
}

/* Writes to the trace the packages that are over, in the order of sending, and removes them. */
static bool jobs_close(struct simulating *simulating)
{
    struct events *events = simulating->events;
    int64_t closed = 0;
    for (int64_t k = events->first; k < events->end && job_at(events, k)->over; k++, closed++) {
        const struct job *job = job_at(events, k);
        if (simulating->loop->trace && !loop_trace(simulating->loop, &job->package, &job->times))
            return failure_memory(simulating->failure, "tracing the simulation");
    }
    events->first += closed;
    memmove(events->jobs, events->jobs + closed,
            (size_t)(events->end - events->first) * sizeof *events->jobs);
    return true;
}

/* Marks the job as over. Such jobs are removed only when both the first and the middle one of many
 * jobs are over: moving up the others then takes a constant time per job. */
static bool job_close(struct simulating *simulating, struct job *job)
{
    enum { SOME = 64 };
    const struct events *events = simulating->events;
    job->over = true;
    return events->end - events->first < SOME || !job_at(events, events->first)->over ||
           !job_at(events, (events->first + events->end) / 2)->over || jobs_close(simulating);
}

static bool job_tell(struct simulating *simulating, const struct job *job)
{
    const struct loop_source *source = simulating->source;
    struct loop_package package = job->package;
    package.cost = &job->cost;
    return !source->sent ||
           source->sent(source->self, simulating->loop, &package, &job->times, simulating->failure);
}

/* The results of `load` core tasks become ready with that job. */
static bool result_ready(struct simulating *simulating, int64_t number, double load, double ready_s)
{
    struct job *job = job_at(simulating->events, number);
    struct place *place = &simulating->events->places[job->package.worker];
    job->load = load;
    if (simulating->events->platform->results == RESULTS_END) {
        job->cost.result_s = place->result_s;
        job->cost.collect_s = place->collect_s;
    }
    place->load = place->result_s = place->collect_s = 0;
    place->owes = simulating->events->traits->worker_returns;
    return heap_push(simulating, EVENT_RESULT, ready_s, number);
}

/* Makes the results of a worker ready once it has computed everything that it will get. */
static bool end_reach(struct simulating *simulating, int64_t worker)
{
    const struct place *place = &simulating->events->places[worker];
    if (simulating->events->platform->results != RESULTS_END || !(place->load > 0) ||
        place->under_way > 0 ||
        !(place->last || simulating->events->ended || simulating->events->handed_out))
        return true;
    return result_ready(simulating, place->newest, place->load,
                        job_at(simulating->events, place->newest)->times.computed_s);
}

/* The costs to return the results of that package or, at the end, of all the worker's packages.
 * Where the platform gives no costs for them, they are those that the run measured. */
static struct star_cost result_cost(const struct simulating *simulating, const struct job *job)
{
    const struct platform *platform = simulating->events->platform;
    if (platform->results == RESULTS_PACKAGE || platform->window_count == 0)
        return job->cost;
    const struct platform_window *window = platform_nearest(platform, job->load);
    const int64_t worker = job->package.rank - 1, last = platform->worker_count - 1;
    return (struct star_cost){
        .result_s =
            cost_of(platform_worker(window, worker < last ? worker : last)->result, job->load),
        .collect_s = cost_of(window->collect, job->load)};
}

static double gone_s(const struct simulating *simulating, int64_t worker)
{
    const struct loop_source *source = simulating->source;
    return source->gone_s ? source->gone_s(source->self, worker) : HUGE_VAL;
}

/* The worker has returned the result that it owed, and may go on. */
static bool owing_end(struct simulating *simulating, struct place *place)
{
    place->owes = false;
    return place->head < 0 ||
           heap_push(simulating, EVENT_WORK,
                     job_at(simulating->events, place->head)->times.arrived_s, place->head);
}

/* The worker is lost before these results have returned. Until then they occupy the port. Packages
 * that were sent to the worker nevertheless are still simulated, so it goes on. */
static bool result_drop(struct simulating *simulating, const struct event *event, double lost_s)
{
    struct job *job = job_at(simulating->events, event->job);
    double *port_s = port_in(simulating, job->package.worker);
    if (event->at_s < lost_s)
        *port_s = star_later(*port_s, lost_s);
    return (!simulating->events->traits->worker_returns ||
            owing_end(simulating, &simulating->events->places[job->package.worker])) &&
           job_close(simulating, job);
}

static bool result_begin(struct simulating *simulating, const struct event *event)
{
    const struct operating_traits *traits = simulating->events->traits;
    struct star *star = simulating->star;
    struct job *job = job_at(simulating->events, event->job);
    const int64_t worker = job->package.worker;
    struct place *place = &simulating->events->places[worker];
    const double seconds = lasts(simulating, worker, OPERATION_RESULT, event->at_s,
                                 result_cost(simulating, job).result_s);
    if (event->at_s + seconds > gone_s(simulating, worker))
        return result_drop(simulating, event, gone_s(simulating, worker));
    job->times.result_s = event->at_s;
    job->times.returned_s = event->at_s + seconds;
    *port_in(simulating, worker) = job->times.returned_s;
    star->results_s = star_later(star->results_s, job->times.returned_s);
    if (traits->master_takes) {
        star->master_s = job->times.returned_s;
        star->master_busy_s += seconds;
    }
    if (traits->worker_returns) {
        star->workers[worker].free_s = job->times.returned_s;
        star->workers[worker].busy_s += seconds;
        if (!owing_end(simulating, place))
            return false;
    }
    return heap_push(simulating, EVENT_COLLECT, job->times.returned_s, event->job) &&
           (simulating->events->platform->results != RESULTS_PACKAGE || job_tell(simulating, job));
}

/* Tells the dispatch that results returned at the end have arrived at the master. */
static bool end_tell(struct simulating *simulating, const struct job *job)
{
    const struct loop_source *source = simulating->source;
    return simulating->events->platform->results != RESULTS_END || !source->returned ||
           source->returned(source->self, &job->package, job->times.collected_s,
                            simulating->failure);
}

static bool collect_begin(struct simulating *simulating, const struct event *event)
{
    struct star *star = simulating->star;
    struct job *job = job_at(simulating->events, event->job);
    const double wanted_s = result_cost(simulating, job).collect_s;
    job->times.collect_s = job->times.collected_s = job->times.returned_s;
    if (wanted_s > 0) {
        const double seconds = lasts(simulating, -1, OPERATION_COLLECT, event->at_s, wanted_s);
        job->times.collect_s = event->at_s;
        job->times.collected_s = star->master_s = event->at_s + seconds;
        star->master_busy_s += seconds;
        star->results_s = star_later(star->results_s, job->times.collected_s);
    }
    return end_tell(simulating, job) && job_close(simulating, job);
}

/* The worker has begun a package: the next one that has arrived may follow it. */
static bool follower_ready(struct simulating *simulating, struct place *place, int64_t follower)
{
    place->head = follower;
    if (follower < 0)
        place->tail = -1;
    return follower < 0 || place->owes ||
           heap_push(simulating, EVENT_WORK, job_at(simulating->events, follower)->times.arrived_s,
                     follower);
}

static void work_time(struct simulating *simulating, const struct event *event, struct job *job)
{
    struct star *star = simulating->star;
    struct star_worker *to = &star->workers[job->package.worker];
    struct star_times *times = &job->times;
    struct star_cost *cost = &job->cost;
    const int64_t worker = job->package.worker;
    times->prepared_s = to->packages == 0 ? to->prepared_s : 0;
    times->idle_s = to->free_s;
    times->start_s = event->at_s;
    cost->receive_s = lasts(simulating, worker, OPERATION_RECEIVE, times->start_s, cost->receive_s);
    times->received_s = times->start_s + cost->receive_s;
    cost->compute_s =
        lasts(simulating, worker, OPERATION_COMPUTE, times->received_s, cost->compute_s);
    times->computed_s = times->received_s + cost->compute_s;
    times->handed_s = star_later(times->computed_s, to->end_s);
    cost->output_s = lasts(simulating, worker, OPERATION_OUTPUT, times->handed_s, cost->output_s);
    const struct star_write write = star_write(times->computed_s, to->end_s, cost->output_s);
    const double hidden_s =
        star->write_behind ? star_hidden(times->start_s, times->computed_s, to->end_s) : 0;
    times->end_s = write.end_s;
    to->free_s = star->write_behind ? write.handed_s : write.end_s;
    to->end_s = write.end_s;
    to->busy_s += cost->receive_s + cost->compute_s + cost->output_s - hidden_s;
    to->output_s += cost->output_s - hidden_s;
    if (to->packages++ == 0)
        to->first_s = simulating->events->traits->worker_takes ? times->link_s : times->start_s;
}

static bool work_begin(struct simulating *simulating, const struct event *event)
{
    struct star *star = simulating->star;
    struct job *job = job_at(simulating->events, event->job);
    const int64_t worker = job->package.worker;
    struct place *place = &simulating->events->places[worker];
    const enum results results = simulating->events->platform->results;
    work_time(simulating, event, job);
    job->begun = true;
    star->starts[worker * star->buffers + place->begun++ % star->buffers] = job->times.start_s;
    place->under_way--;
    const int64_t follower = job->follower;
    if (results == RESULTS_PACKAGE &&
        !result_ready(simulating, event->job, job->package.load, job->times.computed_s))
        return false;
    if (!follower_ready(simulating, place, follower))
        return false;
    if (results == RESULTS_PACKAGE)
        return true;
    if (results == RESULTS_END && !job->package.unawaited) {
        place->load += job->package.load;
        place->result_s += job->cost.result_s;
        place->collect_s += job->cost.collect_s;
    }
    if (!job_tell(simulating, job))
        return false;
    /* A worker's newest package is kept until it is known whether results return with it. */
    const bool newest = results == RESULTS_END && place->newest == event->job;
    return newest ? end_reach(simulating, worker) : job_close(simulating, job);
}

static bool transfer_begin(struct simulating *simulating, const struct event *event)
{
    const struct operating_traits *traits = simulating->events->traits;
    struct star *star = simulating->star;
    struct job *job = job_at(simulating->events, event->job);
    const int64_t worker = job->package.worker;
    struct place *place = &simulating->events->places[worker];
    const double seconds = lasts(simulating, worker, OPERATION_LINK, event->at_s, job->cost.link_s);
    job->times.link_s = event->at_s;
    job->times.arrived_s = event->at_s + seconds;
    *port_out(simulating, worker) = job->times.arrived_s;
    simulating->events->transfer_s = event->at_s;
    star->port_busy_s += seconds;
    if (traits->master_sends) {
        star->master_s = job->times.arrived_s;
        star->master_busy_s += seconds;
    }
    if (traits->worker_takes) {
        star->workers[worker].free_s = job->times.arrived_s;
        star->workers[worker].busy_s += seconds;
    }
    simulating->events->next_transfer++;
    place->sent++;
    star->workers[worker].oldest = place->sent % star->buffers;
    if (place->head >= 0) {
        job_at(simulating->events, place->tail)->follower = event->job;
        place->tail = event->job;
        return true;
    }
    place->head = place->tail = event->job;
    return place->owes || heap_push(simulating, EVENT_WORK, job->times.arrived_s, event->job);
}

/* ---- what is sent -------------------------------------------------------------------------- */

static bool package_take(struct simulating *simulating)
{
    struct events *events = simulating->events;
    struct star *star = simulating->star;
    struct job *jobs = array_reserve(events->jobs, &events->job_capacity,
                                     (size_t)(events->end - events->first) + 1, sizeof *jobs);
    if (!jobs)
        return failure_memory(simulating->failure, "simulating");
    events->jobs = jobs;
    const int64_t number = events->end++;
    struct job *job = job_at(events, number);
    *job = (struct job){.package = simulating->loop->package,
                        .cost = *simulating->loop->package.cost,
                        .follower = -1};
    struct star_cost *cost = &job->cost;
    struct place *place = &events->places[job->package.worker];
    job->times.envelope_s = star->master_s;
    cost->envelope_s = lasts(simulating, -1, OPERATION_ENVELOPE, star->master_s, cost->envelope_s);
    job->times.send_s = star->master_s + cost->envelope_s;
    cost->send_s = lasts(simulating, -1, OPERATION_SEND, job->times.send_s, cost->send_s);
    job->times.sent_s = job->times.send_s + cost->send_s;
    star->master_s = job->times.sent_s;
    star->master_busy_s += cost->envelope_s + cost->send_s;
    const int64_t before = place->newest;
    place->newest = number;
    place->last = job->package.last;
    place->under_way++;
    if (before < 0 || before < events->first || events->platform->results != RESULTS_END)
        return true;
    struct job *last = job_at(events, before);
    /* The package before is over, unless it has not begun or results return with it: then it ends
     * with these. */
    return !last->begun || last->load > 0 || job_close(simulating, last);
}

/* Every worker has all its packages, as far as is known now: their results may be ready. */
static bool ends_reach(struct simulating *simulating)
{
    for (int64_t k = 0; k < simulating->events->workers; k++)
        if (!end_reach(simulating, k))
            return false;
    return true;
}

static bool sending_end(struct simulating *simulating)
{
    simulating->events->ended = true;
    return ends_reach(simulating);
}

/* The master waits until the next thing that it will hear of, as far as is known. Something earlier
 * may become known while it waits. */
static void waiting_begin(struct simulating *simulating)
{
    const struct loop_source *source = simulating->source;
    simulating->events->waits = true;
    simulating->events->wait_s = fmin(source->event_s(source->self), source->due_s(source->self));
}

static void waiting_end(struct simulating *simulating, double at_s)
{
    const double waited_s = at_s - simulating->star->master_s;
    simulating->events->waits = false;
    simulating->star->master_s = at_s;
    if (simulating->source->waited)
        simulating->source->waited(simulating->source->self, waited_s);
}

static bool workers_lack(struct simulating *simulating)
{
    return failure_set(simulating->failure, FAILURE_INFEASIBLE,
                       "no worker is left for the remaining tasks: simulate more workers");
}

/* False: no worker is left that it could wait for. */
static bool waiting_try(struct simulating *simulating)
{
    struct events *events = simulating->events;
    const struct loop_source *source = simulating->source;
    const bool alone = events->heap_count == 0 && events->next_transfer == events->end &&
                       !isfinite(source->event_s(source->self));
    if (alone && (events->alone || !isfinite(source->due_s(source->self))))
        return workers_lack(simulating);
    events->alone = alone;
    waiting_begin(simulating);
    return true;
}

static bool envelope_begin(struct simulating *simulating, const struct event *event, bool *paused)
{
    struct loop *loop = simulating->loop;
    const struct loop_source *source = simulating->source;
    if (simulating->events->waits)
        waiting_end(simulating, event->at_s);
    const enum loop_answer answer =
        source->next(source->self, loop, &loop->package, simulating->failure);
    simulating->events->handed_out = answer == LOOP_HANDED_OUT;
    switch (answer) {
    case LOOP_SEND:
        simulating->events->alone = false;
        return package_take(simulating);
    case LOOP_HANDED_OUT:
        return ends_reach(simulating) && waiting_try(simulating);
    case LOOP_WAIT:
        return waiting_try(simulating);
    case LOOP_PAUSE:
        *paused = true;
        return true;
    case LOOP_END:
        return sending_end(simulating);
    case LOOP_FAILED:
        break;
    }
    return false;
}

/* ---- whole --------------------------------------------------------------------------------- */

static bool event_simulate(struct simulating *simulating, const struct event *event, bool *paused)
{
    if (event->kind <= EVENT_WORK)
        heap_pop(simulating->events);
    switch (event->kind) {
    case EVENT_RESULT:
        return result_begin(simulating, event);
    case EVENT_COLLECT:
        return collect_begin(simulating, event);
    case EVENT_WORK:
        return work_begin(simulating, event);
    case EVENT_TRANSFER:
        return transfer_begin(simulating, event);
    case EVENT_ENVELOPE:
        break;
    }
    return envelope_begin(simulating, event, paused);
}

/* No event can begin any more: only what the master computes is left. */
static bool events_end(struct simulating *simulating)
{
    return simulating->events->ended
               ? jobs_close(simulating) && loop_compute(simulating->loop, simulating->source,
                                                        HUGE_VAL, simulating->failure)
               : workers_lack(simulating);
}

/* Until the event nobody needs the master, so it computes. */
static bool events_compute(struct simulating *simulating, const struct event *event, bool *computed)
{
    const double from_s = simulating->star->master_s;
    *computed = false;
    if (!simulating->source->computes || !(from_s < event->at_s))
        return true;
    if (!loop_compute(simulating->loop, simulating->source, event->at_s, simulating->failure))
        return false;
    *computed = simulating->star->master_s > from_s;
    return true;
}

bool events_run(struct loop *loop, const struct loop_source *source, struct failure *failure)
{
    struct simulating simulating = {loop, &loop->star, loop->events, source, failure};
    struct event event;
    bool paused = false;
    while (event_first(&simulating, &event)) {
        bool computed;
        if (!events_compute(&simulating, &event, &computed))
            return false;
        if (computed) /* the event is looked at again, as the master is now free later */
            continue;
        if (!event_simulate(&simulating, &event, &paused))
            return false;
        if (paused)
            return true;
        /* What the master waits for may have become known by this event. */
        if (simulating.events->waits)
            waiting_begin(&simulating);
    }
    return events_end(&simulating);
}
